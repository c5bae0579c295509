import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { clusterLabel, clusterRadius, ringOf, takeClusters } from "../../Sources/FencepostPage/Web/map/clusters.js";
import { between, forSeeds } from "./random.js";

/** Points on a canvas, most of them near a few places. */
function pointsOf(random, count) {
  const points = { count, x: new Float32Array(count), y: new Float32Array(count), ids: [] };
  for (let i = 0; i < count; i += 1) {
    points.x[i] = random() < 0.7 ? 300 + 40 * Math.floor(random() * 5) + random() * 10 : between(random, 0, 2000);
    points.y[i] = random() < 0.7 ? 200 + random() * 60 : between(random, 0, 2000);
    points.ids[i] = i;
  }
  points.keep = (from, to) => {
    [points.x[to], points.y[to], points.ids[to]] = [points.x[from], points.y[from], points.ids[from]];
  };
  return points;
}
const never = () => false;

describe("groups of devices", () => {
  it("and the devices that stay are all devices", () => forSeeds(50, (random) => {
    const count = 501 + Math.floor(random() * 2000);
    const points = pointsOf(random, count);
    const groups = takeClusters(points, [0, 0], never);
    const grouped = groups.reduce((sum, group) => sum + group.count, 0);
    assert.equal(grouped + points.count, count);
    assert.ok(groups.length > 0 && groups.every((group) => group.count >= 8));
    assert.equal(new Set(points.ids.slice(0, points.count)).size, points.count);
  }));

  it("have their centre in their bounds, which are in one square", () => forSeeds(50, (random) => {
    for (const { x, y, box: [left, top, right, bottom] } of takeClusters(pointsOf(random, 1500), [7, 9], never)) {
      assert.ok(left <= x && x <= right && top <= y && y <= bottom);
      assert.equal(Math.floor((left - 7) / 64), Math.floor((right - 7) / 64));
      assert.equal(Math.floor((top - 9) / 64), Math.floor((bottom - 9) / 64));
    }
  }));

  it("are the same after the map moved", () => forSeeds(20, (random) => {
    const [still, moved] = [pointsOf(random, 900), pointsOf(random, 900)];
    // Whole and half pixels, which a Float32Array holds exactly.
    for (let i = 0; i < 900; i += 1) {
      [still.x[i], still.y[i]] = [Math.floor(still.x[i]), Math.floor(still.y[i])];
      [moved.x[i], moved.y[i]] = [still.x[i] + 100.5, still.y[i] - 33];
    }
    const counts = (groups) => groups.map((group) => group.count);
    assert.deepEqual(counts(takeClusters(moved, [100.5, -33], never)), counts(takeClusters(still, [0, 0], never)));
  }));

  it("leave out devices that stay in any case", () => {
    const points = pointsOf(() => 0.5, 600);
    const groups = takeClusters(points, [0, 0], (index) => index === 17);
    assert.deepEqual([points.count, points.ids[0]], [1, 17]);
    assert.equal(groups.length, 1);
  });

  it("are not made of few devices", () => {
    const points = pointsOf(() => 0.5, 500);
    assert.deepEqual(takeClusters(points, [0, 0], never), []);
    assert.equal(points.count, 500);
  });

  it("count the devices of each kind", () => forSeeds(20, (random) => {
    const points = pointsOf(random, 900);
    points.kindOf = (index) => index % 3;
    const groups = takeClusters(points, [0, 0], never);
    const sums = [0, 1, 2].map((kind) => groups.reduce((sum, { kinds }) => sum + kinds[kind], 0));
    const single = points.ids.slice(0, points.count).filter((id) => id % 3 === 1).length;
    assert.equal(sums[1] + single, 300);
    for (const { count, kinds } of groups) assert.equal(kinds.reduce((sum, number) => sum + number, 0), count);
  }));

  it("have a ring of shares, in which a few are visible", () => {
    assert.deepEqual(ringOf([0, 10, 0]).map(({ kind }) => kind), ["outside"]);
    const arcs = ringOf([1, 5000, 2500]);
    assert.deepEqual(arcs.map(({ kind }) => kind), ["inside", "outside", "silent"]);
    assert.ok(Math.abs(arcs[0].from + Math.PI / 2) < 1e-9 && Math.abs(arcs[2].to - 1.5 * Math.PI) < 1e-9);
    arcs.slice(1).forEach(({ from }, index) => assert.equal(from, arcs[index].to));
    const shares = arcs.map(({ from, to }) => (to - from) / (2 * Math.PI));
    assert.ok(shares[0] > 0.04 && Math.abs(shares[1] / shares[2] - 2) < 1e-9);
  });

  it("differ in size as they do in number", () => {
    assert.ok(clusterRadius(1000) > 2 * clusterRadius(10));
    assert.ok(clusterRadius(10) < 12);
  });

  it("have a number and a size", () => {
    assert.deepEqual([8, 999, 1000, 1249, 9949, 10_000, 34_499].map(clusterLabel),
      ["8", "999", "1.0k", "1.2k", "9.9k", "10k", "34k"]);
    for (let count = 8; count < 100_000; count *= 2) assert.ok(clusterRadius(2 * count) >= clusterRadius(count));
    assert.equal(clusterRadius(1e9), 30);
  });
});
