import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { mercatorX, mercatorY } from "../../Sources/FencepostPage/Web/core/geo.js";
import { Labels } from "../../Sources/FencepostPage/Web/map/labels.js";
import { labelStreets, overlap } from "../../Sources/FencepostPage/Web/map/street-labels.js";
import { gridSize, readWorld, thinnedPaths } from "../../Sources/FencepostPage/Web/map/world-file.js";
import { between, forSeeds } from "./random.js";

const file = readFileSync(new URL("../../Sources/FencepostPage/Web/base/world.bin", import.meta.url));
const bufferOf = (bytes) => Uint8Array.from(bytes).buffer;
const world = readWorld(bufferOf(file));
const layers = ["land", "lakes", "rivers", "borders", "disputed"];

describe("the base map", () => {
  it("has capitals where they are", () => {
    for (const [name, lat, lon] of [["Lisbon", 38.72, -9.14], ["Nairobi", -1.29, 36.82], ["Tokyo", 35.68, 139.7]]) {
      const city = world.cities.find((one) => one.name === name);
      assert.ok(city?.isCapital, name);
      // Within a tenth of a degree, 18 units of the file.
      assert.ok(Math.abs(city.x - mercatorX(lon) * gridSize) < 40, `${name} x ${city.x}`);
      assert.ok(Math.abs(city.y - mercatorY(lat) * gridSize) < 40, `${name} y ${city.y}`);
    }
    const ranks = world.cities.map(({ rank }) => rank);
    assert.deepEqual(ranks, [...ranks].sort((a, b) => a - b));
  });

  it("has paths with the boxes around their points", () => {
    for (const name of layers) {
      const { points, starts, boxes } = world[name];
      assert.equal(starts.at(-1), points.length / 2);
      for (let path = 0; path + 1 < starts.length; path += 1) {
        for (let vertex = starts[path]; vertex < starts[path + 1]; vertex += 1) {
          const [x, y] = points.subarray(2 * vertex, 2 * vertex + 2);
          assert.ok(x >= boxes[4 * path] && y >= boxes[4 * path + 1] && x <= boxes[4 * path + 2]
            && y <= boxes[4 * path + 3]);
        }
      }
    }
  });

  it("that is truncated is refused", () => forSeeds(40, (random) => {
    const length = Math.floor(random() * file.length * 0.9);
    assert.throws(() => readWorld(bufferOf(file.subarray(0, length))), RangeError);
  }));

  it("is thinned to distances of at least a step, with its ends", () => {
    const step = 16;
    const thin = thinnedPaths(world.rivers, step, 0);
    assert.ok(thin.points.length < world.rivers.points.length);
    assert.equal(thin.starts.length, world.rivers.starts.length);
    for (let path = 0; path + 1 < thin.starts.length; path += 1) {
      const own = thin.points.subarray(2 * thin.starts[path], 2 * thin.starts[path + 1]);
      const whole = world.rivers.points.subarray(2 * world.rivers.starts[path], 2 * world.rivers.starts[path + 1]);
      assert.deepEqual([...own.slice(0, 2), ...own.slice(-2)], [...whole.slice(0, 2), ...whole.slice(-2)]);
      for (let i = 2; i + 2 < own.length; i += 2) {
        const far = Math.max(Math.abs(own[i] - own[i - 2]), Math.abs(own[i + 1] - own[i - 1]));
        assert.ok(far >= step || own[i] <= 0 || own[i] >= gridSize || own[i + 1] >= gridSize);
      }
    }
    assert.equal(thinnedPaths(world.rivers, 1).points, world.rivers.points);
  });
});

describe("the names of cities", () => {
  it("do not overlap, and are the same from every view of a level", () => {
    const labels = new Labels(world.cities, ({ name }) => 7 * name.length);
    for (const zoom of [2, 4.5, 6]) {
      const size = 256 * 2 ** zoom;
      const all = [...labels.within(zoom, 0, 0, size, size)];
      assert.ok(all.length > 5);
      for (const [index, { box }] of all.entries()) {
        for (const other of all.slice(index + 1)) assert.ok(!overlap(box, other.box));
      }
      const part = labels.within(zoom, size / 4, size / 4, size / 2, size / 2);
      for (const label of part) assert.ok(all.includes(label));
    }
  });

  it("appear with the level, capitals first", () => {
    const city = (name, rank, isCapital) => ({ name, rank, isCapital, x: 1000, y: 1000 });
    const shown = (one, zoom) => new Labels([one], () => 50).within(zoom, 0, 0, 1200, 1200).size;
    assert.deepEqual([1.9, 2].map((zoom) => shown(city("A", 0, false), zoom)), [0, 1]);
    assert.equal(shown(city("A", 0, true), 1), 1);
    assert.deepEqual([7, 8].map((zoom) => shown(city("A", 7, false), zoom)), [0, 1]);
  });
});

describe("the names of streets", () => {
  const view = { zoom: 16, width: 800, height: 600, shifts: [0], px: (x) => 800 * x, py: (y) => 600 * y };
  const street = (name, path) => ({ name, path, firstZoom: 13, weight: 0 });
  const widthOf = (name) => 7 * name.length;

  it("do not overlap, and are upright and on the canvas", () => forSeeds(30, (random) => {
    const streets = Array.from({ length: 80 }, (_, index) => street(`Street ${index}`,
      Array.from({ length: 6 }, () => between(random, -0.3, 1.3))));
    const taken = [[0, 0, 100, 100]];
    const placed = labelStreets(streets, view, widthOf, taken);
    assert.ok(placed.length > 5);
    for (const { angle, x, y } of placed) {
      assert.ok(angle > -Math.PI / 2 && angle <= Math.PI / 2);
      assert.ok(x >= 0 && x <= 800 && y >= 0 && y <= 600);
      assert.ok(x > 100 || y > 100);
    }
    // Each name has a chain of boxes; no box of one name overlaps with a box of another.
    for (const [index, one] of placed.entries()) {
      for (const other of placed.slice(index + 1)) assert.ok(Math.hypot(one.x - other.x, one.y - other.y) >= 14);
    }
  }));

  it("wait for their level and need a straight part", () => {
    const straight = street("High Street", [0.1, 0.5, 0.9, 0.5]);
    const [name] = labelStreets([straight], view, widthOf, []);
    assert.deepEqual({ ...name, x: 0 }, { name: "High Street", x: 0, y: 300, angle: 0 });
    // In the middle, to a quarter of its length.
    assert.ok(Math.abs(name.x - 400) <= 89 / 4);
    assert.deepEqual(labelStreets([straight], { ...view, zoom: 12 }, widthOf, []), []);
    const zigzag = street("High Street", [0.1, 0.5, 0.13, 0.6, 0.16, 0.5, 0.19, 0.6, 0.22, 0.5]);
    assert.deepEqual(labelStreets([zigzag], view, widthOf, []), []);
  });

  it("repeat only at a distance", () => {
    const twice = [street("A 1", [0.1, 0.5, 0.2, 0.5]), street("A 1", [0.3, 0.5, 0.4, 0.5])];
    assert.equal(labelStreets(twice, view, widthOf, []).length, 1);
    twice[1].path = [0.8, 0.5, 0.9, 0.5];
    assert.equal(labelStreets(twice, view, widthOf, []).length, 2);
  });
});
