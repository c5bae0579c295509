import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { forSeeds } from "./random.js";

const { cutBy, joinedWith, restated, spanOf, correctionOf } =
  await import("../../Sources/FencepostPage/Web/history/stay-correction.js");
const { fieldTime, timeInField } = await import("../../Sources/FencepostPage/Web/history/time-field.js");

const start = Date.UTC(2026, 2, 1, 8, 30, 12, 345);
const end = Date.UTC(2026, 2, 1, 9, 15, 48);
const iso = (time) => new Date(time).toISOString();
const visit = { id: "vis_1", arrival: iso(start), departure: iso(end), latitude: 50, longitude: 10, regions: [] };
const part = { kind: "stay", from: start + 600_000, to: end, visit, regions: [] };

describe("the correction of a stay", () => {
  it("is about all of a stay that is cut at midnight or at the period", () => {
    assert.deepEqual(spanOf(part), [start, end]);
    // A visit that goes on ends with what is shown, and one without a visit is what is shown.
    assert.deepEqual(spanOf({ ...part, visit: { ...visit, departure: null } }), [start, end]);
    assert.deepEqual(spanOf({ ...part, visit: undefined }), [part.from, end]);
  });

  it("keeps times that were not changed to the millisecond, and states others", () => {
    const field = (time) => timeInField(fieldTime(time));
    const unchanged = { from: field(start), to: field(end), name: "Bakery", region: "" };
    assert.deepEqual(correctionOf(part, unchanged), { arrival: iso(start), departure: iso(end), name: "Bakery" });
    const shorter = correctionOf(part, { ...unchanged, to: field(end) - 600_000, name: "" });
    assert.deepEqual(shorter, { arrival: iso(start), departure: iso(field(end) - 600_000) });
  });

  it("has a place where the visit does not have it", () => {
    const given = { from: start, to: end, name: "", region: "" };
    assert.equal(correctionOf(part, { ...given, region: "office" }).regionId, "office");
    assert.equal(correctionOf({ ...part, visit: undefined, regions: ["home", "town"] }, given).regionId, "home");
  });

  it("joins two stays at the place of the first one", () => {
    const next = { from: end + 60_000, to: end + 600_000, visit: { ...visit, arrival: null, departure: null } };
    assert.deepEqual(joinedWith({ ...part, regions: ["office"], name: "by a file" }, next), {
      arrival: iso(start), departure: iso(end + 600_000), latitude: 50, longitude: 10, regionId: "office",
    });
    const stated = { ...part, isCorrected: true, name: "Bakery" };
    assert.equal(joinedWith(stated, next).name, "Bakery");
  });
});

describe("the undoing of a correction", () => {
  it("states again what the correction has cut", () => {
    const times = { arrival: iso(start), departure: iso(end) };
    const position = { latitude: 1, longitude: 2 };
    const bakery = { ...times, ...position, id: "cor_1", stay: true, name: "Bakery", regions: ["a", "b"] };
    const none = { ...times, id: "cor_2", arrival: iso(end), departure: iso(end + 1), stay: false };
    assert.deepEqual(cutBy(times, [bakery, none]), [bakery]);
    assert.deepEqual(cutBy({ ...times, departure: iso(end + 1) }, [bakery, none]), [bakery, none]);
    assert.deepEqual(restated(bakery), { ...times, name: "Bakery", latitude: 1, longitude: 2, regionId: "a" });
    assert.deepEqual(restated(none), { arrival: iso(end), departure: iso(end + 1), stay: false });
  });
});

describe("a time in a field", () => {
  it("is local and to the minute", () => forSeeds(200, (random) => {
    const time = Math.floor(random() * 4e12 / 60_000) * 60_000;
    // An hour that daylight saving time repeats is its first one.
    assert.ok([0, 3_600_000, 1_800_000, 7_200_000].includes(Math.abs(timeInField(fieldTime(time)) - time)));
    assert.equal(fieldTime(timeInField(fieldTime(time))), fieldTime(time));
  }));
});
