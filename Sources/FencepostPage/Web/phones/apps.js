// What each phone app needs to send its locations here: the link that sets it up, or the settings to enter by hand.

/** Seconds between two locations while the phone moves, by how the person chose. */
const intervals = { precise: 30, saving: 300 };

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const query = (values) => Object.entries(values).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");

/**
 * The apps. `setup(phone)` gets `{base, user, device, id, token, mode}`: the address of the service without a slash at
 * its end, the two parts of the device's id, the id, the token, and `precise` or `saving`. It returns
 * - `link`: what opens the app and sets it up, or null; also the content of the QR code,
 * - `settings`: pairs of a name in the app and its value,
 * - `text`: a text to copy, or null,
 * - `interval`: the seconds between two locations of a phone that moves, or null when only the phone decides.
 */
export const phoneApps = [
  {
    id: "owntracks", name: "OwnTracks", systems: "iOS, Android",
    about: "Sends on significant changes (about 500 m), or all the time in the mode Move.",
    setup: ({ base, user, device, token, mode }) => {
      const configuration = {
        _type: "configuration", mode: 3, url: `${base}/pub`, auth: true, username: user, password: token,
        deviceId: device, tid: (user[0] + device[0]).toLowerCase(), monitoring: mode === "precise" ? 2 : 1,
        ...(mode === "precise" && { locatorInterval: intervals.precise, locatorDisplacement: 50 }),
      };
      return {
        link: `owntracks:///config?inline=${encodeURIComponent(base64(JSON.stringify(configuration)))}`,
        settings: [["Mode", "HTTP"], ["URL", `${base}/pub`], ["User name", user], ["Password", token],
          ["Device ID", device], ["Monitoring", mode === "precise" ? "Move" : "Significant changes"]],
        text: null, interval: mode === "precise" ? intervals.precise : null,
      };
    },
  },
  {
    id: "overland", name: "Overland", systems: "iOS, Android",
    about: "Records closely and sends in batches, so events can arrive minutes late.",
    setup: ({ base, id, token, mode }) => {
      const url = `${base}/ingest/overland`;
      return {
        link: `overland://setup?${query({ url, token, device_id: id })}`,
        settings: [["Receiver endpoint", url], ["Access token", token], ["Device ID", id],
          ["Send interval", mode === "precise" ? "1 min" : "10 min"],
          ["Significant location", mode === "precise" ? "Enabled" : "Significant only"]],
        text: null, interval: mode === "precise" ? 60 : null,
      };
    },
  },
  {
    id: "traccar", name: "Traccar Client", systems: "iOS, Android",
    about: "Sends at a fixed interval and distance while the phone moves.",
    setup: ({ base, id, token, mode }) => {
      const url = `${base}/ingest/osmand?${query({ token })}`;
      const interval = intervals[mode];
      const values = { url, id, accuracy: mode === "precise" ? "high" : "medium", distance: 50, interval };
      return {
        // A link of its own scheme keeps the token in the address; one of the web loses it.
        link: `org.traccar.client://config?${query(values)}`,
        settings: [["Server URL", url], ["Device identifier", id], ["Frequency", `${interval} s`],
          ["Distance", "50 m"], ["Accuracy", values.accuracy], ["Offline buffering", "on"]],
        text: null, interval,
      };
    },
  },
  {
    id: "gpslogger", name: "GPSLogger", systems: "Android",
    about: "Uses the GPS receiver at a fixed interval; it has no link for settings.",
    setup: ({ base, id, token, mode }) => {
      const interval = intervals[mode];
      return {
        link: null,
        settings: [["Log to custom URL", "on"], ["URL", `${base}/ingest/gpslogger?%ALL&${query({ id })}`],
          ["HTTP method", "POST"], ["Basic authentication", "any user, the token as the password"],
          ["Password", token], ["Discard offline locations", "off"], ["Logging interval", `${interval} s`]],
        text: null, interval,
      };
    },
  },
  {
    id: "home-assistant", name: "Home Assistant app", systems: "iOS, Android",
    about: "Sends to Home Assistant only; an automation passes each location on.",
    setup: ({ base, id, token }) => ({
      link: null,
      settings: [["Entity", "Replace device_tracker.phone by that of the phone."],
        ["File", "Add this to configuration.yaml and start Home Assistant again."]],
      text: homeAssistantFile({ base, id, token }), interval: null,
    }),
  },
];

/** A command and an automation of Home Assistant that pass each location of a phone on. */
const homeAssistantFile = ({ base, id, token }) => `rest_command:
  fencepost:
    url: "${base}/v1/locations"
    method: post
    content_type: application/json
    headers:
      authorization: "Bearer ${token}"
    payload: >-
      {"locations":[{"deviceId":"${id}","latitude":{{ latitude }},"longitude":{{ longitude }},
      "horizontalAccuracy":{{ accuracy }},"timestamp":{{ time }}}]}

automation:
  - alias: "Fencepost: ${id}"
    mode: queued
    triggers:
      - trigger: state
        entity_id: device_tracker.phone
    conditions:
      - "{{ trigger.to_state.attributes.latitude is defined }}"
    actions:
      - action: rest_command.fencepost
        data:
          latitude: "{{ trigger.to_state.attributes.latitude }}"
          longitude: "{{ trigger.to_state.attributes.longitude }}"
          accuracy: "{{ trigger.to_state.attributes.gps_accuracy | default(100) }}"
          time: "{{ as_timestamp(trigger.to_state.last_updated) }}"
`;
