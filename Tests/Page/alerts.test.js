// Alert rules in words, and which devices alert by which rule.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import "./browser.js";

const page = "../../Sources/FencepostPage/Web/";
const { alertsByRule, daysOf, fieldSpeed, ruleSentence, speedParts } = await import(`${page}alerts/rule-words.js`);
const { unitChoice } = await import(`${page}core/units.js`);

const names = { device: (id) => ({ "jane/phone": "Jane" })[id] ?? id, region: (id) => ({ school: "School" })[id] ?? id };
const sentence = (rule) => ruleSentence({ id: "x", source: "api", devices: null, for: 0, ...rule }, names);
const everyDay = "Mon,Tue,Wed,Thu,Fri,Sat,Sun";

describe("a rule", () => {
  it("is a sentence of who it watches and what it compares", () => {
    unitChoice.value = "metric";
    assert.equal(sentence({ type: "speed", above: "90.0 km/h", for: 10, groups: ["vans"] }),
      "Group vans faster than 90 km/h for 10 s");
    assert.equal(sentence({ type: "speed", above: 50, region: "school" }), "Every device faster than 50 km/h in School");
    assert.equal(sentence({ type: "battery", below: 0.15, devices: ["jane/phone", "van-*"] }),
      "Jane and van-* with a battery of 15 % or less");
    assert.equal(sentence({ type: "accuracy", above: 200, devices: "a" }), "A less accurate than 200 m");
    assert.equal(sentence({ type: "silent", above: 1800 }), "Every device silent for more than 30 min");
    assert.match(sentence({ type: "silent", above: null, for: 900 }), /longer than usual, at least 15 min$/);
    assert.equal(sentence({ type: "absent", region: "school", by: "08:15", days: "Mon,Tue,Wed,Thu,Fri",
      timeZone: "Europe/Lisbon", devices: ["jane/phone"] }), "Jane not in School by 08:15 (Mon-Fri), Europe/Lisbon");
    assert.equal(sentence({ type: "present", region: "club", at: "20:00", days: everyDay, timeZone: "GMT" }),
      "Every device still in club at 20:00, GMT");
    assert.equal(sentence({ type: "unplugged", devices: [] }), "No device without external power");
  });

  it("has the units that were chosen", () => {
    unitChoice.value = "imperial";
    assert.equal(sentence({ type: "jump", above: "400.0 km/h" }), "Every device jumping, as if faster than 248.5 mph");
    assert.deepEqual(["90.0 km/h", "30.0 m/s"].map(fieldSpeed), ["55.9", "67.1"]);
    unitChoice.value = "metric";
    assert.deepEqual(["75.0 mph", "10.0 knots", 90].map(fieldSpeed), ["120.7", "18.5", "90"]);
  });

  it("has a speed with or without a unit, and days as they are offered", () => {
    assert.deepEqual([speedParts("75.0 mph"), speedParts(90)], [[75, "mph"], [90, "km/h"]]);
    assert.deepEqual([everyDay, "Mon,Tue,Wed,Thu,Fri", "Sat,Sun", "Mon", undefined].map(daysOf),
      ["", "Mon-Fri", "Sat,Sun", "Mon", ""]);
  });
});

describe("the devices that alert", () => {
  it("are listed by the rules of their alerts", () => {
    const byRule = alertsByRule([
      { id: "a", alerts: [{ rule: "fast", since: "1" }, { rule: "low", since: "2" }] },
      { id: "b", alerts: [{ rule: "fast", since: "3" }] }, { id: "c", alerts: [] },
    ]);
    assert.deepEqual([...byRule.keys()], ["fast", "low"]);
    assert.deepEqual(byRule.get("fast").map(({ device }) => device), ["a", "b"]);
  });
});
