// The properties of a region: their meaning, and their format in the form.

import { localDate } from "../core/time.js";
import { fieldLength, isImperial, lengthUnit, metersOf } from "../core/units.js";
import { partsOf, timeOfText } from "../core/zone.js";
import { text } from "../text/text.js";

const texts = text.regions.fields;

/** Seconds of each unit of a dwell time in words. */
const units = {
  s: 1, sec: 1, second: 1, seconds: 1, min: 60, minute: 60, minutes: 60, h: 3600, hour: 3600, hours: 3600,
  d: 86_400, day: 86_400, days: 86_400,
};

/** A dwell time: a number is in seconds, `1 h 30 min` becomes seconds, an ISO 8601 duration stays as it is. */
function dwellTime(entered) {
  if (/^\d+(\.\d+)?$/.test(entered)) return Number(entered);
  if (/^p/i.test(entered)) return entered.toUpperCase();
  const parts = [...entered.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\.?\s*/g)];
  const isComplete = parts.length > 0 && parts.map(([part]) => part).join("") === entered.toLowerCase();
  if (!isComplete || !parts.every(([, , unit]) => Object.hasOwn(units, unit))) {
    throw new Error(text.regions.form.notDuration(entered));
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit], 0);
}

/** Durations separated by commas. */
const dwell = {
  write: (value) => (Array.isArray(value) ? value : [value]).join(", "),
  read: (entered) => {
    const items = entered.split(",").map((item) => item.trim()).filter(Boolean)
      .map(dwellTime);
    return items.length > 1 ? items : items[0];
  },
};

const list = {
  write: (value) => (Array.isArray(value) ? value : [value]).join(", "),
  read: (entered) => {
    const items = entered.split(",").map((item) => item.trim()).filter(Boolean);
    return items.length ? items : undefined;
  },
};

/** A length, which the property has in metres. */
const length = {
  write: (value) => String(fieldLength(Number(value))),
  read: (entered) => (entered.trim() === "" ? undefined : metersOf(Number(entered))),
};

/** A speed: a property that is a number is in km/h, a text has its unit. */
const speed = {
  write: (value) => (isImperial() && typeof value === "number" ? `${value} km/h` : String(value)),
  read: (entered) => {
    if (!/^[\d.]+$/.test(entered.trim())) return entered.trim() || undefined;
    return isImperial() ? `${entered.trim()} mph` : Number(entered);
  },
};

const plain = { write: String, read: (entered) => entered || undefined };

const two = (value) => String(value).padStart(2, "0");

/** The local time of a date field, to the second. */
const localTime = {
  write: (value) => {
    const date = new Date(typeof value === "number" ? value * 1000 : value);
    if (Number.isNaN(date.getTime())) return "";
    const { hour, minute, second } = partsOf(date);
    return `${localDate(date)}T${two(hour)}:${two(minute)}:${two(second)}`;
  },
  read: (entered) => (entered ? new Date(timeOfText(entered)).toISOString() : undefined),
};

const json = {
  write: (value) => JSON.stringify(value, null, 1),
  read: (entered) => (entered.trim() ? JSON.parse(entered) : undefined),
};

/** The name, which is above all others. */
export const nameProperty = { name: "name", kind: "text", ...plain, ...texts.name };

/**
 * The other properties that the service evaluates, in groups.
 *
 * `kind`: `text`, `number`, `switch` (with its default value as `standard`), `choice`, `time`, `json`, `schedule`.
 * `write` and `read` convert a value to text and back; `read` returns `undefined` for an empty field.
 */
export const propertyGroups = [
  {
    title: text.regions.groups.tags,
    isOpen: true,
    fields: [
      { name: "tags", kind: "text", ...list, ...texts.tags },
    ],
  },
  {
    title: text.regions.groups.events,
    isOpen: true,
    fields: [
      { name: "notifyOnEntry", kind: "switch", standard: true, ...texts.notifyOnEntry },
      { name: "notifyOnExit", kind: "switch", standard: true, ...texts.notifyOnExit },
      { name: "dwell", kind: "text", ...dwell, placeholder: "10 min, 1 h", ...texts.dwell },
      { name: "initialState", kind: "choice", label: texts.initialState.label,
        choices: [["", texts.initialState.reportEntry], ["silent", texts.initialState.reportNothing]] },
    ],
  },
  {
    title: text.regions.groups.detectionAndSchedule,
    fields: [
      { name: "crossing", kind: "choice", label: texts.crossing.label,
        choices: [["", texts.crossing.serviceDefault], ["confirmed", texts.crossing.confirmed],
          ["raw", texts.crossing.raw], ["coreLocation", texts.crossing.coreLocation]] },
      { name: "schedule", kind: "schedule", label: texts.schedule.label, help: texts.schedule.help },
      { name: "speedLimit", kind: "text", ...speed, label: texts.speedLimit.label,
        placeholder: isImperial()
          ? texts.speedLimit.placeholder("30", "50 km/h") : texts.speedLimit.placeholder("50", "30 mph"),
        help: texts.speedLimit.help(isImperial() ? "mph" : "km/h") },
      { name: "expires", kind: "time", ...localTime, ...texts.expires },
    ],
  },
  {
    title: text.regions.groups.devicesAndAltitude,
    fields: [
      { name: "devices", kind: "text", ...list, placeholder: "jane/*, van-?", ...texts.devices },
      { name: "minAltitude", kind: "number", ...length, label: texts.minAltitude.label(lengthUnit()),
        help: texts.minAltitude.help },
      { name: "maxAltitude", kind: "number", ...length, label: texts.maxAltitude.label(lengthUnit()) },
    ],
  },
  {
    title: text.regions.groups.metadata,
    fields: [
      { name: "metadata", kind: "json", ...json, placeholder: "{\"building\": 7}", ...texts.metadata },
    ],
  },
];

/** The names of all properties with a field. Other properties stay unchanged. */
export const knownProperties = new Set([nameProperty.name,
  ...propertyGroups.flatMap(({ fields }) => fields.map(({ name }) => name))]);
