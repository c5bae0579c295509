import { get, getAll } from "../core/api.js";
import { geocoder } from "../core/geocoder.js";
import { wrapLongitude } from "../core/geo.js";
import { timeZone } from "../core/zone.js";
import { readStatedStays, statedNameOf } from "./stated-names.js";

/** The most that the page loads of each; a phone that reports every second sends 86,400 fixes per day. */
const maximumFixes = 90_000;
const maximumEvents = 5000;
/** The longest time between two fixes that are joined by a solid line, in milliseconds. */
export const maximumGap = 10 * 60_000;
/** Trips that began so many milliseconds before the period are loaded too: a day and a half. */
const longestTrip = 36 * 3_600_000;

const iso = (time) => new Date(time).toISOString();

/**
 * Loads a device's history between two times in milliseconds.
 * @param {string} device
 * @param {number} from
 * @param {number} to
 * @param {{signal?: AbortSignal, now?: number}} options
 * @returns {Promise<Day>}
 */
export async function readDay(device, from, to, { signal, now = Date.now() } = {}) {
  const query = { deviceId: device, from: iso(from), to: iso(to) };
  const [fixes, events, timeline, trips, stated] = await Promise.all([
    getAll("/v1/locations", query, { limit: maximumFixes, signal }),
    getAll("/v1/events", { ...query, explain: true }, { limit: maximumEvents, signal }),
    get("/v1/timeline", { ...query, ...geocoder.query, timeZone }, { signal }),
    // The service lists trips by their beginning; one may have begun before the period.
    get("/v1/trips", { ...query, from: iso(from - longestTrip) }, { signal }),
    readStatedStays(device, from, to, { signal }),
  ]);
  const end = Math.min(to, Math.max(now, from + 60_000));
  return new Day(device, from, end, to, { fixes, events, timeline, trips: trips.data, stated });
}

/**
 * The fixes, stays in regions, visits, unknown times and events of one device between two midnights. Times are in
 * milliseconds. The service computes the stays, so that they have the same length in every report.
 */
export class Day {
  /**
   * @param {string} device
   * @param {number} from
   * @param {number} until
   * @param {number} to
   * @param {object} data what the service answered.
   * @param {import("../../Types/api").Location[]} data.fixes
   * @param {import("../../Types/api").Event[]} data.events
   * @param {import("../../Types/api").Timeline} data.timeline
   * @param {import("../../Types/api").Trip[]} [data.trips]
   * @param {any[]} [data.stated] the stays that files state, with the names of places.
   */
  constructor(device, from, until, to, { fixes, events, timeline, trips = [], stated = [] }) {
    this.device = device;
    this.from = from;
    /** The end of the period, or now if that is earlier. */
    this.until = until;
    this.to = to;
    this.fixes = fixes.map((fix) => ({ ...fix, time: Date.parse(fix.timestamp) })).sort((a, b) => a.time - b.time);
    this.events = events.map((event) => ({ ...event, time: Date.parse(event.timestamp) }))
      .sort((a, b) => a.time - b.time || (a.sequence ?? 0) - (b.sequence ?? 0));
    const span = (part) => ({ from: Date.parse(part.from), to: Date.parse(part.to) });
    this.visits = timeline.visits.map((stay) => ({
      visit: stay.visit, ...span(stay), isOpen: stay.visit.arrival === null, address: stay.address ?? null,
      name: stay.name ?? statedNameOf(stay.visit, span(stay), stated), isCorrected: stay.corrected ?? false,
      beginsBefore: stay.beginsBefore ?? false, endsAfter: stay.endsAfter ?? false,
    }));
    this.stays = timeline.stays.map((stay) => ({
      region: stay.regionId, ...span(stay), seconds: stay.seconds, isOpen: stay.isOpen,
      beginsBefore: stay.beginsBefore, endsAfter: stay.endsAfter,
    }));
    /** The times for which nothing is known, without the future. */
    this.unknown = timeline.unknown.map(span).filter((part) => part.from < this.until);
    /** The legs of all trips in order. */
    this.legs = trips.flatMap(({ legs }) => legs).map((leg) => ({
      kind: /** @type {const} */ ("leg"), from: Date.parse(leg.start.time), to: Date.parse(leg.end.time),
      mode: leg.mode, modeConfidence: leg.modeConfidence, distance: leg.distance, line: leg.line,
      beginsBefore: false, endsAfter: false,
    })).sort((a, b) => a.from - b.from);
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

  /** The mode in which the device moved at a time, `unknown` in time without data, or null. */
  modeAt(time) {
    if (this.unknown.some((span) => span.from < time && time < span.to)) return "unknown";
    let [low, high] = [0, this.legs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.legs[middle].from <= time) low = middle + 1;
      else high = middle;
    }
    const leg = this.legs[low - 1];
    return leg && time <= leg.to ? leg.mode : null;
  }

  /** The ids of the regions that the device was inside at a time. */
  regionsAt(time) {
    return this.stays.filter((stay) => stay.from <= time && time <= stay.to).map((stay) => stay.region);
  }
}
