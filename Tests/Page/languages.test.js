import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

const page = "../../Sources/FencepostPage/Web/";
const { languages } = await import(`${page}text/languages.js`);
const { language, locale } = await import(`${page}text/choice.js`);
const { formatNumber } = await import(`${page}core/format.js`);

const isGroup = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** All texts by their path. */
function flat(texts, path = "") {
  return Object.entries(texts).flatMap(([name, value]) =>
    isGroup(value) ? flat(value, `${path}${name}.`) : [[`${path}${name}`, value]]);
}

/** Which of its values a text shows: each is a proxy that notices when it becomes part of a text. */
function shown(text) {
  if (typeof text !== "function") return new Set();
  const seen = new Set();
  const marker = (name) => new Proxy(Object.assign(() => {}, {}), {
    get(_target, key) {
      if (key === Symbol.toPrimitive || key === "toString" || key === "valueOf") {
        return () => {
          seen.add(name);
          return `⟦${name}⟧`;
        };
      }
      if (key === "toLocaleString" || key === "join") {
        return () => {
          seen.add(name);
          return `⟦${name}⟧`;
        };
      }
      return typeof key === "string" ? marker(`${name}.${key}`) : undefined;
    },
    // A part of a list.
    apply: () => marker(`${name}()`),
  });
  // A destructured parameter has members, others are values.
  const values = Array.from({ length: Math.max(text.length, 4) }, (_, index) => marker(String(index)));
  const result = text(...values);
  for (const part of [result].flat(Infinity)) {
    if (part !== null && part !== undefined && part !== false) String(part);
  }
  return seen;
}

const english = new Map(flat(languages.en));

for (const [name, texts] of Object.entries(languages)) {
  if (name === "en") continue;
  const translation = new Map(flat(texts));
  describe(`the language ${name}`, () => {
    it("has the texts that English has, and no others", () => {
      assert.deepEqual([...english.keys()].filter((key) => !translation.has(key)), [], "missing");
      assert.deepEqual([...translation.keys()].filter((key) => !english.has(key)), [], "too many");
    });

    it("has texts of the same kind, with the same values in them", () => {
      for (const [key, value] of english) {
        const other = translation.get(key);
        assert.equal(typeof other, typeof value, key);
        if (Array.isArray(value)) assert.equal(other.length, value.length, key);
        assert.deepEqual([...shown(other)].sort(), [...shown(value)].sort(), key);
      }
    });

    it("leaves no sentence in English", () => {
      const same = [...english].filter(([key, value]) => typeof value === "string"
        && value.split(" ").length > 3 && translation.get(key) === value
        // The settings of phone apps are called as the apps call them.
        && !key.startsWith("phones.apps.")).map(([key]) => key);
      assert.deepEqual(same, []);
    });
  });
}

describe("the choice of the language", () => {
  it("is the first language of the browser that has texts, with its tag for numbers and times", () => {
    assert.deepEqual([language, locale], ["en", "en-GB"]);
    assert.deepEqual([formatNumber(6.5, 1), formatNumber(1234), formatNumber(2)], ["6.5", "1234", "2"]);
  });
});
