// Times as text, in the time zone of the page and the browser's language.

import { text } from "../text/text.js";
import { browserZone, isBrowserZone, partsOf, startOfDay, timeOf, timeZone, zonedFormat } from "./zone.js";

const clock = zonedFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const shortClock = zonedFormat({ hour: "2-digit", minute: "2-digit" });
const day = zonedFormat({ weekday: "short", day: "numeric", month: "short" });
const weekday = zonedFormat({ weekday: "long", day: "numeric", month: "long" });
const dateTime = zonedFormat({
  weekday: "short", day: "numeric", month: "short", year: "numeric",
  hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});

/** The name of the page's zone, with that of the browser where it is another one. */
export const zoneLabel = () => (isBrowserZone() ? timeZone : text.common.time.otherZone(timeZone, browserZone));

/** `14:03:12` for a time of today, `Sun 1 Mar 14:03` for other days. */
export function formatTime(time, now = Date.now()) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return text.common.time.unknown;
  return startOfDay(date) === startOfDay(now) ? clock(date) : `${day(date)} ${shortClock(date)}`;
}

/** Date, time to the second, and time zone. */
export const formatDateTime = (time) => dateTime(time);

/** The time of day to the minute: `14:03`. */
export const formatHourMinute = (time) => shortClock(time);

/** `Fri 6 March`. */
export const formatWeekday = (time) => weekday(time);

/** Two moments between which something happened: `13:00 and 13:40`; on two days, `Thu 5 Mar 13:00 and today 09:15`. */
export function formatBetween(earliest, latest, now = Date.now()) {
  const moments = [earliest, latest].map((time) => new Date(time));
  const isOneDay = startOfDay(moments[0]) === startOfDay(moments[1]);
  const [first, last] = moments.map((date) => {
    if (isOneDay) return shortClock(date);
    const name = startOfDay(date) === startOfDay(now) ? text.common.time.today : day(date);
    return `${name} ${shortClock(date)}`;
  });
  return text.common.time.between(first, last);
}

/** A duration in seconds as its two largest units: `3 h 12 min`. */
export function formatDuration(seconds) {
  const total = Math.max(0, Math.round(seconds));
  const { time } = text.common;
  if (total < 60) return time.seconds(total);
  if (total < 600 && total % 60) return time.minutesAndSeconds(Math.floor(total / 60), total % 60);
  if (total < 3600) return time.minutes(Math.floor(total / 60));
  if (total < 86_400) return time.hoursAndMinutes(Math.floor(total / 3600), Math.floor((total % 3600) / 60));
  return time.daysAndHours(Math.floor(total / 86_400), Math.floor((total % 86_400) / 3600));
}

/** The time since a moment: `just now`, `4 min ago`; `in 4 min` for a time in the future. */
export function formatAge(time, now = Date.now()) {
  const seconds = (now - new Date(time).getTime()) / 1000;
  if (seconds < -2) return text.common.time.future(formatDuration(-seconds));
  return seconds < 2 ? text.common.time.justNow : text.common.time.past(formatDuration(seconds));
}

/** The time since a moment in its largest unit: `2 min ago`, `3 h ago`. */
export function formatShortAge(time, now = Date.now()) {
  const seconds = (now - new Date(time).getTime()) / 1000;
  if (seconds < 60) return formatAge(time, now);
  const { minutes, hours, days, past } = text.common.time;
  if (seconds < 3600) return past(minutes(Math.floor(seconds / 60)));
  return past(seconds < 86_400 ? hours(Math.floor(seconds / 3600)) : days(Math.floor(seconds / 86_400)));
}

/** The local date of a time in the format of a date field: 2026-03-01. */
export function localDate(time) {
  const { year, month, day: date } = partsOf(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${year}-${two(month)}-${two(date)}`;
}

/** The start of a local day and of the next one, in milliseconds. A day with a clock change has 23 or 25 hours. */
export function localDayBounds(dayText) {
  const [year, month, date] = dayText.split("-").map(Number);
  return [timeOf(year, month, date), timeOf(year, month, date + 1)];
}
