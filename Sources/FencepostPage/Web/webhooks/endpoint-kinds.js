// The kinds of endpoints, and the fields that the form of each has.

import { text } from "../text/text.js";

/**
 * A field: its key, and the attributes of its input. `list` splits the value at commas, `choices` makes it a list to
 * choose from with texts by value, `read` makes the value of the API of its text, and one that `needs` another is left
 * out without it.
 */
const token = { key: "token", type: "password", required: true };
const address = (example, scheme = "https") => (
  { key: "url", type: "url", required: true, placeholder: `${scheme}:${"//"}${example}` });

const signIn = [
  { key: "username", hint: text.common.optional }, { key: "password", type: "password", hint: text.common.optional },
];
// Browsers take no URL with several servers for one.
const servers = (example, scheme) => ({ ...address(example, scheme), type: "text" });
const format = { key: "format", choices: ["standard", "structured", "binary"] };
const template = (key, example) => ({ key, required: true, placeholder: example });

const fieldsByKind = {
  webhook: [address("…")],
  ntfy: [address("ntfy.sh/my-topic"), { ...token, required: false }],
  gotify: [address("gotify.example.org"), token],
  telegram: [token, { key: "chat", required: true }],
  slack: [address("hooks.slack.com/services/…")],
  discord: [address("discord.com/api/webhooks/…")],
  email: [
    address("mail.example.org:587", "smtp"), { key: "from", type: "email", required: true },
    { key: "to", required: true, list: true }, { key: "username", hint: text.common.optional },
    { key: "password", type: "password", hint: text.common.optional },
  ],
  apprise: [address("apprise.example.org/notify/family"), { key: "urls", list: true }],
  nats: [
    servers("nats.example.org:4222", "nats"), template("subject", "fencepost.{device}.{type}"),
    { key: "jetStream", choices: ["true", "false"], read: (value) => value === "true" }, format, ...signIn,
    { ...token, required: false },
  ],
  redis: [
    address("redis.example.org:6379/0", "rediss"), template("stream", "fencepost:{device}"),
    { key: "maximumLength", type: "number", read: Number }, format, ...signIn,
  ],
  amqp: [
    address("rabbit.example.org/vhost", "amqps"), { key: "exchange" },
    template("routingKey", "fencepost.{device}.{type}"), format, ...signIn,
  ],
  kafka: [
    servers("one.example.org:9092,two.example.org:9092/fencepost", "kafka"), format, ...signIn,
    { key: "saslMechanism", choices: ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"], needs: "username" },
  ],
};

/** What each kind is called and does, and its fields with their labels and hints. */
export const kinds = Object.fromEntries(Object.entries(fieldsByKind).map(([kind, fields]) => {
  const texts = text.webhooks.kinds[kind];
  return [kind, { title: texts.title, about: texts.about, fields: fields.map((field) => (
    { ...field, label: texts[field.key] ?? text.webhooks.brokerFields[field.key],
      hint: texts[`${field.key}Hint`] ?? field.hint, texts: text.webhooks.brokerFields[`${field.key}Choices`] })) }];
}));

export const isBroker = (kind) => ["nats", "redis", "amqp", "kafka"].includes(kind);

export const isForPeople = (kind) => kind !== "webhook" && !isBroker(kind);

/** Whether messages have a signature, whose secret can be changed. */
export const isSigned = (kind) => kind === "webhook";
