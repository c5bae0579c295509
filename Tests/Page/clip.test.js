import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { clippedRing, tracePaths } from "../../Sources/FencepostPage/Web/map/clip.js";
import { distanceFromSegment, isInRing, pairs } from "./geometry.js";
import { between, forSeeds } from "./random.js";

const box = { west: 20, north: 30, east: 80, south: 70 };

/** Any ring or line, which may cross itself; most reach beyond the box. */
const randomPath = (random, count) => Array.from({ length: 2 * count }, () => between(random, -20, 120));

/** A point inside the box. */
const randomPoint = (random) => [between(random, box.west, box.east), between(random, box.north, box.south)];

const pathsOf = (...lists) => {
  const starts = [0];
  for (const list of lists) starts.push(starts.at(-1) + list.length / 2);
  const boxes = lists.flatMap((list) => {
    const [xs, ys] = [pairs(list).map(([x]) => x), pairs(list).map(([, y]) => y)];
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  });
  return { points: Float64Array.from(lists.flat()), starts: Uint32Array.from(starts), boxes: Float64Array.from(boxes) };
};

/** A canvas path that records its lines: `[[x, y], …]` each. */
function recorder() {
  const lines = [];
  return {
    lines, closed: 0,
    moveTo: (x, y) => lines.push([[x, y]]),
    lineTo: (x, y) => lines.at(-1).push([x, y]),
    closePath() {
      this.closed += 1;
    },
  };
}

describe("a clipped ring", () => {
  it("has the same points of the box inside it as the whole ring", () => forSeeds(300, (random) => {
    const ring = randomPath(random, 3 + Math.floor(random() * 12));
    const [whole, clipped] = [pairs(ring), pairs(clippedRing(ring, box))];
    for (let count = 0; count < 100; count += 1) {
      const point = randomPoint(random);
      assert.equal(isInRing(point, clipped), isInRing(point, whole), `${point}`);
    }
  }));

  it("does not leave the box", () => forSeeds(100, (random) => {
    for (const [x, y] of pairs(clippedRing(randomPath(random, 8), box))) {
      assert.ok(x >= box.west - 1e-9 && x <= box.east + 1e-9 && y >= box.north - 1e-9 && y <= box.south + 1e-9);
    }
  }));

  it("is empty beyond the box, and whole within it", () => {
    assert.deepEqual(clippedRing([0, 0, 10, 0, 10, 10], box), []);
    assert.deepEqual(clippedRing([], box), []);
    const within = [30, 40, 50, 40, 50, 60];
    assert.deepEqual(clippedRing(within, box), within);
    // One that surrounds the box becomes the box.
    assert.deepEqual(new Set(pairs(clippedRing([0, 0, 100, 0, 100, 100, 0, 100], box)).map(String)),
      new Set(["20,30", "80,30", "80,70", "20,70"]));
  });
});

describe("clipped lines", () => {
  const trace = (line) => {
    const target = recorder();
    tracePaths(target, pathsOf(line), box, false, 1, 0, 0);
    return target.lines;
  };
  const isOn = (point, line) => line.slice(1).some((end, i) => distanceFromSegment(point, line[i], end) < 1e-6);

  it("are the points of the line that are in the box", () => forSeeds(300, (random) => {
    const line = randomPath(random, 2 + Math.floor(random() * 6));
    const [whole, drawn] = [pairs(line), trace(line)];
    for (let index = 0; index + 1 < whole.length; index += 1) {
      for (let count = 0; count < 40; count += 1) {
        const part = random();
        const [[ax, ay], [bx, by]] = [whole[index], whole[index + 1]];
        const [x, y] = [ax + part * (bx - ax), ay + part * (by - ay)];
        // A point that close to a side may be on either one.
        const room = Math.min(x - box.west, box.east - x, y - box.north, box.south - y);
        if (Math.abs(room) < 1e-6) continue;
        assert.equal(drawn.some((one) => isOn([x, y], one)), room > 0, `${[x, y]}`);
      }
    }
    for (const one of drawn) for (const point of one) assert.ok(isOn(point, whole), `${point} is not on the line`);
  }));

  it("are one line where they stay in the box", () => {
    assert.deepEqual(trace([0, 50, 40, 50, 60, 50, 100, 50]), [[[20, 50], [40, 50], [60, 50], [80, 50]]]);
    assert.equal(trace([30, 40, 30, 90, 50, 90, 50, 40]).length, 2);
    assert.deepEqual(trace([0, 0, 10, 100]), []);
    // Along a side, and upright beyond one.
    assert.deepEqual(trace([0, 30, 100, 30]), [[[20, 30], [80, 30]]]);
    assert.deepEqual(trace([10, 0, 10, 100, 15, 100]), []);
  });
});

describe("traced paths", () => {
  it("are scaled, moved and closed", () => {
    const target = recorder();
    tracePaths(target, pathsOf([30, 40, 50, 40, 50, 60]), box, true, 2, 100, 200);
    assert.deepEqual(target.lines, [[[160, 280], [200, 280], [200, 320]]]);
    assert.equal(target.closed, 1);
  });

  it("are left out beyond the box, and the others stay", () => {
    const target = recorder();
    tracePaths(target, pathsOf([0, 0, 10, 10], [30, 40, 50, 60], [200, 200, 300, 300]), box, false, 1, 0, 0);
    assert.deepEqual(target.lines, [[[30, 40], [50, 60]]]);
  });
});
