import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { between, forSeeds } from "./random.js";

const { Day } = await import("../../Sources/FencepostPage/Web/history/day.js");
const { daysOf, partsOf, smallestFirst, totalsOf } = await import(
  "../../Sources/FencepostPage/Web/history/diary.js");
const { describe: describePart } = await import("../../Sources/FencepostPage/Web/history/diary-list.js");
const { regionOf, regionsOfStay } = await import("../../Sources/FencepostPage/Web/history/place-name.js");
const { readableName, statedNameOf } = await import("../../Sources/FencepostPage/Web/history/stated-names.js");
const { RegionStore } = await import("../../Sources/FencepostPage/Web/state/region-store.js");
const { formatBetween } = await import("../../Sources/FencepostPage/Web/core/time.js");

// Lisbon has the time of UTC in March until the 29th.
const from = Date.UTC(2026, 2, 6);
const day = 86_400_000;
const iso = (minutes) => new Date(from + 60_000 * minutes).toISOString();
const span = (start, end) => ({ from: iso(start), to: iso(end), seconds: 60 * (end - start) });
const visit = (start, end, more = {}) => ({
  ...span(start, end), beginsBefore: false, endsAfter: false,
  visit: { arrival: iso(start), departure: iso(end), latitude: 38.7, longitude: -9.1, regions: ["home"], ...more },
});
const leg = (start, end, mode, distance) => ({
  start: { time: iso(start) }, end: { time: iso(end) }, mode, modeConfidence: 0.9, distance,
  duration: 60 * (end - start), line: [],
});
const historyOf = ({ visits = [], stays = [], unknown = [], legs = [], until = 1440, days = 1 }) =>
  new Day("jane", from, from + 60_000 * until, from + days * day, {
    fixes: [], events: [], timeline: { visits, stays, unknown }, trips: [{ legs }],
  });
const names = { all: new Map(), get: () => undefined, nameOf: (id) => id };
/** What the list says, each row as one line. */
const sentences = (parts) => parts.map((part) => {
  const { title, times } = describePart({ regions: names }, part);
  return `${title} ${times}`;
});

describe("the name of a stay", () => {
  const at = (longitude, latitude) => ({ longitude, latitude, horizontalAccuracy: 12 });
  const circle = (id, position, radius) => ({
    id, geometry: { type: "Point", coordinates: position }, properties: { name: `The ${id}`, radius },
  });
  const store = new RegionStore();
  store.replace([circle("town", [10, 50], 3000), circle("cafe", [10, 50], 60), circle("far", [11, 50], 60)], false);

  it("is that of the smallest region that it was in, or else of one that is there now", () => {
    const part = { regions: [], visit: at(10.0001, 50) };
    assert.deepEqual(regionsOfStay(part, store), ["cafe", "town"]);
    assert.deepEqual(regionsOfStay({ ...part, regions: ["far"] }, store), ["far"]);
    // A region that was removed gives way to one that is there.
    assert.deepEqual(regionsOfStay({ ...part, regions: ["gone"] }, store), ["cafe", "town"]);
    assert.deepEqual(regionsOfStay({ regions: ["gone"], visit: at(12, 50) }, store), ["gone"]);
    assert.deepEqual(regionsOfStay({ regions: [], visit: at(12, 50) }, store), []);
    assert.deepEqual(regionsOfStay({ regions: ["gone"] }, store), ["gone"]);
  });

  it("makes a circle around it that is neither tiny nor a district", () => {
    const radius = (horizontalAccuracy) => regionOf({ ...at(10, 50), horizontalAccuracy }, "Bakery").properties.radius;
    assert.deepEqual([5, 40.4, 900].map(radius), [50, 81, 300]);
    assert.deepEqual(regionOf(at(10, 50), "Bakery").geometry, { type: "Point", coordinates: [10, 50] });
  });
});

describe("the name that a file states", () => {
  const hour = (time) => iso(time * 60);
  const stay = (name, arrival, departure, latitude = 50) => ({
    kind: "visit", timestamp: hour(arrival), arrival: hour(arrival), departure: hour(departure), name, latitude,
    longitude: 10,
  });
  const at = (latitude) => ({ latitude, longitude: 10 });
  const during = (start, end) => ({ from: Date.parse(hour(start)), to: Date.parse(hour(end)) });

  it("is that of the stay at the same time, even if another place is nearer", () => {
    const stated = [stay("Bakery", 30, 40, 50.0005), stay("Office", 8, 12, 50.001), stay(undefined, 8, 12)];
    assert.equal(statedNameOf(at(50), during(9, 13), stated), "Office");
    assert.equal(statedNameOf(at(50.01), during(9, 13), stated), null);
  });

  it("is else that of the nearest place, not farther than 100 m", () => {
    const stated = [stay("Cafe", 30, 40, 50.0008), stay("Bakery", 50, 51, 50.0003)];
    assert.equal(statedNameOf(at(50), during(9, 13), stated), "Bakery");
    assert.equal(statedNameOf(at(49.999), during(9, 13), stated), null);
  });

  it("has words for home and work, and none for what is no name", () => {
    const names = ["HOME", "Home", "TYPE_HOME", "INFERRED_HOME", "WORK", "TYPE_WORK", "Homestead", " Bakery Müller "];
    assert.deepEqual(names.map(readableName),
      ["Home", "Home", "Home", "Home", "Work", "Work", "Homestead", "Bakery Müller"]);
    assert.deepEqual(["UNKNOWN", "Unknown", "TYPE_SEARCHED_ADDRESS", "", undefined].map(readableName),
      [null, null, null, null, null]);
  });
});

describe("a day as stays and trips", () => {
  it("is in order, with the time of which nothing is known", () => {
    const parts = partsOf(historyOf({
      visits: [
        visit(0, 484, { arrival: null }), visit(504, 781, { regions: ["office"] }),
        visit(826, 900, { regions: [], departure: null }),
      ],
      legs: [leg(484, 504, "walking", 2100)],
      unknown: [span(781, 826), span(900, 1440)],
    }));
    assert.deepEqual(sentences(parts), [
      "home until 08:04", "Walked 2.1 km 08:04 to 08:24", "office 08:24 to 13:01", "No data 13:01 to 13:46",
      "A place without a name since 13:46, last heard 15:00", "No data 15:00 to 00:00",
    ]);
    assert.deepEqual(parts.map(({ number }) => number), [1, undefined, 2, undefined, 3, undefined]);
  });

  it("has a stay that goes on now", () => {
    const stay = partsOf(historyOf({ visits: [visit(60, 120, { departure: null })], until: 120 })).at(-1);
    assert.deepEqual(sentences([stay]), ["home since 01:00"]);
  });

  it("has unknown time within a leg after it, and counts it as unknown only", () => {
    const parts = partsOf(historyOf({ legs: [leg(60, 180, "rail", 90_000)], unknown: [span(100, 130)], until: 180 }));
    assert.deepEqual(parts.map(({ kind, isWithin }) => [kind, isWithin ?? false]).slice(-2),
      [["leg", false], ["unknown", true]]);
    const totals = totalsOf(parts);
    assert.deepEqual([totals.moved, totals.unknown, totals.distance], [90 * 60, 30 * 60, 90_000]);
  });

  it("has a stay in a region that is too short for a visit, and else says that there is no stay", () => {
    const parts = partsOf(historyOf({
      stays: [{ ...span(10, 14), regionId: "kiosk", isOpen: false, beginsBefore: false, endsAfter: false }], until: 60,
    }));
    assert.deepEqual(sentences(parts), [
      "Neither a stay nor a trip 00:00 to 00:10", "kiosk 00:10 to 00:14", "Neither a stay nor a trip 00:14 to 01:00",
    ]);
  });

  it("is cut at midnight, with the distance by time", () => {
    const parts = partsOf(historyOf({
      legs: [leg(1410, 1500, "driving", 90_000)], visits: [visit(1500, 2000)], until: 2880, days: 2,
    }));
    const [first, second] = [...daysOf(parts).values()].map(totalsOf);
    assert.deepEqual([first.distance, second.distance], [30_000, 60_000]);
    assert.deepEqual([first.stays, second.stays], [0, 1]);
    // A trip that began on the day before counts by its part in the period.
    const [rest] = partsOf(historyOf({ legs: [leg(-60, 60, "driving", 10_000)] })).map(({ distance }) => distance);
    assert.equal(rest, 5000);
  });

  it("covers each moment once, whatever the service knows", () => forSeeds(100, (random) => {
    const times = Array.from({ length: 9 }, () => between(random, 0, 2880)).sort((a, b) => a - b);
    const data = { visits: [], legs: [], unknown: [] };
    times.slice(1).forEach((end, index) => {
      const start = times[index];
      const kind = Math.floor(4 * random());
      if (kind === 0) data.visits.push(visit(start, end));
      if (kind === 1) data.legs.push(leg(start, end, "walking", 100));
      if (kind === 2) data.unknown.push(span(start, end));
    });
    const parts = partsOf(historyOf({ ...data, until: 2880, days: 2 }));
    let end = from;
    for (const part of parts) {
      // What is shorter than five minutes may be left out.
      assert.ok(part.from >= end - 1 && part.from - end < 300_001, `${part.kind} ${part.from - end}`);
      assert.ok(part.to > part.from);
      end = part.to;
    }
    assert.equal(new Set(parts.map(({ from: start }) => start)).size, parts.length);
  }));

  it("is at the smallest of the regions around a place", () => {
    const circle = (radius) => ({ geometry: { type: "Point", coordinates: [0, 0] }, properties: { radius } });
    const regions = new Map([["town", circle(2000)], ["cafe", circle(30)], ["block", circle(200)]]);
    assert.deepEqual(smallestFirst(["town", "gone", "cafe", "block"], regions), ["cafe", "block", "town", "gone"]);
  });

  it("says between which moments something happened", () => {
    const now = Date.UTC(2026, 2, 6, 12);
    assert.equal(formatBetween(iso(480), iso(555), now), "between 08:00 and 09:15");
    assert.equal(formatBetween(iso(-660), iso(555), now), "between Thu 5 Mar 13:00 and today 09:15");
  });
});
