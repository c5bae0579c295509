import "./browser.js";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { colorNumbers, TagColors } from "../../Sources/FencepostPage/Web/state/tag-colors.js";
import { RegionStore } from "../../Sources/FencepostPage/Web/state/region-store.js";

const tokens = readFileSync(new URL("../../Sources/FencepostPage/Web/style/tokens.css", import.meta.url), "utf8");
const themes = Object.fromEntries([["light", ":root {"], ["dark", ":root[data-theme=\"dark\"] {"]].map(([name, start]) => {
  const block = tokens.slice(tokens.indexOf(start), tokens.indexOf("}", tokens.indexOf(start)));
  return [name, Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, key, value]) => [key, value]))];
}));

/** What people with normal vision, and without one of the three kinds of cones, see of linear colours. */
const visions = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const times = (rows, [a, b, c]) => rows.map(([x, y, z]) => x * a + y * b + z * c);
const linear = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
const contrast = (a, b) => {
  const light = [a, b].map((hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0] + 0.05);
  return Math.max(...light) / Math.min(...light);
};

/** The distance of two colours in Oklab, where 0.02 is just seen. */
function distance(a, b, vision) {
  const [p, q] = [a, b].map((hex) => {
    const seen = times(visions[vision], linear(hex)).map((part) => Math.min(1, Math.max(0, part)));
    const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005]], seen).map(Math.cbrt);
    return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766]], cones);
  });
  return Math.hypot(...p.map((part, index) => part - q[index]));
}

describe("the colours of tags", () => {
  for (const [theme, colors] of Object.entries(themes)) {
    const names = ["region", ...Array.from({ length: 6 }, (_, number) => `tag-${number}`)];

    it(`are apart for every vision in the ${theme} theme, also from that of regions without a tag`, () => {
      for (const vision of Object.keys(visions)) {
        for (const [index, a] of names.entries()) {
          for (const b of names.slice(index + 1)) {
            const far = distance(colors[a], colors[b], vision);
            assert.ok(far > 0.1, `${a} and ${b} with ${vision}: ${far.toFixed(3)}`);
          }
        }
      }
    });

    it(`are visible on land and sea in the ${theme} theme`, () => {
      for (const name of names) {
        for (const ground of ["land", "sea"]) {
          assert.ok(contrast(colors[name], colors[ground]) >= 3, `${name} on ${ground}`);
        }
      }
    });
  }

  it("follow from the tags, are different for up to six, and mostly stay when one is added", () => {
    const tags = ["work", "school", "home", "depot", "customer"];
    const numbers = colorNumbers(tags);
    assert.equal(new Set(numbers.values()).size, 5);
    assert.deepEqual(colorNumbers([...tags].reverse()), numbers);
    assert.deepEqual(colorNumbers([...tags, "work"]), numbers);
    const more = colorNumbers([...tags, "zone"]);
    for (const tag of tags) assert.equal(more.get(tag), numbers.get(tag));
    const many = colorNumbers(Array.from({ length: 200 }, (_, index) => `tag ${index}`));
    assert.deepEqual([...new Set(many.values())].sort(), [0, 1, 2, 3, 4, 5]);
  });

  it("are those of a region's first tag", () => {
    const regions = new RegionStore();
    const colors = new TagColors(regions);
    const feature = (id, tags) => ({ id, properties: { tags } });
    regions.replace([feature("a", ["work", "home"]), feature("b", "work"), feature("c"), feature("d", [])], false);
    const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => colors.nameOf(regions.get(id)));
    assert.match(a, /^tag-[0-5]$/);
    assert.deepEqual([b, c, d], [a, null, null]);
    assert.deepEqual(colors.all, [{ tag: "work", color: a }]);
  });
});
