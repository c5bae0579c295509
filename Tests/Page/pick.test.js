import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { forSeeds } from "./random.js";

const page = "../../Sources/FencepostPage/Web/";
const { groups } = await import(`${page}core/groups.js`);
const { isPattern, patternMatcher } = await import(`${page}core/patterns.js`);
const { choiceNamed, labelOf, matchingChoices, valuesIn } = await import(`${page}pick/choices.js`);
const { countMatches, deviceSource, tagSource } = await import(`${page}pick/sources.js`);

const choice = (value, name = value) => ({ value, name });
const devices = [choice("bob", "Bob"), choice("jane/phone", "Jane Doe"), choice("jane/watch", "Phone"),
  choice("ole/phone", "Phone"), choice("van-1"), choice("van-12"), choice("Anna")];

describe("a pattern of ids", () => {
  it("matches as the service does", () => {
    const cases = [["van-*", "van-1", true], ["van-*", "a van-1", false], ["*", "", true], ["?", "", false],
      ["jane/*", "jane/a/b", true], ["*-?-*", "x-y-z", true], ["*-?-*", "x--z", false], ["a.c", "abc", false],
      ["?", "😀", true], ["**a**", "bab", true], ["van-?", "van-12", false], ["", "", true], ["", "a", false]];
    for (const [pattern, value, expected] of cases) {
      assert.equal(patternMatcher(pattern)(value), expected, `${pattern} ${value}`);
    }
  });

  it("matches what an expression of the same meaning matches", () => forSeeds(200, (random) => {
    const textOf = (signs, count) =>
      Array.from({ length: Math.floor(random() * count) }, () => signs[Math.floor(random() * signs.length)]).join("");
    const pattern = textOf("ab*?", 6);
    const expression = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
    for (let i = 0; i < 20; i += 1) {
      const value = textOf("ab", 7);
      assert.equal(patternMatcher(pattern)(value), expression.test(value), `${pattern} ${value}`);
    }
  }));

  it("takes no time for many stars", () => {
    const began = process.hrtime.bigint();
    assert.equal(patternMatcher("*a".repeat(60))("a".repeat(59) + "b".repeat(400)), false);
    assert.ok(process.hrtime.bigint() - began < 500_000_000n);
  });
});

describe("a picker", () => {
  it("finds by name and id, what begins with the text first, then words", () => {
    const found = (typed) => matchingChoices(devices, typed, 10).shown.map(({ value }) => value);
    assert.deepEqual(found("jan"), ["jane/phone", "jane/watch"]);
    assert.deepEqual(found("PHONE"), ["jane/watch", "ole/phone", "jane/phone"]);
    assert.deepEqual(found("doe"), ["jane/phone"]);
    assert.deepEqual(found("12"), ["van-12"]);
    assert.deepEqual(found("an"), ["Anna", "jane/phone", "jane/watch", "van-1", "van-12"]);
    assert.deepEqual(found("(+"), []);
  });

  it("says how many it does not show", () => {
    const { shown, more } = matchingChoices(devices, "", 3);
    assert.deepEqual([shown.length, more], [3, 4]);
    assert.equal(matchingChoices(devices, "van", 3).more, 0);
  });

  it("takes a whole text for the id or the only name, before it divides it", () => {
    assert.deepEqual(valuesIn(devices, "jane doe"), ["jane/phone"]);
    assert.deepEqual(valuesIn(devices, "Jane Doe, bob van-1"), ["jane/phone", "bob", "van-1"]);
    assert.deepEqual(valuesIn(devices, "van-*, truck-1,, van-*"), ["van-*", "truck-1"]);
    // Two devices are called so: only the ids say which is meant.
    assert.deepEqual(valuesIn(devices, "Phone"), ["Phone"]);
    assert.equal(choiceNamed(devices, " "), undefined);
  });

  it("shows an id where its name is not the only one", () => {
    assert.deepEqual(["jane/phone", "ole/phone", "truck"].map((id) => labelOf(devices, id)),
      ["Jane Doe", "ole/phone", "truck"]);
  });

  it("offers groups for their devices", () => {
    groups.replace([{ tag: "vans", devices: ["van-*", "truck"] }]);
    const app = { devices: { ids: ["van-2", "van-10", "bob"] } };
    const patterns = deviceSource(app, { groups: true, patterns: true }).choices();
    assert.deepEqual(valuesIn(patterns, "Group vans"), ["van-*", "truck"]);
    assert.deepEqual(valuesIn(deviceSource(app, { groups: true, patterns: false }).choices(), "Group vans"),
      ["van-2", "van-10"]);
    assert.deepEqual(deviceSource(app).choices().map(({ value }) => value), ["bob", "van-2", "van-10"]);
    assert.equal(countMatches(patterns, "*"), 3);
    assert.equal(countMatches(patterns, "bob"), 0);
    assert.ok(isPattern("a*") && !isPattern("a"));
    groups.replace([]);
  });

  it("offers the tags of groups and regions", () => {
    groups.replace([{ tag: "vans", devices: ["van-*"] }]);
    const regions = new Map([["a", { properties: { tags: ["work", "vans"] } }], ["b", { properties: { tags: "work" } }],
      ["c", {}]]);
    const tags = tagSource({ regions: { all: regions } }).choices();
    assert.deepEqual(tags.map(({ value, note }) => [value, note]), [["vans", "van-* · 1 region"], ["work", "2 regions"]]);
    assert.deepEqual(groups.tagsOf("van-3"), ["vans"]);
    assert.deepEqual(groups.tagsOf("bob"), []);
    groups.replace([]);
    assert.equal(groups.has("vans", "van-3"), false);
  });
});
