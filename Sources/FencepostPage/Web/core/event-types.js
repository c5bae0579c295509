// The types of events: how the page words them, and which icon it draws.

import { profiles } from "./profiles.js";
import { formatDuration } from "./time.js";
import { convertValue } from "./units.js";

/** Every type of event, with its verb and the name of its icon. Each icon has its own shape, not only a colour. */
const types = {
  "region.entered": ["entered", "in"],
  "region.exited": ["left", "out"],
  "region.dwelled": ["dwelled in", "dwell"],
  "visit.arrived": ["arrived at a place", "arrive"],
  "visit.departed": ["departed from a place", "depart"],
  "device.stale": ["stopped reporting", "stale"],
  "device.recovered": ["reports again", "recover"],
  "app.relaunched": ["relaunched an app", "launch"],
  "alert.speed": ["drives too fast", "alarm"],
  "alert.battery": ["has a low battery", "alarm"],
  "alert.accuracy": ["has an inaccurate position", "alarm"],
  "alert.jump": ["jumped", "alarm"],
  "alert.unplugged": ["was unplugged", "alarm"],
  "alert.absent": ["is missing", "alarm"],
  "alert.present": ["is still", "alarm"],
  "alert.silent": ["has sent no location", "alarm"],
  "endpoint.disabled": ["was disabled", "alarm"],
  "delivery.exhausted": ["could not be delivered", "alarm"],
  "webhook.test": ["was tested", "test"],
};

export const eventTypes = Object.keys(types);

export const eventVerb = (type) => types[type]?.[0] ?? type;

export const iconOf = (type) => types[type]?.[1] ?? "test";

/** What the alerts of each type say when their condition ends. */
const ended = {
  "alert.speed": "no longer drives too fast",
  "alert.battery": "no longer has a low battery",
  "alert.accuracy": "has an accurate position again",
  "alert.unplugged": "has external power again",
  "alert.absent": "is no longer missing",
  "alert.present": "no longer stays too long",
  "alert.silent": "reports again",
};

/** One sentence about an alert, such as “van drives too fast at Depot: 92 km/h, limit 80 km/h”. */
function alertSentence(subject, event, nameOf) {
  const { state, value, limit, unit } = event.alert;
  const measure = (number) => (unit ? convertValue(number, unit).join(" ") : `${Math.round(number * 100)} %`);
  const verb = (state === "ended" && ended[event.type]) || eventVerb(event.type);
  const where = event.region ? ` at ${event.region.name ?? nameOf(event.region.id)}` : "";
  if (unit === "s") {
    const span = state === "ended" ? ` after ${formatDuration(value)}` : ` for ${formatDuration(limit)}`;
    return `${subject} ${verb}${span}`;
  }
  const facts = [];
  if (value !== undefined) facts.push(measure(value));
  if (limit !== undefined) facts.push(`limit ${measure(limit)}`);
  return `${subject} ${verb}${where}${facts.length ? `: ${facts.join(", ")}` : ""}`;
}

/** One sentence about an event, for lists and screen readers. */
export function eventSentence(event, nameOf = (id) => id) {
  const device = event.deviceId === undefined ? undefined : profiles.nameOf(event.deviceId);
  const subject = device ?? event.endpoint?.id ?? event.endpointId ?? "The service";
  if (event.alert) return alertSentence(subject, event, nameOf);
  if (event.region) return `${subject} ${eventVerb(event.type)} ${event.region.name ?? nameOf(event.region.id)}`;
  if (event.visit?.regions?.length) {
    const names = event.visit.regions.map(nameOf).join(", ");
    return `${subject} ${event.type === "visit.arrived" ? "arrived at" : "departed from"} ${names}`;
  }
  return `${subject} ${eventVerb(event.type)}`;
}
