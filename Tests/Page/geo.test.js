import assert from "node:assert/strict";
import { describe, it } from "node:test";

import {
  bearing, boundingBox, circleRing, containsPosition, destination, distance, interiorPoint, mercatorX, mercatorY,
  metersPerUnit, outlines, unwrapLongitude, wrapLongitude,
} from "../../Sources/FencepostPage/Web/core/geo.js";
import { nearestBoundaryPoint } from "../../Sources/FencepostPage/Web/core/nearest-point.js";
import { isInRing, isInRings } from "./geometry.js";
import { between, forSeeds } from "./random.js";

const near = (actual, expected, tolerance, message) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${message ?? ""} ${actual} is not ${expected} ± ${tolerance}`);
const position = (random) => [between(random, -180, 180), between(random, -89, 89)];
const feature = (type, coordinates, properties = {}) => ({ geometry: { type, coordinates }, properties });

describe("distances", () => {
  it("are those of the sphere", () => {
    // A quarter of a great circle, and a degree of it.
    near(distance([0, 0], [90, 0]), 10_007_557, 1);
    near(distance([0, 0], [0, 90]), 10_007_557, 1);
    near(distance([7, 50], [7, 51]), 111_195.08, 0.01);
    // The ellipsoid has 343.9 km between Paris and London; the sphere differs by at most 0.6 %.
    near(distance([2.3522, 48.8566], [-0.1276, 51.5072]), 343_900, 2000);
    near(distance([179.9, 0], [-179.9, 0]), 0.2 * 111_195.08, 0.01);
    near(distance([0, 90], [120, 90]), 0, 1e-6);
    // Opposite points, where the square root may exceed 1.
    near(distance([10, 20], [-170, -20]), Math.PI * 6_371_008.8, 1);
  });

  it("are symmetric, not negative, and at most as long as a detour", () => forSeeds(200, (random) => {
    const [a, b, c] = [position(random), position(random), position(random)];
    near(distance(a, b), distance(b, a), 1e-6);
    assert.equal(distance(a, a), 0);
    assert.ok(distance(a, b) <= distance(a, c) + distance(c, b) + 1e-6);
  }));

  it("lead back from destinations", () => forSeeds(200, (random) => {
    const start = position(random);
    const [meters, degrees] = [between(random, 1, 1_000_000), between(random, 0, 360)];
    const end = destination(start, meters, degrees);
    near(distance(start, end), meters, 1e-3);
    const turned = Math.abs(bearing(start, end) - degrees);
    near(Math.min(turned, 360 - turned), 0, 1e-4, "bearing");
  }));

  it("have bearings clockwise from north", () => {
    near(bearing([0, 0], [0, 1]), 0, 1e-9);
    near(bearing([0, 0], [1, 0]), 90, 1e-9);
    near(bearing([0, 0], [0, -1]), 180, 1e-9);
    near(bearing([0, 0], [-1, 0]), 270, 1e-9);
    near(bearing([179.5, 0], [-179.5, 0]), 90, 1e-9);
  });
});

describe("longitudes", () => {
  it("unwrap to within half a turn of another one", () => forSeeds(200, (random) => {
    const [lon, other] = [between(random, -720, 720), between(random, -720, 720)];
    const unwrapped = unwrapLongitude(lon, other);
    assert.ok(Math.abs(unwrapped - other) <= 180 + 1e-9);
    near((unwrapped - lon) / 360, Math.round((unwrapped - lon) / 360), 1e-9);
  }));

  it("wrap into the usual range, and stay where they are in it", () => {
    for (const lon of [-180, -12.25, 0, 180]) assert.equal(wrapLongitude(lon), lon);
    near(wrapLongitude(181), -179, 1e-9);
    near(wrapLongitude(-541), 179, 1e-9);
  });
});

describe("Web Mercator", () => {
  it("is the unit square", () => {
    assert.equal(mercatorX(-180), 0);
    assert.equal(mercatorX(180), 1);
    near(mercatorY(0), 0.5, 1e-12);
    near(mercatorY(85.0511287798066), 0, 1e-9);
    near(mercatorY(-85.0511287798066), 1, 1e-9);
    assert.equal(mercatorY(90), mercatorY(86));
    assert.ok(Number.isFinite(mercatorY(-90)));
  });

  it("has the scale that small distances have", () => forSeeds(100, (random) => {
    const lat = between(random, -80, 80);
    const units = Math.hypot(mercatorX(10.0001) - mercatorX(10), 0);
    // The equator of Web Mercator is that of the ellipsoid, 0.11 % longer than the mean one.
    near((units * metersPerUnit(lat)) / distance([10, lat], [10.0001, lat]), 1, 0.0015);
  }));
});

describe("circles", () => {
  it("are closed rings at their radius", () => forSeeds(100, (random) => {
    const center = position(random);
    const meters = between(random, 1, 100_000);
    const ring = circleRing(center, meters, 24);
    assert.equal(ring.length, 25);
    assert.deepEqual(ring[0], ring.at(-1));
    for (const one of ring) near(distance(center, one), meters, 1e-3);
  }));

  it("are continuous across the antimeridian", () => {
    const longitudes = circleRing([179.99, 0], 10_000).map(([lon]) => lon);
    assert.ok(Math.max(...longitudes) > 180 && Math.min(...longitudes) > 179);
  });
});

describe("outlines", () => {
  it("are rings of areas and lines of corridors", () => {
    assert.equal(outlines(feature("Point", [1, 2], { radius: 50 })).rings.length, 1);
    assert.equal(outlines(feature("Polygon", [[[0, 0], [1, 0], [1, 1], [0, 0]]])).rings.length, 1);
    assert.equal(outlines(feature("MultiPolygon", [[[[0, 0]]], [[[1, 1]], [[2, 2]]]])).rings.length, 3);
    assert.deepEqual(outlines(feature("LineString", [[0, 0], [1, 1]], { width: 30 })),
      { lines: [[[0, 0], [1, 1]]], width: 30 });
    assert.equal(outlines(feature("MultiLineString", [[[0, 0]], [[1, 1]]], { width: 30 })).lines.length, 2);
    assert.deepEqual(outlines(feature("GeometryCollection", [])), { rings: [] });
  });

  it("take the shorter way over the antimeridian", () => {
    const { lines } = outlines(feature("LineString", [[179, 0], [-179, 0], [179, 1]], { width: 30 }));
    assert.deepEqual(lines[0].map(([lon]) => lon), [179, 181, 179]);
  });

  it("have bounding boxes that contain them", () => {
    const [west, south, east, north] = boundingBox(feature("Point", [10, 60], { radius: 1000 }));
    near(distance([west, 60], [10, 60]), 1000, 5);
    near(distance([east, 60], [10, 60]), 1000, 5);
    near(distance([10, south], [10, 60]), 1000, 5);
    near(distance([10, north], [10, 60]), 1000, 5);
    const corridor = boundingBox(feature("LineString", [[10, 60], [10.1, 60]], { width: 200 }));
    near(distance([10, corridor[3]], [10, 60]), 100, 1);
    near(distance([corridor[0], 60], [10, 60]), 100, 1);
    assert.ok(corridor[0] < 10 && corridor[1] < 60 && corridor[2] > 10.1 && corridor[3] > 60);
  });
});

describe("label points", () => {
  /** A star-shaped ring around a centre, closed. */
  const star = (random, [x, y], count) => {
    const corners = Array.from({ length: count }, (_, i) => {
      const [angle, radius] = [((i + 0.1 + 0.8 * random()) / count) * 2 * Math.PI, between(random, 0.2, 1)];
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    });
    return [...corners, corners[0]];
  };

  it("are inside polygons, and not in their holes", () => forSeeds(300, (random) => {
    const rings = [star(random, [10, 50], 3 + Math.floor(random() * 20))];
    if (random() < 0.5) rings.push(rings[0].map(([x, y]) => [10 + (x - 10) * 0.6, 50 + (y - 50) * 0.6]));
    assert.ok(isInRings(interiorPoint(feature("Polygon", rings)), rings));
  }));

  it("are in the largest part of several", () => {
    const small = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]];
    const large = [[5, 5], [9, 5], [9, 9], [5, 9], [5, 5]];
    assert.ok(isInRing(interiorPoint(feature("MultiPolygon", [[small], [large]])), large));
  });

  it("are the centre of a circle and the middle of a line", () => {
    assert.deepEqual(interiorPoint(feature("Point", [3, 4], { radius: 9 })), [3, 4]);
    assert.deepEqual(interiorPoint(feature("LineString", [[0, 0], [1, 1], [2, 2]], { width: 9 })), [1, 1]);
  });
});

describe("the nearest point of a boundary", () => {
  it("is on the circle, in the direction of the position", () => forSeeds(100, (random) => {
    const center = [between(random, -180, 180), between(random, -70, 70)];
    const [meters, degrees] = [between(random, 50, 2000), between(random, 0, 360)];
    const outside = destination(center, meters * between(random, 0.2, 3), degrees);
    const found = nearestBoundaryPoint(feature("Point", center, { radius: meters }), outside);
    // A ring of 96 corners is up to 0.06 % inside its circle.
    near(distance(center, found), meters, meters * 0.003);
    near(distance(found, outside), Math.abs(meters - distance(center, outside)), meters * 0.005);
  }));

  it("is half the width away from the line of a corridor", () => {
    const corridor = feature("LineString", [[10, 50], [10.1, 50]], { width: 100 });
    const outside = destination([10.05, 50], 300, 0);
    const found = nearestBoundaryPoint(corridor, outside);
    near(distance(found, outside), 250, 1);
    assert.deepEqual(nearestBoundaryPoint(corridor, [10.05, 50]), [10.05, 50]);
  });

  it("is null without an outline", () => {
    assert.equal(nearestBoundaryPoint(feature("GeometryCollection", []), [0, 0]), null);
  });
});

describe("a position", () => {
  it("is in a circle up to its radius", () => forSeeds(50, (random) => {
    const center = position(random);
    const circle = feature("Point", center, { radius: 200 });
    const at = (meters) => containsPosition(circle, destination(center, meters, between(random, 0, 360)));
    assert.deepEqual([at(0), at(199), at(201)], [true, true, false]);
  }));

  it("is in a polygon but not in its hole, also across the antimeridian", () => {
    const square = (west, east, half) => [[west, -half], [east, -half], [east, half], [west, half], [west, -half]];
    const region = feature("Polygon", [square(179, -179, 1), square(179.8, -179.8, 0.2)]);
    const inside = [[179.5, 0], [-179.5, 0.5], [180, 0.9]];
    const outside = [[180, 0], [-179.9, 0.1], [178.9, 0], [-178.9, 0], [180, 1.1], [0, 0]];
    for (const one of inside) assert.ok(containsPosition(region, one), `${one}`);
    for (const one of outside) assert.ok(!containsPosition(region, one), `${one}`);
  });

  it("is in one of several polygons as in their rings", () => forSeeds(50, (random) => {
    const ring = circleRing([between(random, -170, 170), between(random, -60, 60)], 5000, 7);
    const [x, y] = [ring[0][0] + between(random, -0.2, 0.2), ring[0][1] + between(random, -0.2, 0.2)];
    const away = ring.map(([lon, lat]) => [lon + 3, lat]);
    assert.equal(containsPosition(feature("MultiPolygon", [[away], [ring]]), [x, y]), isInRings([x, y], [ring]));
  }));

  it("is in a corridor up to half its width", () => {
    const line = [[10, 50], [10.02, 50], [10.02, 50.02]];
    const corridor = feature("LineString", line, { width: 100 });
    const at = (start, meters, degrees) => containsPosition(corridor, destination(start, meters, degrees));
    assert.deepEqual([at([10.01, 50], 49, 0), at([10.01, 50], 51, 0), at([10, 50], 49, 270), at([10, 50], 51, 270)],
      [true, false, true, false]);
  });
});
