import { getAll } from "../core/api.js";
import { wrapLongitude } from "../core/geo.js";

/** The most that the page loads of each; a phone that reports every second sends 86,400 fixes per day. */
const maximumFixes = 90_000;
const maximumEvents = 5000;
/** Entries up to this time before the day are read, because their stay may continue. Milliseconds. */
const crossingLookback = 30 * 86_400_000;
/** The longest time between two fixes that are joined by a solid line, in milliseconds. */
export const maximumGap = 10 * 60_000;

const iso = (time) => new Date(time).toISOString();

/**
 * Loads a device's history between two times in milliseconds.
 * @returns {Promise<Day>}
 */
export async function readDay(device, from, to, { signal, now = Date.now() } = {}) {
  const query = { deviceId: device, from: iso(from), to: iso(to) };
  const crossings = {
    deviceId: device, type: "region.entered,region.exited", from: iso(from - crossingLookback), to: iso(from),
  };
  const [fixes, events, visits, before] = await Promise.all([
    getAll("/v1/locations", query, { limit: maximumFixes, signal }),
    getAll("/v1/events", { ...query, explain: true }, { limit: maximumEvents, signal }),
    getAll("/v1/visits", query, { limit: maximumEvents, signal }),
    getAll("/v1/events", crossings, { limit: 10 * maximumEvents, signal }),
  ]);
  return new Day(device, from, Math.min(to, Math.max(now, from + 60_000)), to, { fixes, events, visits, before });
}

/** The fixes, stays in regions, visits and events of one device between two midnights. Times are in milliseconds. */
class Day {
  constructor(device, from, until, to, { fixes, events, visits, before }) {
    this.device = device;
    this.from = from;
    /** The end of the period, or now if that is earlier. */
    this.until = until;
    this.to = to;
    this.fixes = fixes.map((fix) => ({ ...fix, time: Date.parse(fix.timestamp) })).sort((a, b) => a.time - b.time);
    this.events = events.map((event) => ({ ...event, time: Date.parse(event.timestamp) }))
      .sort((a, b) => a.time - b.time || (a.sequence ?? 0) - (b.sequence ?? 0));
    this.visits = visits.map((visit) => ({
      visit,
      /** The arrival; if unknown, the latest possible arrival. */
      from: visit.arrival ?? visit.arrivalLatest ? Date.parse(visit.arrival ?? visit.arrivalLatest) : null,
      isOpen: visit.arrival === null,
      to: visit.departure ? Date.parse(visit.departure) : null,
    }));
    this.stays = staysOf(before, this.events);
    this.isComplete = fixes.length < maximumFixes && events.length < maximumEvents;
  }

  get isEmpty() {
    return !this.fixes.length && !this.events.length && !this.visits.length && !this.stays.length;
  }

  /** The index of the last fix at or before a time; -1 before the first fix. */
  lastFixIndexAt(time) {
    let [low, high] = [0, this.fixes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.fixes[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /**
   * The position at a time: interpolated between two fixes up to `maximumGap` apart, otherwise the last fix.
   * @param {boolean} [isSmooth] whether to interpolate.
   */
  positionAt(time, isSmooth = true) {
    const index = this.lastFixIndexAt(time);
    if (index < 0) return null;
    const [last, next] = [this.fixes[index], this.fixes[index + 1]];
    if (!isSmooth || !next || next.time - last.time > maximumGap || next.time === last.time) {
      return { ...last, age: time - last.time };
    }
    const part = (time - last.time) / (next.time - last.time);
    let deltaLongitude = next.longitude - last.longitude;
    if (deltaLongitude > 180) deltaLongitude -= 360;
    if (deltaLongitude < -180) deltaLongitude += 360;
    return {
      ...last,
      latitude: last.latitude + part * (next.latitude - last.latitude),
      longitude: wrapLongitude(last.longitude + part * deltaLongitude),
      age: time - last.time,
    };
  }

  /** The ids of the regions that the device was inside at a time. */
  regionsAt(time) {
    return this.stays.filter((stay) => (stay.from ?? -Infinity) <= time && time < (stay.to ?? Infinity))
      .map((stay) => stay.region);
  }
}

/** Stays from entries and exits. `from` is null if a stay began before the period, `to` if it did not end in it. */
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
