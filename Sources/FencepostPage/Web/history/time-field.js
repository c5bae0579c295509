// Times in fields of the browser, which are local and to the minute.

import { localDate } from "../core/time.js";

const two = (number) => String(number).padStart(2, "0");

/** A time as the value of a `datetime-local` field: 2026-03-01T08:30. */
export function fieldTime(time) {
  const date = new Date(time);
  return `${localDate(time)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The time of such a value, in milliseconds; NaN without one. */
export const timeInField = (value) => new Date(value).getTime();
