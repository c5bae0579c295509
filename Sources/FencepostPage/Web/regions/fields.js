// The properties of a region: their meaning, and their format in the form.

import { fieldLength, isImperial, lengthUnit, metersOf } from "../core/units.js";

/** Seconds of each unit of a dwell time in words. */
const units = {
  s: 1, sec: 1, second: 1, seconds: 1, min: 60, minute: 60, minutes: 60, h: 3600, hour: 3600, hours: 3600,
  d: 86_400, day: 86_400, days: 86_400,
};

/** A dwell time: a number is in seconds, `1 h 30 min` becomes seconds, an ISO 8601 duration stays as it is. */
function dwellTime(text) {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^p/i.test(text)) return text.toUpperCase();
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\.?\s*/g)];
  const isComplete = parts.length > 0 && parts.map(([part]) => part).join("") === text.toLowerCase();
  if (!isComplete || !parts.every(([, , unit]) => Object.hasOwn(units, unit))) {
    throw new Error(`“${text}” is not a duration. Write 10 min, 1 h 30 min, PT10M, or 600 for seconds.`);
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit], 0);
}

/** Durations separated by commas. */
const dwell = {
  write: (value) => (Array.isArray(value) ? value : [value]).join(", "),
  read: (text) => {
    const items = text.split(",").map((item) => item.trim()).filter(Boolean)
      .map(dwellTime);
    return items.length > 1 ? items : items[0];
  },
};

const list = {
  write: (value) => (Array.isArray(value) ? value : [value]).join(", "),
  read: (text) => {
    const items = text.split(",").map((item) => item.trim()).filter(Boolean);
    return items.length ? items : undefined;
  },
};

/** A length, which the property has in metres. */
const length = {
  write: (value) => String(fieldLength(Number(value))),
  read: (text) => (text.trim() === "" ? undefined : metersOf(Number(text))),
};

/** A speed: a property that is a number is in km/h, a text has its unit. */
const speed = {
  write: (value) => (isImperial() && typeof value === "number" ? `${value} km/h` : String(value)),
  read: (text) => {
    if (!/^[\d.]+$/.test(text.trim())) return text.trim() || undefined;
    return isImperial() ? `${text.trim()} mph` : Number(text);
  },
};

const plain = { write: String, read: (text) => text || undefined };

const two = (value) => String(value).padStart(2, "0");

/** The local time of a date field, to the second. */
const localTime = {
  write: (value) => {
    const date = new Date(typeof value === "number" ? value * 1000 : value);
    if (Number.isNaN(date.getTime())) return "";
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
      + `T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  },
  read: (text) => (text ? new Date(text).toISOString() : undefined),
};

const json = {
  write: (value) => JSON.stringify(value, null, 1),
  read: (text) => (text.trim() ? JSON.parse(text) : undefined),
};

/**
 * The properties that the service evaluates, in groups.
 *
 * `kind`: `text`, `number`, `switch` (with its default value as `standard`), `choice`, `time`, `json`, `schedule`.
 * `write` and `read` convert a value to text and back; `read` returns `undefined` for an empty field.
 */
export const propertyGroups = [
  {
    title: "Name and tags",
    isOpen: true,
    fields: [
      { name: "name", label: "Name", kind: "text", ...plain,
        help: "Shown on this page, in events and in webhooks." },
      { name: "tags", label: "Tags", kind: "text", ...list, placeholder: "work, berlin",
        help: "Separated by commas. Events contain them, so that receivers can filter." },
    ],
  },
  {
    title: "Events",
    isOpen: true,
    fields: [
      { name: "notifyOnEntry", label: "Report entries", kind: "switch", standard: true },
      { name: "notifyOnExit", label: "Report exits", kind: "switch", standard: true },
      { name: "dwell", label: "Dwell", kind: "text", ...dwell, placeholder: "10 min, 1 h",
        help: "Reports a device that has been inside for this time: 10 min, 1 h 30 min or PT10M; a number alone is in "
          + "seconds. Several values are possible." },
      { name: "initialState", label: "If the first position of a device is inside", kind: "choice",
        choices: [["", "report an entry"], ["silent", "report nothing"]] },
    ],
  },
  {
    title: "Detection and schedule",
    fields: [
      { name: "crossing", label: "Crossing mode", kind: "choice",
        choices: [["", "default of the service"],
          ["confirmed", "confirmed: weighted by accuracy, stable at the boundary"],
          ["raw", "raw: each position without its accuracy"],
          ["coreLocation", "coreLocation: like an iPhone, with a distance buffer and 20 s"]] },
      { name: "schedule", label: "Schedule", kind: "schedule",
        help: "The region is active at these times. Devices inside enter when it opens and leave when it closes." },
      { name: "speedLimit", label: "Speed limit", kind: "text", ...speed,
        placeholder: isImperial() ? "30 or 50 km/h" : "50 or 30 mph",
        help: `In ${isImperial() ? "mph" : "km/h"}, or with a unit. A device inside that drives faster for 10 s causes `
          + "an alert." },
      { name: "expires", label: "Expires", kind: "time", ...localTime,
        help: "Local time. Devices inside leave with the reason “expired”." },
    ],
  },
  {
    title: "Devices and altitude",
    fields: [
      { name: "devices", label: "Devices", kind: "text", ...list, placeholder: "jane/*, van-?",
        help: "Only devices whose id matches a pattern: * is any text, ? one character. Empty means all devices." },
      { name: "minAltitude", label: `Minimum altitude, ${lengthUnit()}`, kind: "number", ...length,
        help: "Positions below are outside. Positions without an altitude change nothing." },
      { name: "maxAltitude", label: `Maximum altitude, ${lengthUnit()}`, kind: "number", ...length },
    ],
  },
  {
    title: "Metadata",
    fields: [
      { name: "metadata", label: "Metadata", kind: "json", ...json, placeholder: "{\"building\": 7}",
        help: "Any JSON of at most 4096 bytes. Every event of the region contains it." },
    ],
  },
];

/** The names of all properties with a field. Other properties stay unchanged. */
export const knownProperties = new Set(propertyGroups.flatMap(({ fields }) => fields.map(({ name }) => name)));
