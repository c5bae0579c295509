// A plan and its rounds in words.

import { formatTime } from "../core/time.js";
import { text } from "../text/text.js";

const texts = text.plans;
const nextDay = "+1";

/** A time of a plan as an input of times and whether it is on the day after the date of the round. */
export const partsOf = (time) => ({ time: time.replace(nextDay, ""), isNextDay: time.endsWith(nextDay) });

/** The window of a place as the API has it. An end that is not after its start is on the next day. */
export function windowOf(from, to, isNextDay) {
  const [start, end] = isNextDay ? [from + nextDay, to + nextDay] : [from, to > from ? to : to + nextDay];
  return { from: start, to: end };
}

/** A window in words: 22:00 to 00:30. */
export const windowWords = ({ from, to }) => texts.window(partsOf(from).time, partsOf(to).time);

const listOf = (value) => (typeof value === "string" ? [value] : value ?? []);

/** When a plan has rounds: Mon,Tue, or its dates. */
export function datesWords({ days, dates, except }) {
  const all = "Mon,Tue,Wed,Thu,Fri,Sat,Sun";
  const parts = [days === all ? texts.everyDay : days, listOf(dates).join(", ")].filter(Boolean);
  const excepted = listOf(except).length;
  return [parts.join(", "), excepted > 0 && texts.except(excepted)].filter(Boolean).join(", ");
}

/** Whose rounds they are. */
export const walkersWords = ({ devices, groups }, nameOf) => [
  ...listOf(devices).map(nameOf), ...listOf(groups).map(texts.group),
].join(", ");

/** The verdict on a place with its time: late, 22:41. */
export function verdictWords({ state, time, confidence }) {
  const word = texts.states[state];
  if (time) return `${word}, ${formatTime(time)}`;
  return state === "missed" && confidence < 0.9 ? texts.unsure(word, Math.round(confidence * 100)) : word;
}
