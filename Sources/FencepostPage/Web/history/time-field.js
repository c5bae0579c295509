// Times in fields of the browser, which are local to the page's zone and to the minute.

import { localDate } from "../core/time.js";
import { partsOf, timeOfText } from "../core/zone.js";

const two = (number) => String(number).padStart(2, "0");

/** A time as the value of a `datetime-local` field: 2026-03-01T08:30. */
export function fieldTime(time) {
  const { hour, minute } = partsOf(time);
  return `${localDate(time)}T${two(hour)}:${two(minute)}`;
}

/** The time of such a value, in milliseconds; NaN without one. */
export const timeInField = timeOfText;
