// A history as a person describes it: stays, the ways between them, and the time for which nothing is known. It is put
// together from `/v1/timeline` and `/v1/trips`, as reports are.

import { boundingBox } from "../core/geo.js";
import { localDate, localDayBounds } from "../core/time.js";

/** Milliseconds: a stay in a region without a visit is listed from this length, and a rest that nothing explains. */
const [shortestStay, shortestRest] = [60_000, 300_000];

/**
 * A stay, a leg of a trip, time without data, or a rest: time with positions that are neither a stay nor a trip. Times
 * are in milliseconds.
 * @typedef {object} Part
 * @property {"stay" | "leg" | "unknown" | "rest"} kind
 * @property {string} key its place in the history, which stays when the history is read again.
 * @property {number} from
 * @property {number} to
 * @property {boolean} beginsBefore whether it began before `from`, or nobody knows when.
 * @property {boolean} endsAfter whether it went on after `to`, or nobody knows.
 * @property {boolean} [isLastHeard] whether a stay ends with the last position, because nobody knows of a departure.
 * @property {number} [number] of a visit, as its pin on the map has it.
 * @property {any} [visit]
 * @property {string[]} [regions]
 * @property {string | null} [address]
 * @property {boolean} [isCorrected] whether the user has corrected the stay.
 * @property {string | null} [name] of the place, as the user or an imported file has it.
 * @property {string} [mode] of a leg.
 * @property {number} [modeConfidence]
 * @property {number} [distance] metres of the part of the leg between `from` and `to`.
 * @property {number[][]} [line]
 * @property {boolean} [isWithin] whether unknown time is inside a leg.
 */

/**
 * The parts of a history in order, cut at midnight.
 * @param {import("./day.js").Day} day
 * @returns {Part[]}
 */
export function partsOf(day) {
  const stays = day.visits.map(({ visit, from, to, beginsBefore, endsAfter, address, name, isCorrected }, index) => ({
    kind: /** @type {const} */ ("stay"), from, to, visit, address, name, isCorrected, number: index + 1,
    regions: visit.regions ?? [], beginsBefore: beginsBefore || visit.arrival === null,
    ...endOf(to, endsAfter, visit.departure === null, day),
  }));
  const legs = day.legs.filter((leg) => leg.to > day.from && leg.from < day.until);
  const unknown = day.unknown.map((span) => ({
    kind: /** @type {const} */ ("unknown"), from: span.from, to: Math.min(span.to, day.until),
    beginsBefore: false, endsAfter: false, isWithin: legs.some((leg) => isInside(middle(span), leg)),
  }));
  const known = [...stays, ...legs, ...unknown];
  const parts = [...known, ...gapsOf(known, day).flatMap((gap) => restOf(gap, day))]
    .flatMap((part) => cut(part, day.from, day.until))
    .flatMap(cutAtMidnight);
  // Unknown time within a leg comes after it.
  const order = { stay: 0, leg: 0, rest: 0, unknown: 1 };
  parts.sort((a, b) => a.from - b.from || order[a.kind] - order[b.kind]);
  return parts.map((part) => ({ ...part, key: `${part.kind}-${Math.round((part.from - day.from) / 60_000)}` }));
}

/** Whether a stay goes on, or ended with the last position: a stay without a departure lasts to the last position. */
const endOf = (to, endsAfter, isOpen, day) => ({
  endsAfter: endsAfter || (isOpen && to >= day.until - shortestStay),
  isLastHeard: isOpen && !endsAfter && to < day.until - shortestStay,
});

const middle = ({ from, to }) => (from + to) / 2;
const isInside = (time, { from, to }) => from <= time && time <= to;

/** The times between the first and the last moment that no part covers. */
function gapsOf(parts, day) {
  const gaps = [];
  let end = day.from;
  for (const { from, to } of [...parts].sort((a, b) => a.from - b.from)) {
    if (from > end) gaps.push({ from: end, to: from });
    end = Math.max(end, to);
  }
  if (end < day.until) gaps.push({ from: end, to: day.until });
  return gaps;
}

/** What happened in a time without visit, trip and unknown time: the longest stay in a region, and rests around it. */
function restOf(gap, day) {
  const overlap = (stay) => Math.min(stay.to, gap.to) - Math.max(stay.from, gap.from);
  const [longest] = day.stays.filter((stay) => overlap(stay) >= shortestStay).sort((a, b) => overlap(b) - overlap(a));
  if (!longest) {
    return gap.to - gap.from < shortestRest ? []
      : [{ kind: "rest", ...gap, beginsBefore: false, endsAfter: false }];
  }
  const [from, to] = [Math.max(gap.from, longest.from), Math.min(gap.to, longest.to)];
  const stay = {
    kind: "stay", from, to, regions: day.stays.filter((other) => other.from <= from && other.to >= to)
      .map(({ region }) => region), address: null,
    beginsBefore: longest.from < from || longest.beginsBefore,
    ...endOf(to, longest.to > to || longest.endsAfter, longest.isOpen, day),
  };
  return [...restOf({ from: gap.from, to: from }, day), stay, ...restOf({ from: to, to: gap.to }, day)];
}

/** The part of a part between two times; its distance is divided by time, as summaries do. */
function cut(part, from, to) {
  const [start, end] = [Math.max(part.from, from), Math.min(part.to, to)];
  if (start >= end) return [];
  const share = (end - start) / (part.to - part.from);
  return [{
    ...part, from: start, to: end, ...(part.kind === "leg" && { distance: part.distance * share }),
    beginsBefore: part.beginsBefore || start > part.from, endsAfter: part.endsAfter || end < part.to,
    ...(part.isLastHeard && { isLastHeard: end === part.to }),
  }];
}

function cutAtMidnight(part) {
  const pieces = [];
  for (let time = part.from; time < part.to;) {
    const [, next] = localDayBounds(localDate(time));
    pieces.push(...cut(part, time, next));
    time = next;
  }
  return pieces;
}

/** The parts of each local day, by its date. */
export function daysOf(parts) {
  /** @type {Map<string, Part[]>} */
  const days = new Map();
  for (const part of parts) {
    const date = localDate(part.from);
    if (!days.has(date)) days.set(date, []);
    days.get(date).push(part);
  }
  return days;
}

/**
 * What a day adds up to: the number of stays and the seconds of each kind, and the metres by mode. Unknown time within
 * a leg counts as unknown.
 * @param {Part[]} parts
 */
export function totalsOf(parts) {
  const totals = {
    stays: 0, stayed: 0, moved: 0, unknown: 0, distance: 0, modes: /** @type {Map<string, number>} */ (new Map()),
  };
  for (const part of parts) {
    const seconds = (part.to - part.from) / 1000;
    switch (part.kind) {
      case "stay":
        totals.stays += 1;
        totals.stayed += seconds;
        break;
      case "leg":
        totals.moved += seconds;
        totals.distance += part.distance;
        totals.modes.set(part.mode, (totals.modes.get(part.mode) ?? 0) + part.distance);
        break;
      case "unknown":
        totals.unknown += seconds;
        if (part.isWithin) totals.moved -= seconds;
        break;
    }
  }
  return totals;
}

/**
 * The ids of regions, the smallest first: somebody in a café is at the café, and not in the old town around it.
 * @param {string[]} ids
 * @param {{get: (id: string) => any}} regions
 */
export function smallestFirst(ids, regions) {
  const size = (id) => {
    const feature = regions.get(id);
    if (!feature) return Infinity;
    const [west, south, east, north] = boundingBox(feature);
    return (east - west) * (north - south);
  };
  const sizes = new Map(ids.map((id) => [id, size(id)]));
  return [...ids].sort((a, b) => sizes.get(a) - sizes.get(b));
}
