// What the service's names are called on the page.

/** Every type of event, with its word and its mark (a shape, so that colour is never alone). */
const types = {
  "region.entered": ["entered", "in"],
  "region.exited": ["left", "out"],
  "region.dwelled": ["dwelled in", "dwell"],
  "visit.arrived": ["arrived at a place", "arrive"],
  "visit.departed": ["departed from a place", "depart"],
  "device.stale": ["went silent", "stale"],
  "device.recovered": ["is heard again", "recover"],
  "app.relaunched": ["had an app started", "launch"],
  "endpoint.disabled": ["was disabled", "alarm"],
  "delivery.exhausted": ["could not be delivered", "alarm"],
  "webhook.test": ["was tested", "test"],
};

export const eventTypes = Object.keys(types);

export const verb = (type) => types[type]?.[0] ?? type;

export const markOf = (type) => types[type]?.[1] ?? "test";

/** One sentence about an event, for lists and screen readers. */
export function sentence(event, nameOf = (id) => id) {
  const subject = event.deviceId ?? event.endpoint?.id ?? event.endpointId ?? "The service";
  if (event.region) return `${subject} ${verb(event.type)} ${event.region.name ?? nameOf(event.region.id)}`;
  if (event.visit?.regions?.length) {
    const names = event.visit.regions.map(nameOf).join(", ");
    return `${subject} ${event.type === "visit.arrived" ? "arrived at" : "departed from"} ${names}`;
  }
  return `${subject} ${verb(event.type)}`;
}

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** Metres for people. */
export function meters(value) {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} km`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)} km`;
  return value >= 10 ? `${value.toFixed(0)} m` : `${value.toFixed(1)} m`;
}

/** Metres a second for people, in both units that they think in. */
export const speed = (value) => `${(value * 3.6).toFixed(value < 3 ? 1 : 0)} km/h`;

const winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

/** Degrees from north as a wind and a number: `SW 224°`. */
export const heading = (degrees) => `${winds[Math.round(degrees / 45) % 8]} ${degrees.toFixed(0)}°`;
