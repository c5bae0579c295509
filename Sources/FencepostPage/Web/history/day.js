import { all } from "../core/api.js";
import { wrapped } from "../core/geo.js";

/** A day holds no more than this of each; a phone that reports every second makes 86 400 fixes. */
const mostFixes = 90_000;
const mostEvents = 5000;
/** How far back an entry is looked for that is still without its exit, in milliseconds. */
const lookBack = 30 * 86_400_000;
/** Between fixes that are further apart than this nobody knows the way, in milliseconds. */
export const longestStep = 10 * 60_000;

const iso = (time) => new Date(time).toISOString();

/**
 * A device's day as the service has it.
 * @returns {Promise<Day>}
 */
export async function readDay(device, from, to, { signal, now = Date.now() } = {}) {
  const query = { deviceId: device, from: iso(from), to: iso(to) };
  const crossings = {
    deviceId: device, type: "region.entered,region.exited", from: iso(from - lookBack), to: iso(from),
  };
  const [fixes, events, visits, before] = await Promise.all([
    all("/v1/locations", query, { limit: mostFixes, signal }),
    all("/v1/events", { ...query, explain: true }, { limit: mostEvents, signal }),
    all("/v1/visits", query, { limit: mostEvents, signal }),
    all("/v1/events", crossings, { limit: 10 * mostEvents, signal }),
  ]);
  return new Day(device, from, Math.min(to, Math.max(now, from + 60_000)), to, { fixes, events, visits, before });
}

/** Fixes, stays in regions, visits and events of one device from one midnight to the next, in milliseconds. */
export class Day {
  constructor(device, from, until, to, { fixes, events, visits, before }) {
    this.device = device;
    this.from = from;
    /** The end of the day, or now while the day goes on. */
    this.until = until;
    this.to = to;
    this.fixes = fixes.map((fix) => ({ ...fix, time: Date.parse(fix.timestamp) })).sort((a, b) => a.time - b.time);
    this.events = events.map((event) => ({ ...event, time: Date.parse(event.timestamp) }))
      .sort((a, b) => a.time - b.time || (a.sequence ?? 0) - (b.sequence ?? 0));
    this.visits = visits.map((visit) => ({
      visit,
      /** Where nobody saw it arrive: when it was first seen there. */
      from: visit.arrival ?? visit.arrivalLatest ? Date.parse(visit.arrival ?? visit.arrivalLatest) : null,
      isOpen: visit.arrival === null,
      to: visit.departure ? Date.parse(visit.departure) : null,
    }));
    this.stays = staysOf(before, this.events);
    this.isWhole = fixes.length < mostFixes && events.length < mostEvents;
  }

  get isEmpty() {
    return !this.fixes.length && !this.events.length && !this.visits.length && !this.stays.length;
  }

  /** The place in `fixes` of the last one at or before a moment; -1 before the first. */
  fixBefore(time) {
    let [low, high] = [0, this.fixes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.fixes[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Where the device was: on the straight way between two fixes that are near in time, else where it was last seen. */
  positionAt(time, isSmooth = true) {
    const place = this.fixBefore(time);
    if (place < 0) return null;
    const [last, next] = [this.fixes[place], this.fixes[place + 1]];
    if (!isSmooth || !next || next.time - last.time > longestStep || next.time === last.time) {
      return { ...last, age: time - last.time };
    }
    const part = (time - last.time) / (next.time - last.time);
    let turn = next.longitude - last.longitude;
    if (turn > 180) turn -= 360;
    if (turn < -180) turn += 360;
    return {
      ...last,
      latitude: last.latitude + part * (next.latitude - last.latitude),
      longitude: wrapped(last.longitude + part * turn),
      age: time - last.time,
    };
  }

  /** Ids of the regions that it was inside at a moment. */
  regionsAt(time) {
    return this.stays.filter((stay) => (stay.from ?? -Infinity) <= time && time < (stay.to ?? Infinity))
      .map((stay) => stay.region);
  }
}

/** Stays from entries and exits: `from` is null when it began before the day, `to` when it did not end in it. */
function staysOf(before, events) {
  const open = new Map();
  for (const event of before) {
    if (event.type === "region.entered") open.set(event.region.id, { region: event.region.id, from: null, to: null });
    else open.delete(event.region.id);
  }
  const stays = [...open.values()];
  for (const event of events) {
    const id = event.region?.id;
    if (event.type === "region.entered") {
      const stay = { region: id, from: event.time, to: null };
      open.set(id, stay);
      stays.push(stay);
    } else if (event.type === "region.exited") {
      const stay = open.get(id);
      if (stay) stay.to = event.time;
      else stays.push({ region: id, from: null, to: event.time });
      open.delete(id);
    }
  }
  return stays;
}
