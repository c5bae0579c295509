// The kinds of endpoints: what each is called, and the fields that its form has.

/** A field: its key, its label, and the attributes of its input. `list` splits the text at commas. */
const token = (label, hint) => ({ key: "token", label, hint, type: "password", required: true });
const address = (label, example, scheme = "https") => (
  { key: "url", label, type: "url", required: true, placeholder: `${scheme}:${"//"}${example}` });

export const kinds = {
  webhook: { title: "Webhook", about: "Signed JSON for a program.", fields: [address("URL", "…")] },
  ntfy: { title: "ntfy", about: "Notifications on phones with the ntfy app.", fields: [
    address("URL with the topic", "ntfy.sh/my-topic"),
    { ...token("Access token", "only for protected topics"), required: false }] },
  gotify: { title: "Gotify", about: "Notifications from a Gotify server.", fields: [
    address("URL of the server", "gotify.example.org"), token("Token of the application")] },
  telegram: { title: "Telegram", about: "Messages from a bot.", fields: [
    token("Token of the bot", "from @BotFather"),
    { key: "chat", label: "Chat", hint: "its number, or @channel", required: true }] },
  slack: { title: "Slack", about: "Messages in a channel.", fields: [
    address("URL of the incoming webhook", "hooks.slack.com/services/…")] },
  discord: { title: "Discord", about: "Messages in a channel.", fields: [
    address("URL of the channel's webhook", "discord.com/api/webhooks/…")] },
  email: { title: "E-mail", about: "Through a mail server with TLS.", fields: [
    { ...address("Mail server", "mail.example.org:587", "smtp"), hint: "smtps:// for port 465" },
    { key: "from", label: "Sender", type: "email", required: true },
    { key: "to", label: "Recipients", hint: "separated by commas", required: true, list: true },
    { key: "username", label: "User name", hint: "(optional)" },
    { key: "password", label: "Password", hint: "(optional)", type: "password" }] },
  apprise: { title: "Apprise", about: "More than a hundred other services, through its API.", fields: [
    address("URL of the API", "apprise.example.org/notify/family"),
    { key: "urls", label: "Addresses of services", hint: "only without a stored configuration", list: true }] },
};

export const isForPeople = (kind) => kind !== "webhook";
