import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { forSeeds } from "./random.js";

const { Draft, round, vertexOf } = await import("../../Sources/FencepostPage/Web/regions/draft.js");
const { unusedID } = await import("../../Sources/FencepostPage/Web/regions/region-id.js");
const { isOneDocument } = await import("../../Sources/FencepostPage/Web/regions/requests.js");

const square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]];
const hole = [[0.2, 0.2], [0.4, 0.2], [0.4, 0.4], [0.2, 0.2]];
const feature = (type, coordinates, properties = {}) =>
  ({ type: "Feature", id: "home", geometry: { type, coordinates }, properties: { name: "Home", ...properties } });
const features = [
  feature("Point", [-9.1, 38.7], { radius: 120 }),
  feature("Polygon", [square, hole]),
  feature("MultiPolygon", [[square], [square, hole]]),
  feature("LineString", [[0, 0], [1, 1], [2, 1]], { width: 40 }),
  feature("MultiLineString", [[[0, 0], [1, 1]], [[5, 5], [6, 6]]], { width: 40 }),
];

describe("a draft", () => {
  for (const one of features) {
    it(`of a stored ${one.geometry.type} is that region again`, () => {
      const draft = Draft.fromFeature(one, '"1"');
      assert.deepEqual(draft.feature, one);
      assert.deepEqual([draft.etag, draft.isNew, draft.missing, draft.canUndo], ['"1"', false, null, false]);
    });
  }

  it("undoes and redoes as a list of states", () => forSeeds(100, (random) => {
    const draft = Draft.create("circle", "home");
    const states = [draft.state];
    let at = 0;
    for (let step = 0; step < 60; step += 1) {
      const chosen = random();
      if (chosen < 0.5) {
        draft.change({ radius: step });
        states.splice(at + 1, Infinity, draft.state);
        at += 1;
      } else if (chosen < 0.8) {
        draft.undo();
        at = Math.max(0, at - 1);
      } else {
        draft.redo();
        at = Math.min(states.length - 1, at + 1);
      }
      assert.equal(draft.state, states[at]);
      assert.deepEqual([draft.canUndo, draft.canRedo], [at > 0, at < states.length - 1]);
    }
  }));

  it("undoes at most 200 steps, and a drag as one", () => {
    const draft = Draft.create("circle", "home");
    for (let radius = 0; radius < 300; radius += 1) draft.change({ radius });
    let count = 0;
    while (draft.canUndo) {
      draft.undo();
      count += 1;
    }
    assert.equal(count, 200);
    draft.preview({ radius: 5 });
    draft.preview({ radius: 6 });
    assert.equal(draft.canUndo, false);
  });

  it("sets a property as a step, if it changes", () => {
    const draft = Draft.fromFeature(features[0], null);
    draft.setProperty("name", "Home");
    assert.equal(draft.canUndo, false);
    draft.setProperty("name", undefined);
    assert.deepEqual(draft.state.properties, {});
    draft.undo();
    assert.deepEqual(draft.state.properties, { name: "Home" });
  });

  it("says what is missing", () => {
    const polygon = Draft.create("polygon", "home");
    assert.match(polygon.missing, /corners/i);
    polygon.change(polygon.withPath([0, 0], [[0, 0], [1, 0]]));
    assert.match(polygon.missing, /corners/i);
    polygon.change(polygon.withPath([0, 0], [[0, 0], [1, 0], [1, 1]]));
    assert.equal(polygon.missing, null);
    polygon.change({ id: "" });
    assert.match(polygon.missing, /id/i);
    const circle = Draft.create("circle", "home");
    assert.ok(circle.missing);
    circle.change({ center: [0, 0], radius: 5 });
    assert.equal(circle.missing, null);
    assert.match(circle.warning, /5.0 m/);
    circle.change({ radius: 50 });
    assert.equal(circle.warning, null);
    circle.change({ center: null });
    assert.ok(circle.missing);
    assert.equal(circle.edge, null);
    const corridor = Draft.create("corridor", "home");
    assert.deepEqual([corridor.state.width, corridor.state.lines, polygon.state.width], [50, [[]], null]);
    corridor.change(corridor.withPath([0], [[0, 0]]));
    assert.ok(corridor.missing);
  });

  it("removes a hole, a polygon with its holes, and empties the last path", () => {
    const draft = Draft.fromFeature(features[2], null);
    draft.change(draft.withoutPath([1, 1]));
    assert.deepEqual(draft.state.polygons.map((rings) => rings.length), [1, 1]);
    draft.change(draft.withoutPath([0, 0]));
    assert.equal(draft.state.polygons.length, 1);
    draft.change(draft.withoutPath([0, 0]));
    assert.deepEqual(draft.paths, [{ pathIndex: [0, 0], points: [], isClosed: true }]);
  });

  it("makes a polygon of a circle, at the same radius", () => {
    const draft = Draft.fromFeature(features[0], null);
    const edge = draft.edge;
    assert.equal(draft.radiusTo(edge), 120);
    draft.change(draft.circleAsPolygon);
    assert.equal(draft.feature.geometry.type, "Polygon");
    assert.equal(draft.feature.geometry.coordinates[0].length, 33);
    assert.deepEqual(draft.feature.properties, { name: "Home" });
  });

  it("has centimetres, and a centre within the usual longitudes", () => {
    assert.equal(round(1.23456789), 1.2345679);
    const draft = Draft.create("circle", "a");
    draft.change({ center: [190, 3], radius: 9 });
    assert.deepEqual(draft.feature.geometry.coordinates, [-170, 3]);
  });
});

describe("the vertex of an error", () => {
  const find = (index, pointer) => vertexOf(Draft.fromFeature(features[index], null), pointer);

  it("is found in each kind of region", () => {
    assert.deepEqual(find(1, "/geometry/coordinates/1/2"), { pathIndex: [0, 1], index: 2 });
    assert.deepEqual(find(2, "/geometry/coordinates/1/0/3"), { pathIndex: [1, 0], index: 3 });
    assert.deepEqual(find(3, "/geometry/coordinates/2"), { pathIndex: [0], index: 2 });
    assert.deepEqual(find(4, "/features/0/geometry/coordinates/1/1"), { pathIndex: [1], index: 1 });
  });

  it("is the first one for the closing position, and the path for a path", () => {
    assert.deepEqual(find(1, "/geometry/coordinates/0/4"), { pathIndex: [0, 0], index: 0 });
    assert.deepEqual(find(1, "/geometry/coordinates/0"), { pathIndex: [0, 0], index: -1 });
    assert.deepEqual(find(1, "/geometry/coordinates"), { pathIndex: [0, 0], index: -1 });
  });

  it("is null where there is none", () => {
    assert.equal(find(0, "/geometry/coordinates/0"), null);
    assert.equal(find(1, "/properties/name"), null);
    assert.equal(find(1, "/geometry/coordinates/9/1"), null);
  });
});

describe("the id of a region", () => {
  const taken = new Map([["cafe-sao-jorge", 1], ["cafe-sao-jorge-2", 1], ["circle-1", 1]]);

  it("is made of its name, and of its kind without one", () => {
    assert.equal(unusedID(new Map(), "circle", "Café São Jorge!"), "cafe-sao-jorge");
    assert.equal(unusedID(taken, "circle", "Café São Jorge"), "cafe-sao-jorge-3");
    assert.equal(unusedID(taken, "circle"), "circle-2");
    assert.equal(unusedID(taken, "polygon", "東京"), "polygon-1");
    assert.equal(unusedID(new Map(), "circle", "x".repeat(500)).length, 64);
    assert.equal(unusedID(new Map(), "circle", "Ⅻ ½"), "xii-1-2");
  });
});

describe("an imported text", () => {
  it("is one document, or a document per line", () => {
    assert.equal(isOneDocument('{"type":\n"FeatureCollection"}'), true);
    assert.equal(isOneDocument('{"a":1}\n{"a":2}\n'), false);
    assert.equal(isOneDocument('\n{"a":1}\n\n'), true);
    // Invalid JSON: the service reports the position.
    assert.equal(isOneDocument('{"a":1'), true);
    assert.equal(isOneDocument('{"a":1}\n{"a":'), false);
    assert.equal(isOneDocument(""), true);
  });
});
