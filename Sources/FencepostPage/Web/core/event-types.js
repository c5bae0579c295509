// The types of events: how the page words them, and which icon it draws.

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
  "endpoint.disabled": ["was disabled", "alarm"],
  "delivery.exhausted": ["could not be delivered", "alarm"],
  "webhook.test": ["was tested", "test"],
};

export const eventTypes = Object.keys(types);

export const eventVerb = (type) => types[type]?.[0] ?? type;

export const iconOf = (type) => types[type]?.[1] ?? "test";

/** One sentence about an event, for lists and screen readers. */
export function eventSentence(event, nameOf = (id) => id) {
  const subject = event.deviceId ?? event.endpoint?.id ?? event.endpointId ?? "The service";
  if (event.region) return `${subject} ${eventVerb(event.type)} ${event.region.name ?? nameOf(event.region.id)}`;
  if (event.visit?.regions?.length) {
    const names = event.visit.regions.map(nameOf).join(", ");
    return `${subject} ${event.type === "visit.arrived" ? "arrived at" : "departed from"} ${names}`;
  }
  return `${subject} ${eventVerb(event.type)}`;
}
