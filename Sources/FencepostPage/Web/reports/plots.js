import { element } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { formatDuration, formatHourMinute, localDate } from "../core/time.js";
import { timeOf, zonedFormat } from "../core/zone.js";
import { text } from "../text/text.js";

const texts = text.reports;

const weekday = zonedFormat({ weekday: "short" });
const weekdayAndDay = zonedFormat({ weekday: "short", day: "numeric" });

/**
 * A week as seven lanes, with stays in regions as bars and unknown time hatched.
 * @param {number[]} days the eight beginnings around the days.
 */
export function weekLanes(timeline, days, nameOf) {
  const bars = (parts, from, to, make) => parts.flatMap((part) => {
    const [start, end] = [Math.max(from, Date.parse(part.from)), Math.min(to, Date.parse(part.to))];
    if (start >= end) return [];
    const share = (span) => `${(100 * span) / (to - from)}%`;
    const style = { left: share(start - from), width: share(end - start) };
    return [make(part, style, texts.lanes.span(formatHourMinute(start), formatHourMinute(end)))];
  });
  return element("div.week-lanes", {}, days.slice(0, 7).map((from, index) => [
    element("span.week-day", {}, weekdayAndDay(from)),
    element("div.strip.week-strip", {},
      bars(timeline.unknown, from, days[index + 1], (_, style, span) =>
        element("div.unknown", { style, title: texts.lanes.unknown(span) })),
      bars(timeline.stays, from, days[index + 1], (stay, style, span) =>
        element("div.lane-bar.tint-green", { style, title: texts.lanes.stay(nameOf(stay.regionId), span) },
          element("span", {}, nameOf(stay.regionId))))),
  ]));
}

/** Hours of the day by weekday; the darker, the more time in regions. */
export function heatMap(hours) {
  const most = Math.max(1, ...hours);
  // The first of January of 2024 is a Monday.
  const name = (day) => weekday(timeOf(2024, 1, 1 + day));
  const total = hours.reduce((sum, one) => sum + one, 0);
  return element("div.heat-map", { role: "img", "aria-label": texts.hours.label(formatDuration(total)) },
    Array.from({ length: 7 }, (_, day) => [
      element("span.week-day", {}, name(day)),
      Array.from({ length: 24 }, (_hour, hour) => {
        const seconds = hours[day * 24 + hour];
        return element("i", {
          style: { "--share": String(seconds / most) },
          title: texts.hours.hour(name(day), `${hour}:00`, formatDuration(seconds)),
        });
      }),
    ]),
    element("span"), [0, 6, 12, 18].map((hour) => element("span.heat-hour", {}, `${hour}:00`)));
}

/** A bar for the distance of each day. */
export function distanceBars(rows, days) {
  const byDate = new Map(rows.map((row) => [row.date, row]));
  const values = days.slice(0, 7).map((day) => byDate.get(localDate(day))?.distance ?? 0);
  const most = Math.max(1, ...values);
  return element("ol.distance-bars", {}, values.map((meters, index) => element("li", {},
    element("span.distance-value", {}, meters ? formatDistance(meters) : "–"),
    element("div.distance-bar", { style: { height: `${Math.round((4 * 16 * meters) / most)}px` } }),
    element("span.week-day", {}, weekday(days[index])))));
}
