// The kinds of endpoints, and the fields that the form of each has.

import { text } from "../text/text.js";

/** A field: its key, and the attributes of its input. `list` splits the value at commas. */
const token = { key: "token", type: "password", required: true };
const address = (example, scheme = "https") => (
  { key: "url", type: "url", required: true, placeholder: `${scheme}:${"//"}${example}` });

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
};

/** What each kind is called and does, and its fields with their labels and hints. */
export const kinds = Object.fromEntries(Object.entries(fieldsByKind).map(([kind, fields]) => {
  const texts = text.webhooks.kinds[kind];
  return [kind, { title: texts.title, about: texts.about, fields: fields.map((field) => (
    { ...field, label: texts[field.key], hint: texts[`${field.key}Hint`] ?? field.hint })) }];
}));

export const isForPeople = (kind) => kind !== "webhook";
