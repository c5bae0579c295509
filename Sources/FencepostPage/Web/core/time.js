// Moments in the zone of whoever looks, with the zone named.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const shortClock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });
const whole = new Intl.DateTimeFormat(undefined, {
  weekday: "short", day: "numeric", month: "short", year: "numeric",
  hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});

/** The zone's name, such as Europe/Lisbon. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

const startOfDay = (moment) => new Date(moment).setHours(0, 0, 0, 0);

/** `14:03:12` today, with the day before it on other days. */
export function moment(time, now = Date.now()) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "unknown";
  return startOfDay(date) === startOfDay(now) ? clock.format(date) : `${day.format(date)} ${shortClock.format(date)}`;
}

/** Day, time to the second, and zone. */
export const wholeMoment = (time) => whole.format(new Date(time));

/** The time of the day alone, to the minute. */
export const minute = (time) => shortClock.format(new Date(time));

/** A span in its two largest units: `3 h 12 min`. */
export function span(seconds) {
  const total = Math.max(0, Math.round(seconds));
  if (total < 60) return `${total} s`;
  if (total < 3600) return `${Math.floor(total / 60)} min${total < 600 && total % 60 ? ` ${total % 60} s` : ""}`;
  if (total < 86_400) return `${Math.floor(total / 3600)} h ${Math.floor((total % 3600) / 60)} min`;
  return `${Math.floor(total / 86_400)} d ${Math.floor((total % 86_400) / 3600)} h`;
}

/** How long ago: `just now`, `4 min ago`. */
export function ago(time, now = Date.now()) {
  const seconds = (now - new Date(time).getTime()) / 1000;
  if (seconds < -2) return `in ${span(-seconds)}`;
  return seconds < 2 ? "just now" : `${span(seconds)} ago`;
}

/** The local day of a moment as a date field takes it: 2026-03-01. */
export function dayOf(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The first moment of a local day and of the next, in milliseconds; days of 23 and 25 hours are as they are. */
export function boundsOf(dayText) {
  const [year, month, date] = dayText.split("-").map(Number);
  return [new Date(year, month - 1, date).getTime(), new Date(year, month - 1, date + 1).getTime()];
}
