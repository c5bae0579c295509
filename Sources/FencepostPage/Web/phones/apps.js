// What each phone app needs to send its locations here: the link that sets it up, or the settings to enter by hand.

import { text } from "../text/text.js";

/** Seconds between two locations while the phone moves, by how the person chose. */
const intervals = { precise: 30, saving: 300 };

const base64 = (content) => btoa(String.fromCharCode(...new TextEncoder().encode(content)));

const query = (values) => Object.entries(values).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");

/**
 * The apps. `hasFriends` is for those that show other devices and take regions. `setup(phone, texts)` gets
 * `{base, user, device, id, token, mode, regions}`: the address of the service without a slash at its end, the two
 * parts of the device's id, the id, the token, `precise` or `saving`, and whether the app gets regions; and the texts
 * of the app. It returns
 * - `link`: what opens the app and sets it up, or null; also the content of the QR code,
 * - `settings`: pairs of a name in the app and its value,
 * - `file`: the content of a file to copy, or null,
 * - `interval`: the seconds between two locations of a phone that moves, or null when only the phone decides.
 */
const apps = [
  {
    id: "owntracks", systems: "iOS, Android", hasFriends: true,
    setup: ({ base, user, device, token, mode, regions }, texts) => {
      const configuration = {
        _type: "configuration", mode: 3, url: `${base}/pub`, auth: true, username: user, password: token,
        deviceId: device, tid: (user[0] + device[0]).toLowerCase(), monitoring: mode === "precise" ? 2 : 1,
        ...(mode === "precise" && { locatorInterval: intervals.precise, locatorDisplacement: 50 }),
        ...(regions && { cmd: true }),
      };
      return {
        link: `owntracks:///config?inline=${encodeURIComponent(base64(JSON.stringify(configuration)))}`,
        settings: [[texts.mode, "HTTP"], [texts.url, `${base}/pub`], [texts.user, user], [texts.password, token],
          [texts.device, device], [texts.monitoring, texts.monitorings[mode]],
          ...(regions ? [[texts.commands, texts.on]] : []),
          ...(mode === "precise" ? [[texts.interval, text.common.time.seconds(intervals.precise)],
            [texts.displacement, `50 ${text.common.units.m}`]] : [])],
        file: null, interval: mode === "precise" ? intervals.precise : null,
      };
    },
  },
  {
    id: "overland", systems: "iOS, Android",
    setup: ({ base, id, token, mode }, texts) => {
      const url = `${base}/ingest/overland`;
      return {
        link: `overland://setup?${query({ url, token, device_id: id })}`,
        settings: [[texts.url, url], [texts.token, token], [texts.device, id],
          [texts.interval, text.common.time.minutes(mode === "precise" ? 1 : 10)],
          [texts.significantLocation, texts.significantLocations[mode]]],
        file: null, interval: mode === "precise" ? 60 : null,
      };
    },
  },
  {
    id: "traccar", systems: "iOS, Android",
    setup: ({ base, id, token, mode }, texts) => {
      const url = `${base}/ingest/osmand?${query({ token })}`;
      const interval = intervals[mode];
      const values = { url, id, accuracy: mode === "precise" ? "high" : "medium", distance: 50, interval };
      return {
        // A link of its own scheme keeps the token in the address; one of the web loses it.
        link: `org.traccar.client://config?${query(values)}`,
        settings: [[texts.url, url], [texts.device, id], [texts.interval, text.common.time.seconds(interval)],
          [texts.distance, `${values.distance} ${text.common.units.m}`],
          [texts.accuracy, texts.accuracies[values.accuracy]], [texts.buffering, texts.on]],
        file: null, interval,
      };
    },
  },
  {
    id: "gpslogger", systems: "Android",
    setup: ({ base, id, token, mode }, texts) => {
      const interval = intervals[mode];
      return {
        link: null,
        settings: [[texts.toURL, texts.on], [texts.url, `${base}/ingest/gpslogger?%ALL&${query({ id })}`],
          [texts.method, "POST"], [texts.authentication, texts.userAndPassword], [texts.password, token],
          [texts.discardOffline, texts.off], [texts.interval, text.common.time.seconds(interval)]],
        file: null, interval,
      };
    },
  },
  {
    id: "home-assistant", systems: "iOS, Android",
    setup: ({ base, id, token }, texts) => ({
      link: null,
      settings: [[texts.entity, texts.entityHint("device_tracker.phone")],
        [texts.file, texts.fileHint("configuration.yaml")]],
      file: homeAssistantFile({ base, id, token }), interval: null,
    }),
  },
];

/** The apps as the form shows them: `{id, name, about, systems, setup(phone)}`. */
export const phoneApps = apps.map(({ id, setup, ...others }) => {
  const texts = text.phones.apps[id];
  return { id, ...others, name: texts.name, about: texts.about, setup: (phone) => setup(phone, texts) };
});

/**
 * A command and an automation of Home Assistant that pass each location of a phone on. What the app does not give is
 * `none`.
 */
const homeAssistantFile = ({ base, id, token }) => `rest_command:
  fencepost:
    url: "${base}/v1/locations"
    method: post
    content_type: application/json
    headers:
      authorization: "Bearer ${token}"
    payload: >-
      {"locations":[{"deviceId":"${id}","timestamp":{{ time }},"latitude":{{ latitude }},"longitude":{{ longitude }}
      {% for name, value in [("horizontalAccuracy", accuracy), ("altitude", altitude), ("verticalAccuracy", vertical),
      ("speed", speed), ("course", course), ("batteryLevel", battery / 100 if battery is number else none)]
      if value is number %},"{{ name }}":{{ value }}{% endfor %}}]}

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
          accuracy: "{{ trigger.to_state.attributes.get('gps_accuracy', 100) }}"
          altitude: "{{ trigger.to_state.attributes.get('altitude') }}"
          vertical: "{{ trigger.to_state.attributes.get('vertical_accuracy') }}"
          speed: "{{ trigger.to_state.attributes.get('speed') }}"
          course: "{{ trigger.to_state.attributes.get('course') }}"
          battery: "{{ trigger.to_state.attributes.get('battery_level') }}"
          time: "{{ as_timestamp(trigger.to_state.last_updated) }}"
`;
