import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { classOf, classes, labelOf, streetOf, widthOf } from "../../Sources/FencepostPage/Web/map/vector-style.js";
import { line, point, polygon, readTile } from "../../Sources/FencepostPage/Web/map/vector-tile.js";
import { forSeeds } from "./random.js";

/** A tile of another library, by Fixtures/make_tile.py. */
const tile = new Uint8Array(readFileSync(new URL("Fixtures/tile.mvt", import.meta.url)));

/** A tile as values. */
const contentOf = (bytes) => readTile(bytes).map(({ name, extent, features }) => ({
  name, extent,
  features: features.map((feature) => ({ kind: feature.kind, tags: { ...feature.tags }, paths: feature.readPaths() })),
}));

describe("a vector tile", () => {
  it("is read as another library wrote it", () => {
    assert.deepEqual(contentOf(tile), [
      { name: "places", extent: 4096, features: [
        {
          kind: point, paths: [[25, 17]],
          tags: { name: "São João", population: 1200, rank: -3, height: 12.5, capital: true, sea: false,
            osm_id: Number.MAX_SAFE_INTEGER },
        },
        { kind: point, paths: [[5, 7], [3, 2], [-10, 4100]], tags: {} },
      ] },
      { name: "roads", extent: 4096, features: [
        { kind: line, paths: [[2, 2, 2, 10, 10, 10]], tags: { kind: "highway" } },
        { kind: line, paths: [[2, 2, 2, 10, 10, 10], [1, 1, 3, 5]], tags: { kind: "path" } },
      ] },
      { name: "water", extent: 4096, features: [
        { kind: polygon, tags: { kind: "lake" }, paths: [
          [0, 0, 4096, 0, 4096, 4096, 0, 4096], [1000, 1000, 1000, 2000, 2000, 2000, 2000, 1000],
        ] },
      ] },
    ]);
  });

  it("gives its geometry once", () => {
    const [feature] = readTile(tile)[1].features;
    assert.equal(feature.readPaths().length, 1);
    assert.deepEqual(feature.readPaths(), []);
  });

  it("may be empty", () => assert.deepEqual(readTile(new Uint8Array()), []));

  it("that ends early is read or refused, and nothing else happens", () => {
    let refused = 0;
    for (let length = 0; length < tile.length; length += 1) {
      try {
        contentOf(tile.slice(0, length));
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
        assert.match(error.message, /^The tile is damaged: .+\.$/);
        refused += 1;
      }
    }
    // It may end between two layers.
    assert.equal(refused, tile.length - 3);
  });

  it("with changed bytes is read or refused, and nothing else happens", () => forSeeds(2000, (random) => {
    const bytes = tile.slice();
    for (let count = 0; count < 3; count += 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    try {
      contentOf(bytes);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
    }
  }));

  /** A tile with one feature, whose geometry is these bytes. */
  const withGeometry = (...geometry) => {
    const feature = [0x18, 2, 0x22, geometry.length, ...geometry];
    const layer = [0x12, feature.length, ...feature];
    return Uint8Array.from([0x1a, layer.length, ...layer]);
  };

  it("with a count beyond its bytes is refused at once", () => {
    // LineTo, 2⁵⁰ times: a count that no memory could hold.
    const refused = [[0x09, 0, 0, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08], [0x0a, 2, 2], [0x0b, 2, 2]];
    for (const geometry of refused) {
      assert.throws(() => contentOf(withGeometry(...geometry)), RangeError, String(geometry));
    }
    assert.deepEqual(contentOf(withGeometry(0x09, 2, 3, 0x0a, 4, 5, 0x0f))[0].features[0].paths, [[1, -2, 3, -5]]);
  });

  it("has properties by name only", () => {
    // A key with the name of a member that every object inherits.
    const key = new TextEncoder().encode("__proto__");
    const layer = [0x12, 4, 0x12, 2, 0, 0, 0x1a, key.length, ...key, 0x22, 2, 0x28, 7];
    const [{ features }] = readTile(Uint8Array.from([0x1a, layer.length, ...layer]));
    assert.deepEqual(Object.entries(features[0].tags), [["__proto__", 7]]);
    assert.equal(features[0].tags.toString, undefined);
  });
});

describe("the style of vector tiles", () => {
  it("has a class for what the three schemas call the same", () => {
    for (const [layer, tags] of [
      ["transportation", { class: "motorway" }], ["roads", { kind: "highway" }], ["streets", { kind: "motorway" }],
    ]) assert.equal(classOf(layer, line, tags), "motorway", layer);
    for (const layer of ["ocean", "water_polygons", "water"]) assert.equal(classOf(layer, polygon, {}), "water");
    assert.equal(classOf("waterway", line, {}), "river");
    assert.equal(classOf("land", polygon, { kind: "forest" }), "green");
    assert.equal(classOf("landuse", polygon, { class: "residential" }), "built");
    assert.equal(classOf("landuse", polygon, { class: "unheard-of" }), null);
    assert.equal(classOf("buildings", line, {}), null);
    assert.equal(classOf("unheard-of", polygon, {}), null);
  });

  it("draws boundaries of countries and regions on land", () => {
    assert.equal(classOf("boundary", line, { admin_level: 2 }), "boundary");
    assert.equal(classOf("boundaries", line, { kind: "region" }), "boundary");
    assert.equal(classOf("boundary", line, { admin_level: 8 }), null);
    assert.equal(classOf("boundary", line, { admin_level: 2, maritime: 1 }), null);
  });

  it("draws every class that features get", () => {
    const drawn = new Set(classes.map(({ name }) => name));
    for (const name of ["land", "water", "river", "green", "built", "building", "boundary", "motorway", "major", "minor",
      "path", "rail"]) assert.ok(drawn.has(name), name);
  });

  it("makes lines wider from level to level, and edges wider than their lines", () => {
    for (const one of classes.filter(({ width }) => width)) {
      for (let zoom = 3; zoom < 20; zoom += 1) assert.ok(widthOf(one, zoom + 1) >= widthOf(one, zoom));
      assert.ok(widthOf(one, 3) >= 0.6);
      if (one.edge) assert.ok(widthOf(one, 5) > widthOf({ ...one, edge: 0 }, 5));
    }
  });

  it("places larger towns first", () => {
    const weight = (tags) => labelOf("place", point, { name: "A", class: "town", ...tags }).weight;
    assert.ok(weight({ population: 90_000 }) < weight({ population: 900 }));
    assert.ok(weight({ rank: 1 }) < weight({ rank: 9 }));
    assert.ok(labelOf("place", point, { name: "A", class: "city" }).weight < weight({ population: 1e7 }));
    assert.equal(labelOf("place", point, { name: 7, class: "city" }), null);
    assert.equal(labelOf("place", point, { name: "A", class: "toString" }), null);
    assert.equal(labelOf("place", line, { name: "A", class: "city" }), null);
    assert.equal(labelOf("place", point, { name: "x".repeat(500), class: "city" }).name.length, 60);
  });

  it("names streets, and roads without a name by their number", () => {
    assert.equal(streetOf("transportation_name", line, { name: "Rua", class: "minor" }).name, "Rua");
    assert.equal(streetOf("roads", line, { ref: "A 1", kind: "highway" }).name, "A 1");
    assert.equal(streetOf("roads", line, { name: "Rail", kind: "rail" }), null);
    assert.equal(streetOf("buildings", line, { name: "A", kind: "highway" }), null);
  });
});
