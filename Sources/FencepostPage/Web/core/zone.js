// The time zone of the page: that of the user, or of the service, or of the browser. `Date` knows the browser's alone.

import { locale } from "../text/choice.js";

const hour = 3_600_000;
const dayLength = 24 * hour;

/** The IANA name of the browser's time zone, such as Europe/Lisbon. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

/** The IANA name of the zone that the page shows. */
export let timeZone = browserZone;
/** The formats of times, which are made again for another zone. */
const formats = new Set();
/** Offsets from UTC in milliseconds, by quarters of an hour: no zone changes its clocks within one. */
const offsets = new Map();
const quarter = hour / 4;
const mostOffsets = 20_000;

/** The name that the browser gives a zone: some have two. Null for one that it does not know. */
export function canonicalZone(name) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Whether the page shows the browser's own zone. */
export const isBrowserZone = () => canonicalZone(timeZone) === canonicalZone(browserZone);

/** Shows a zone from now on; that of the browser instead of one which it does not know. */
export function showTimeZone(name) {
  timeZone = canonicalZone(name) === null ? browserZone : name;
  offsets.clear();
  for (const format of formats) format.clear();
}

/** A function that writes a time in the zone of the page. @param {Intl.DateTimeFormatOptions} options */
export function zonedFormat(options) {
  let format = null;
  formats.add({ clear: () => {
    format = null;
  } });
  return (time) => {
    format ??= new Intl.DateTimeFormat(locale, { ...options, timeZone });
    return format.format(new Date(time));
  };
}

let clock = null;
formats.add({ clear: () => {
  clock = null;
} });

/** How far the zone's clocks are before UTC, in milliseconds. */
function offsetAt(time) {
  const key = Math.floor(time / quarter);
  const known = offsets.get(key);
  if (known !== undefined) return known;
  clock ??= new Intl.DateTimeFormat("en-US", {
    timeZone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23", era: "short",
    year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
  });
  const start = key * quarter;
  const parts = Object.fromEntries(clock.formatToParts(start).map(({ type, value }) => [type, value]));
  const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
  const offset = utc(year, Number(parts.month), Number(parts.day), Number(parts.hour), Number(parts.minute),
    Number(parts.second)) - start;
  if (offsets.size >= mostOffsets) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** A time of UTC; `Date.UTC` takes years below 100 for those of the last century. */
function utc(year, month, day, hours, minutes, seconds) {
  return new Date(0).setUTCFullYear(year, month - 1, day) + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** What the zone's calendar and clocks show at a time; `weekday` is 0 on Sunday. NaN for no time. */
export function partsOf(time) {
  const moment = new Date(time).getTime();
  const local = new Date(Number.isNaN(moment) ? NaN : moment + offsetAt(moment));
  return {
    year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate(), weekday: local.getUTCDay(),
    hour: local.getUTCHours(), minute: local.getUTCMinutes(), second: local.getUTCSeconds(),
  };
}

/**
 * The time at which the zone's clocks show a date and a time of day, in milliseconds; NaN for none. Days, hours and
 * minutes may be beyond their ends. Of a repeated hour it is the first; a skipped one counts on from before it, as in
 * `Date`.
 */
export function timeOf(year, month, day, hours = 0, minutes = 0, seconds = 0) {
  const local = utc(year, month, day, hours, minutes, seconds);
  if (Number.isNaN(local)) return NaN;
  const [before, after] = [offsetAt(local - dayLength), offsetAt(local + dayLength)];
  const found = [local - before, local - after].filter((time) => time + offsetAt(time) === local);
  return found.length ? Math.min(...found) : local - before;
}

/** The start of the day that a time is in, in milliseconds. */
export function startOfDay(time) {
  const { year, month, day } = partsOf(time);
  return timeOf(year, month, day);
}

/** The time of a local date and time such as `2026-03-01T08:30`, in milliseconds; NaN for another text. */
export function timeOfText(text) {
  const parts = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?$/.exec(text);
  return parts ? timeOf(...parts.slice(1).map((part) => Number(part ?? 0))) : NaN;
}
