import { plural } from "./common.js";

/** The English texts of the view MQTT. */
export const mqtt = {
  title: "MQTT and Home Assistant",
  intro: "Fencepost receives the positions of OwnTracks phones from an MQTT broker, and publishes there what happens "
    + "and where each device is. Home Assistant finds the devices without more.",
  empty: {
    title: "No broker yet",
    hint: "Enter the address of your broker. The one of Home Assistant is the add-on Mosquitto broker.",
  },
  configured: (origin) => `The configuration${origin && ` (${origin})`} names the broker: change it there, or `
    + "remove “mqtt” there and start the service again to set it here.",
  uncleared: (broker, topics) => `The broker ${broker} keeps ${plural(topics, "message")} of this service: it could `
    + "not be reached when it was changed or removed. Set it again, and they are cleared.",
  remove: "Remove the broker",
  removed: "The broker is removed. It could not be reached, and keeps messages.",
  removedAndCleared: "The broker is removed, and what it kept is cleared.",

  /** Why a broker cannot be used, by the API's `reason`. */
  failures: {
    no_such_host: "No machine has this name. Check the host.",
    unreachable: "Nothing answers at this host and port. Check both, and whether the broker runs.",
    timeout: "The broker has not answered in time. Check host, port and firewall.",
    tls: "The encrypted connection failed. Check that the port is the one for TLS (usually 8883), that the "
      + "broker’s certificate is for this host, and that its authority is trusted by the "
      + "service’s machine or has its certificate here.",
    no_broker: "What answers at this port is no MQTT broker, or it wants an encrypted connection (TLS).",
    refused: "The broker refuses the connection. Check user name and password.",
    subscription_refused: "The broker does not allow this user to read the topic of the phones.",
    lost: "The connection was lost. The service tries again.",
    invalid: "These settings cannot work.",
    not_stored: "Messages cannot be stored at present; the broker keeps them.",
  },

  card: {
    title: "The broker",
    connected: "connected",
    notConnected: "not connected",
    connecting: "Connecting …",
    receiving: "Messages of phones",
    publishing: "Events and positions",
    publishingTo: (broker) => `Events and positions, to ${broker}`,
    since: (age) => `Connected ${age}.`,
    received: (count) => `${plural(count, "message")} received.`,
    published: (count) => `${plural(count, "message")} published.`,
    earlier: (age, failure) => `Before that, ${age}: ${failure}`,
    tls: "TLS",
    user: "User",
    none: "none",
    topic: "Reads",
    prefix: "Publishes",
    nothing: "nothing",
    homeAssistant: "Discovery",
    finds: (prefix) => `Home Assistant, ${prefix}`,
  },

  form: {
    title: "Settings of the broker",
    address: {
      host: "Host",
      hostHint: "a name or an address",
      port: "Port",
      tls: "Encrypted (TLS)",
      certificate: "Certificate of the authority",
      certificateHint: "only where the broker has one that is signed by an authority of your own; PEM",
      username: "User name",
      password: "Password",
    },
    otherBroker: "Publish to another broker",
    otherHint: "What is published goes there; the phones’ messages come from the broker above. Leave the host empty "
      + "for one broker.",
    other: {
      host: "Its host",
      hostHint: "a name or an address",
      port: "Its port",
      tls: "Encrypted there (TLS)",
      certificate: "Certificate of its authority",
      certificateHint: "only of an authority of your own; PEM",
      username: "Its user",
      password: "Its password",
    },
    unchanged: "unchanged",
    discovers: "Home Assistant finds the devices",
    publishes: "Publish events, positions and who is in which region",
    noPublishing: "A cluster of several partitions publishes nothing: their leaders would replace each other’s state.",
    more: "Topics and client id",
    usual: (value) => `usually ${value}`,
    topic: "Topic of the phones",
    prefix: "Beginning of the published topics",
    discovery: "Discovery prefix of Home Assistant",
    clientId: "Client id",
    clientIdHint: "each service needs its own",
    test: "Test",
    testing: "Connecting to the broker …",
    accepted: (broker) => `The broker at ${broker} has accepted the connection and the subscription.`,
    discovered: ({ devices, entities }) => `Home Assistant shows ${plural(devices, "device")} with `
      + `${plural(entities, "entity", "entities")}, and a sensor for each alert from its first time on.`,
    connect: "Connect",
    save: "Save",
    saving: "Saving; a former broker is being cleared …",
    saved: "Saved. The service connects now.",
    outdated: "Somebody else has changed these settings meanwhile. The fields show them now: change them again.",
  },

  steps: {
    title: "Steps in Home Assistant",
    list: [
      "Install the add-on Mosquitto broker and set up the integration MQTT under Settings, Devices & services.",
      "Add a user for Fencepost under Settings, People, Users. Enter its name and password here, with the host of Home "
      + "Assistant, such as homeassistant.local; then press Test, and Connect.",
      "Open Settings, Devices & services, MQTT: each phone is a device there after its first report, with a tracker, "
        + "its place, and a sensor for each region.",
    ],
  },
  file: {
    title: "In the configuration file instead",
    hint: "What the configuration file or the environment sets takes the place of what is set here, after a restart. "
      + "The password can be in a file that FENCEPOST_MQTT_PASSWORD_FILE names.",
  },
};
