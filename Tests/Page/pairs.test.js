// Proximity rules in words, and what events of pairs say.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import "./browser.js";

const page = "../../Sources/FencepostPage/Web/";
const { hoursText, pairSentence } = await import(`${page}alerts/pair-words.js`);
const { eventSentence, iconOf } = await import(`${page}core/event-types.js`);
const { unitChoice } = await import(`${page}core/units.js`);

const names = { device: (id) => ({ "jane/phone": "Jane" })[id] ?? id };
const sentence = (rule) => pairSentence({ id: "x", source: "api", distance: 100, ...rule }, names);

describe("a proximity rule", () => {
  it("is a sentence of who is watched against whom", () => {
    unitChoice.value = "metric";
    assert.equal(sentence({}), "Every device within 100 m of each other");
    assert.equal(sentence({ devices: ["jane/phone"], others: "rex", dwell: 600, unaccompanied: true }),
      "Jane within 100 m of rex, also after 10 min, also when one leaves the other");
    assert.equal(sentence({ groups: ["kids"], otherGroups: ["dogs"], hours: { weekly: ["Mon-Fri 08:00-18:00"] } }),
      "Group kids within 100 m of group dogs, Mon-Fri 08:00-18:00");
    assert.equal(hoursText(undefined), "");
  });

  it("has events that name both devices", () => {
    const proximity = { rule: "x", otherDeviceId: "rex", distance: 42, uncertainty: 9, limit: 100 };
    const event = (type, more) => ({ id: "evt_1", type, deviceId: "ann", timestamp: "t", proximity, ...more });
    assert.equal(eventSentence(event("proximity.entered")), "ann came near rex: 42 m apart");
    assert.equal(eventSentence(event("proximity.dwelled", { dwell: 600 })), "ann has been near rex for 10 min");
    assert.equal(eventSentence(event("proximity.unaccompanied")), "ann went away without rex");
    assert.equal(iconOf(event("proximity.exited")), "out");
  });
});
