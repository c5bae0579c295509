import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { forSeeds, between } from "./random.js";

const { boundingBox, circleRing, distance } = await import("../../Sources/FencepostPage/Web/core/geo.js");
const { pathInto, positionAlong } = await import("../../Sources/FencepostPage/Web/live/walk.js");
const { isInRing } = await import("./geometry.js");

describe("the path of a test walk", () => {
  it("begins outside a circle and ends in it", () => forSeeds(100, (random) => {
    const [center, radius] = [[between(random, -180, 180), between(random, -70, 70)], between(random, 20, 5000)];
    const [start, end] = pathInto({ geometry: { type: "Point", coordinates: center }, properties: { radius } });
    assert.ok(distance(start, center) > radius && distance(end, center) < radius);
    assert.ok(distance(start, end) <= 301);
  }));

  it("begins outside a polygon and ends in it", () => forSeeds(100, (random) => {
    const ring = circleRing([10, 50], between(random, 50, 3000), 3 + Math.floor(random() * 9));
    const [start, end] = pathInto({ geometry: { type: "Polygon", coordinates: [ring] } });
    assert.ok(!isInRing(start, ring) && isInRing(end, ring));
  }));

  it("crosses a corridor", () => {
    const corridor = { geometry: { type: "LineString", coordinates: [[10, 50], [10.1, 50]] }, properties: { width: 80 } };
    const [start, end] = pathInto(corridor);
    const [, south, , north] = boundingBox(corridor);
    assert.ok(start[1] < south || start[1] > north);
    assert.ok(end[1] > south && end[1] < north);
  });

  it("is walked from its start to its end", () => forSeeds(50, (random) => {
    const path = [[10, 50], [10.01, 50], [10.01, 50.01]];
    const total = distance(path[0], path[1]) + distance(path[1], path[2]);
    const meters = between(random, 0, 1.2 * total);
    const { position, isEnd } = positionAlong(path, meters);
    assert.equal(isEnd, meters >= total);
    const first = distance(path[0], path[1]);
    const expected = meters <= first ? distance(path[0], position) : first + distance(path[1], position);
    assert.ok(Math.abs(expected - Math.min(meters, total)) < 0.5, `${expected} ${meters}`);
  }));

  it("may have one point", () => {
    assert.deepEqual(positionAlong([[1, 2]], 5), { position: [1, 2], course: 0, isEnd: true });
  });
});
