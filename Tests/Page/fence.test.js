// What the card of a device says about its fence, and what events of one change in the list of devices.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import "./browser.js";

const page = "../../Sources/FencepostPage/Web/";
const { fenceState, openingOf } = await import(`${page}live/fence-words.js`);
const { eventSentence, iconOf } = await import(`${page}core/event-types.js`);
const { DeviceStore } = await import(`${page}state/device-store.js`);
const { unitChoice } = await import(`${page}core/units.js`);

const fence = {
  latitude: 48, longitude: 2, horizontalAccuracy: 8, radius: 50, armedAt: "2026-03-06T22:00:00Z", armedBy: "caller",
};
const schedule = { timeZone: "UTC", weekly: ["Mon-Fri 21:30-05:15"] };

describe("a fence", () => {
  it("has a state in words", () => {
    unitChoice.value = "metric";
    assert.match(fenceState(null), /^No fence/);
    assert.match(fenceState({ ...fence, state: "armed" }), /^Armed since .*50 m around$/);
    assert.match(fenceState({ ...fence, state: "broken", brokenAt: "2026-03-07T02:00:00Z" }), /^Moved at/);
    assert.equal(fenceState({ state: "waiting", obstacle: "moving", radius: 50 }),
      "Waits until it is known where the device stands: the device is on its way");
  });

  it("has an opening of its schedule in the form", () => {
    assert.deepEqual(openingOf(schedule), { days: "Mon-Fri", from: "21:30", to: "05:15" });
    assert.deepEqual(openingOf(null), { days: "", from: "22:00", to: "06:00" });
  });

  it("has events in words", () => {
    const event = { id: "evt_1", type: "fence.broken", deviceId: "van", fence: { ...fence, distance: 412 } };
    assert.equal(eventSentence(event), "van was moved: 412 m from where it stood");
    assert.equal(iconOf(event), "alarm");
    assert.equal(eventSentence({ type: "fence.armed", deviceId: "van", fence }), "van is watched where it stands");
  });

  it("changes with its events before the next poll", () => {
    const store = new DeviceStore();
    store.update([{ id: "van", regions: [], isStale: false, fence: { state: "scheduled", radius: 50, schedule } }]);
    const change = (type, more = {}) =>
      store.applyEvents([{ type, deviceId: "van", timestamp: "t", fence: { ...fence, ...more } }]);
    change("fence.armed");
    assert.deepEqual(store.device("van").fence, { ...fence, schedule, state: "armed" });
    change("fence.broken", { distance: 400 });
    assert.equal(store.device("van").fence.state, "broken");
    change("fence.disarmed");
    assert.deepEqual(store.device("van").fence, { radius: 50, schedule, state: "scheduled" });
    store.update([{ id: "van", regions: [], isStale: false }]);
    assert.equal(store.device("van").fence, undefined);
  });
});
