import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Observable } from "../../Sources/FencepostPage/Web/core/observable.js";
import { DeviceStore } from "../../Sources/FencepostPage/Web/state/device-store.js";
import { EventLog } from "../../Sources/FencepostPage/Web/state/event-log.js";
import { RegionStore } from "../../Sources/FencepostPage/Web/state/region-store.js";
import { forSeeds, shuffled } from "./random.js";

const start = Date.UTC(2026, 2, 1);
const iso = (second) => new Date(start + 1000 * second).toISOString();

describe("an observable", () => {
  it("calls its listeners after changes, and the watching ones at once", () => {
    const value = new Observable(1);
    const seen = [];
    value.subscribe((now) => seen.push(["subscribed", now]));
    const stop = value.watch((now) => seen.push(["watched", now]));
    value.value = 1;
    value.value = 2;
    stop();
    value.value = 3;
    assert.deepEqual(seen, [["watched", 1], ["subscribed", 2], ["watched", 2], ["subscribed", 3]]);
  });

  it("takes NaN for the same value, and notifies of a change in place", () => {
    const value = new Observable(NaN);
    let count = 0;
    value.subscribe(() => (count += 1));
    value.value = NaN;
    assert.equal(count, 0);
    value.notify();
    assert.equal(count, 1);
  });

  it("may get and lose listeners during a call", () => {
    const value = new Observable(0);
    const seen = [];
    const stop = value.subscribe(() => {
      stop();
      value.subscribe((now) => seen.push(now));
    });
    value.value = 1;
    value.value = 2;
    assert.deepEqual(seen, [2]);
  });
});

describe("the event log", () => {
  const event = (number) => ({ id: `e${number}`, timestamp: iso(number), type: "region.entered" });
  const ids = (log) => log.changes.value.map(({ id }) => id);

  it("merges the list and the stream in any order into the latest first, each once", () => forSeeds(100, (random) => {
    const events = Array.from({ length: 60 }, (_, number) => event(number));
    const log = new EventLog();
    // The stream repeats what the list has, and after a reconnect what it has sent before.
    const sent = shuffled([...events, ...events.slice(20), ...events.slice(40)], random);
    while (sent.length) log.add(sent.splice(0, 1 + Math.floor(random() * 20)));
    assert.deepEqual(ids(log), events.map(({ id }) => id).reverse());
  }));

  it("sorts by the time that lists show: when an event happened, not when the service detected it", () => {
    const log = new EventLog();
    log.add([event(5), { ...event(1), detectedAt: iso(9) }, event(7)]);
    assert.deepEqual(ids(log), ["e7", "e5", "e1"]);
  });

  it("is without the events of a device that was removed, and takes them again", () => {
    const log = new EventLog();
    const walked = { ...event(6), deviceId: "test/walker" };
    log.add([event(5), walked, event(7)]);
    log.removeDevice("test/walker");
    assert.deepEqual(ids(log), ["e7", "e5"]);
    log.add([walked]);
    assert.deepEqual(ids(log), ["e7", "e6", "e5"]);
  });

  it("keeps the latest 500, and takes an older one again", () => {
    const log = new EventLog();
    log.add(Array.from({ length: 700 }, (_, number) => event(number)));
    assert.deepEqual([log.changes.value.length, ids(log)[0], ids(log).at(-1)], [500, "e699", "e200"]);
    assert.equal(log.get("e199"), undefined);
    assert.equal(log.get("e200").timestamp, iso(200));
    // A deletion of newer events cannot be seen here, but a log that was cleared is empty.
    log.clear();
    assert.equal(log.isLoaded, false);
    log.add([event(199)]);
    assert.deepEqual(ids(log), ["e199"]);
  });

  it("notifies of a first answer without events", () => {
    const log = new EventLog();
    let count = 0;
    log.changes.subscribe(() => (count += 1));
    log.add([]);
    assert.deepEqual([log.isLoaded, count], [true, 1]);
  });
});

describe("the store of devices", () => {
  const location = (second) => ({ latitude: 40 + second / 100, longitude: -9, timestamp: iso(second), speed: 2, batteryLevel: 0.5 });
  const device = (number, more = {}) => ({
    id: `d${number}`, regions: [], isStale: false, lastLocation: location(number), ...more,
  });
  const storeOf = (count) => {
    const store = new DeviceStore();
    store.update(Array.from({ length: count }, (_, number) => device(number)));
    return store;
  };
  const event = (type, second, more = {}) => ({
    id: `${type} ${second}`, type, deviceId: "d0", timestamp: iso(second), location: location(second), ...more,
  });

  it("gives devices back as they came, beyond its first columns", () => {
    const store = storeOf(300);
    assert.equal(store.count, 300);
    for (const number of [0, 63, 64, 299]) {
      const { id, lastLocation, visit, isStale } = store.device(`d${number}`);
      assert.deepEqual({ id, visit, isStale }, { id: `d${number}`, visit: null, isStale: false });
      assert.deepEqual(lastLocation,
        { ...location(number), deviceId: `d${number}`, horizontalAccuracy: null, course: null });
    }
    assert.equal(store.device("d300"), null);
  });

  it("updates a device in place, and keeps a known location when none is sent", () => {
    const store = storeOf(3);
    store.update([{ id: "d1", regions: ["home"], isStale: true, visit: { id: "v" } }]);
    assert.equal(store.count, 3);
    const { regions, isStale, visit, lastLocation } = store.device("d1");
    assert.deepEqual({ regions, isStale, visit }, { regions: ["home"], isStale: true, visit: { id: "v" } });
    assert.equal(lastLocation.timestamp, iso(1));
  });

  it("removes what a full read no longer has", () => {
    const store = storeOf(100);
    let count = 0;
    store.changes.subscribe(() => (count += 1));
    store.retain(store.ids);
    assert.equal(count, 0);
    store.retain(["d7", "d99", "unknown"]);
    assert.deepEqual([store.count, store.ids, store.indexOf("d99"), store.indexOf("d8")], [2, ["d7", "d99"], 1, -1]);
    assert.equal(store.device("d99").lastLocation.timestamp, iso(99));
    assert.ok(count > 0);
  });

  it("has the latest location, whatever the order of the events", () => forSeeds(30, (random) => {
    const store = storeOf(1);
    store.applyEvents(shuffled(Array.from({ length: 20 }, (_, second) => event("visit.arrived", second)), random));
    assert.equal(store.device("d0").lastLocation.timestamp, iso(19));
  }));

  it("follows entries, exits and silence", () => {
    const store = storeOf(1);
    const region = (id) => ({ region: { id } });
    assert.equal(store.applyEvents([event("region.entered", 1, region("b")), event("region.entered", 2, region("a"))]), true);
    assert.deepEqual([store.device("d0").regions, store.device("d0").isStale], [["a", "b"], false]);
    store.applyEvents([event("region.exited", 3, region("b")), event("device.stale", 4)]);
    assert.deepEqual([store.device("d0").regions, store.device("d0").isStale], [["a"], true]);
    store.applyEvents([event("device.recovered", 5)]);
    assert.equal(store.device("d0").isStale, false);
  });

  it("says when an event is of a device that it does not know", () => {
    const store = storeOf(1);
    assert.equal(store.applyEvents([event("region.entered", 1), event("x", 2, { deviceId: "new" })]), false);
    // Events of the service itself have no device.
    assert.equal(store.applyEvents([event("endpoint.disabled", 1, { deviceId: undefined })]), true);
  });
});

describe("the store of regions", () => {
  it("has regions by id, and their names", () => {
    const store = new RegionStore();
    store.replace([{ id: "home", properties: { name: "Home" } }, { id: 7, properties: {} }], true);
    assert.deepEqual([store.isLoaded, store.isTruncated, store.all.size], [true, true, 2]);
    assert.deepEqual(["home", "7", "gone"].map(store.nameOf), ["Home", "7", "gone"]);
    let count = 0;
    store.changes.subscribe(() => (count += 1));
    store.put({ id: "home", properties: { name: "House" } });
    store.remove("7");
    store.remove("7");
    assert.deepEqual([store.nameOf("home"), store.get("7"), count], ["House", undefined, 2]);
  });
});
