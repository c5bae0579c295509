import { plural } from "./common.js";

/** The English texts of the view Messages, and of the messages of an event. */
export const webhooks = {
  title: "Messages",
  heading: "Endpoints",
  loading: "Loading endpoints …",
  empty: {
    title: "No endpoints",
    hint: "An endpoint sends events as signed webhooks to a program, or as messages to people: ntfy, Telegram, e-mail "
      + "and others. What fails is tried again.",
  },
  milliseconds: (number) => `${number} ms`,

  form: {
    title: "Add an endpoint",
    kind: "Kind",
    description: "Description",
    descriptionExample: "Dispatch desk",
    devices: "Devices",
    devicesHint: "several, or a pattern such as van-*",
    everyDevice: "every device",
    regions: "Regions",
    regionsHint: "several, or a pattern such as depot-*",
    everyRegion: "every region",
    events: "Event types",
    /** By the pattern of the types. */
    types: {
      "region.*": "entries, exits and stays", "visit.*": "visits", "device.*": "silent devices",
      "alert.*": "alerts", "app.*": "app starts",
    },
    eventsOfPeople: "Choose none for the usual: who comes home and leaves home, and alerts. Without a region of the "
      + "name or the tag Home it is every region.",
    noEvents: "Choose at least one type of event.",
    inOrder: "Deliver the events of each device in order",
    positions: "Include positions",
    allow: (network) => `Allow messages to ${network}, also over http`,
    submit: "Add the endpoint",
    added: "Added. “Send test” below sends a first message.",
    secretOf: (name) => `Signing secret of ${name}.`,
  },

  /** The kinds of endpoints: what each is called, what it does, and the labels and hints of its fields. */
  kinds: {
    webhook: { title: "Webhook", about: "Signed JSON for a program.", url: "URL" },
    ntfy: {
      title: "ntfy",
      about: "Notifications on phones with the ntfy app.",
      url: "URL with the topic",
      token: "Access token",
      tokenHint: "only for protected topics",
    },
    gotify: {
      title: "Gotify",
      about: "Notifications from a Gotify server.",
      url: "URL of the server",
      token: "Token of the application",
    },
    telegram: {
      title: "Telegram",
      about: "Messages from a bot.",
      token: "Token of the bot",
      tokenHint: "from @BotFather",
      chat: "Chat",
      chatHint: "its number, or @channel",
    },
    slack: { title: "Slack", about: "Messages in a channel.", url: "URL of the incoming webhook" },
    discord: { title: "Discord", about: "Messages in a channel.", url: "URL of the channel's webhook" },
    email: {
      title: "E-mail",
      about: "Through a mail server with TLS.",
      url: "Mail server",
      urlHint: "smtps:// for port 465",
      from: "Sender",
      to: "Recipients",
      toHint: "separated by commas",
      username: "User name",
      password: "Password",
    },
    apprise: {
      title: "Apprise",
      about: "More than a hundred other services, through its API.",
      url: "URL of the API",
      urls: "Addresses of services",
      urlsHint: "only without a stored configuration",
    },
  },

  messageFields: {
    title: "Texts, names and quiet hours",
    messageTitle: "Title",
    messageText: "Text",
    templateHint: "a Mustache template",
    names: "Names of devices",
    link: "Address of this page for links",
    linkHint: "as the receivers reach it; empty for no links",
    localLink: "Phones and other machines cannot open links to this address. Enter the name under which they reach "
      + "this page.",
    units: "Units",
    unitChoices: { metric: "km, m, km/h", imperial: "miles, feet, mph" },
    quietHours: "Quiet hours, held until they end",
    quietFrom: "Quiet from",
    quietTo: "to",
    quietUntil: "Quiet until",
    cooldown: "Minutes between messages about one device and region",
    group: "Minutes in which messages become one",
    preview: "Preview",
  },

  mqtt: {
    title: "MQTT and Home Assistant",
    broker: "Broker",
    port: "Port",
    encryption: "Encryption",
    tls: "TLS",
    noTLS: "none",
    topics: "Topics",
    connected: "connected",
    notConnected: "not connected",
    triesAgain: "The broker is not connected. The service tries again; meanwhile the messages wait.",
    publishes: "All events, the positions of the devices and who is in which region are published there.",
    none: "The service publishes to no broker. With one, Home Assistant finds each device, its place and its regions.",
    testAccepted: "The broker has accepted a test.",
    testFailed: (failure) => `The test did not reach the broker: ${failure}.`,
    setUp: "Set up MQTT and Home Assistant",
    settings: "Settings for the configuration file",
  },

  secret: {
    label: "Secret",
    copy: "Copy",
    copied: "Copied",
    hint: "It is not shown again. The receiver verifies signatures with it.",
  },

  card: {
    label: (title) => `Endpoint ${title}`,
    /** The title of an endpoint without a description. */
    kindAndServer: (kind, server) => `${kind} ${server}`,
    active: "active",
    paused: "paused",
    to: (recipients) => `to ${recipients}`,
    receives: {
      sentence: (filter) => `Receives ${filter}.`,
      sentenceWithOptions: (filter, options) => `Receives ${filter}; ${options}.`,
      /** The filter of an endpoint: every value but `events` may be empty. */
      filter: ({ events, devices, regions, apps, conditions }) => [
        events, devices && `of ${devices}`, regions && `in ${regions}`, apps && `for the apps ${apps}`,
        conditions && `when ${conditions}`,
      ].filter(Boolean).join(" "),
      allEvents: "all events",
      usual: "arrivals, departures and alerts",
      or: (conditions) => conditions.join(" or "),
      inOrder: "in order",
      withoutPositions: "without positions",
      cloudEvents: (format) => `as CloudEvents (${format})`,
      quiet: (times) => `quiet ${times}`,
      cooldown: (span) => `at most every ${span} for a device and region`,
      group: (span) => `collected for ${span}`,
    },
    loadingHealth: "Loading its health …",
    failures: (count) => `${plural(count, "failure")} in a row`,
    failingFor: (span) => `for ${span}`,
    lastSuccess: (age) => `last success ${age}`,
    noSuccess: "no success yet",
    noMessage: "No message was sent yet.",
    onlyTest: "A test was sent, and no message of an event yet.",
    test: "Send test",
    sendingTest: "Sending a test message …",
    testAnswered: (status, duration) => `The endpoint answered ${status} after ${duration}.`,
    testFailed: (failure, duration) => `The endpoint did not answer (${failure}) after ${duration}.`,
    pause: "Pause",
    resume: "Resume",
    isPaused: (title) => `${title} is paused`,
    isActiveAgain: (title) => `${title} is active again`,
    messages: "Messages",
    noScope: "This token lacks the scope “write”.",
    more: "Replay, secret, removal",
    replayEvents: "Replay undelivered events of",
    replayPeriod: (title) => `Period to replay to ${title}`,
    /** By seconds. */
    replayPeriods: {
      3600: "the last hour", 86400: "the last day", 604800: "the last week", 2592000: "the last 30 days",
    },
    replay: "Replay",
    replayed: (queued, retried) =>
      `${plural(queued, "message")} queued, ${plural(retried, "message")} that had been given up queued again.`,
    rotate: "Rotate the secret",
    newSecret: "New signing secret. For 24 hours, messages are signed with the old secret too.",
    remove: "Remove",
    confirmRemoval: "Press again to remove",
    removed: (title) => `The endpoint ${title} was removed.`,
  },

  deliveries: {
    title: "Latest messages",
    refresh: "Refresh",
    filterByStatus: "Filter by status",
    statuses: {
      "": "All messages", pending: "Pending", exhausted: "Given up", delivered: "Delivered", cancelled: "Cancelled",
      expired: "Expired", suppressed: "Quiet",
    },
    filterByEndpoint: "Filter by endpoint",
    allEndpoints: "All endpoints",
    truncated: "There are more messages than the page loads. Filter by endpoint or status.",
    noMatch: "No message matches the filter.",
    none: "No messages yet.",
    showMore: "Show more",
  },

  delivery: {
    statuses: {
      pending: "pending", delivered: "delivered", exhausted: "given up", cancelled: "cancelled", expired: "too old",
    },
    retrying: "retrying",
    sendAgain: "Send again",
    retryNow: "Retry now",
    event: (device, verb) => `${device} ${verb}`,
    /** The event of a message, its last answer, and its next attempt; the last two may be missing. */
    about: (event, answer, next) => [event, answer && `: ${answer}`, next && `; ${next}`],
    nextAttempt: (age) => `next attempt ${age}`,
    due: "due, queued",
    attempts: (count) => plural(count, "attempt"),
    /** An attempt; `delay` is that of the next one, if there is one. */
    attempt: (answer, duration, time, delay) => [
      answer, ` after ${duration}, `, time, delay && `, next attempt ${delay} later`,
    ],
    answered: (status) => `answered ${status}`,
    /** Failures of an attempt, by the API's name. */
    failures: {
      dns: "DNS lookup failed", connect: "connection failed", tls: "TLS handshake failed", timeout: "timeout",
      reset: "connection reset", blocked: "address not allowed", status: "answer other than 2xx",
      report: "report could not be made",
    },
    accepted: "accepted",
  },
};
