// A region while it is drawn: its shape as handles that can be moved, its properties, and what was before each change.

import { Observable } from "../core/observable.js";
import { circle, destination, distance, wrapped } from "../core/geo.js";

/** How many steps can be taken back. */
const mostSteps = 200;

/**
 * The state of a draft, never changed in place: `{kind, id, center, radius, polygons, lines, width, properties}`.
 * `kind` is `circle`, `polygon` or `corridor`; `polygons` are lists of open rings, the first of each the outer one.
 */
export class Draft {
  /** Tells after each change. */
  changes;
  /** The version that the service gave, for `If-Match`; null for a region that is new. */
  etag = null;
  isNew = true;
  #past = [];
  #future = [];

  constructor(state) {
    this.changes = new Observable(state);
  }

  static fresh(kind, id) {
    return new Draft({
      kind, id, center: null, radius: null, polygons: kind === "polygon" ? [[[]]] : [],
      lines: kind === "corridor" ? [[]] : [], width: kind === "corridor" ? 50 : null, properties: {},
    });
  }

  /** A region of the service, to be changed. */
  static of(feature, etag) {
    const draft = new Draft(stateOf(feature));
    draft.etag = etag;
    draft.isNew = false;
    return draft;
  }

  get state() {
    return this.changes.value;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** Changes members of the state, as one step that can be taken back. */
  change(members) {
    this.#past.push(this.state);
    if (this.#past.length > mostSteps) this.#past.shift();
    this.#future = [];
    this.changes.value = { ...this.state, ...members };
  }

  /** Changes without a step of its own: while something is dragged. */
  preview(members) {
    this.changes.value = { ...this.state, ...members };
  }

  undo() {
    if (!this.canUndo) return;
    this.#future.push(this.state);
    this.changes.value = this.#past.pop();
  }

  redo() {
    if (!this.canRedo) return;
    this.#past.push(this.state);
    this.changes.value = this.#future.pop();
  }

  /** Sets a property, or takes it out with `undefined`. */
  setProperty(name, value) {
    const properties = { ...this.state.properties };
    if (value === undefined) delete properties[name];
    else properties[name] = value;
    if (JSON.stringify(properties) !== JSON.stringify(this.state.properties)) this.change({ properties });
  }

  /** The paths that have vertices: `{path, ring}` with `path` naming the place, as `with` takes it. */
  get paths() {
    const { kind, polygons, lines } = this.state;
    if (kind === "polygon") {
      return polygons.flatMap((rings, p) => rings.map((points, r) => ({ at: [p, r], points, isClosed: true })));
    }
    return kind === "corridor" ? lines.map((points, l) => ({ at: [l], points, isClosed: false })) : [];
  }

  /** The members that put these points at a path's place. */
  with(at, points) {
    const { kind, polygons, lines } = this.state;
    if (kind === "corridor") return { lines: lines.map((line, index) => (index === at[0] ? points : line)) };
    const changed = (rings) => rings.map((ring, r) => (r === at[1] ? points : ring));
    return { polygons: polygons.map((rings, p) => (p === at[0] ? changed(rings) : rings)) };
  }

  /** The members without a path: a hole, a further polygon or line; what would leave nothing leaves an empty path. */
  without(at) {
    const { kind, polygons, lines } = this.state;
    if (kind === "corridor") return { lines: lines.length > 1 ? lines.filter((_, index) => index !== at[0]) : [[]] };
    const [p, r] = at;
    if (r > 0) return { polygons: polygons.map((rings, i) => (i === p ? rings.filter((_, j) => j !== r) : rings)) };
    return { polygons: polygons.length > 1 ? polygons.filter((_, index) => index !== p) : [[[]]] };
  }

  /** What is missing before it can be saved, in words; null when nothing is. */
  get lack() {
    const { kind, center, radius, id } = this.state;
    if (!id) return "It needs an id.";
    if (kind === "circle") return center && radius > 0 ? null : "It needs a centre and a radius.";
    const least = kind === "polygon" ? 3 : 2;
    const short = this.paths.find(({ points }) => points.length < least);
    if (!short) return null;
    return kind === "polygon" ? "A ring needs three corners." : "A line needs two positions.";
  }

  /** As GeoJSON, as the service takes it. */
  get feature() {
    const { kind, id, center, radius, polygons, lines, width, properties } = this.state;
    const position = ([lon, lat]) => [round(lon), round(lat)];
    const rings = (polygon) => polygon.map((ring) => [...ring, ring[0]].filter(Boolean).map(position));
    let geometry;
    const extra = {};
    if (kind === "circle") {
      const [lon, lat] = position(center ?? [0, 0]);
      geometry = { type: "Point", coordinates: [wrapped(lon), lat] };
      extra.radius = radius;
    } else if (kind === "polygon") {
      geometry = polygons.length > 1
        ? { type: "MultiPolygon", coordinates: polygons.map(rings) }
        : { type: "Polygon", coordinates: rings(polygons[0]) };
    } else {
      geometry = lines.length > 1
        ? { type: "MultiLineString", coordinates: lines.map((line) => line.map(position)) }
        : { type: "LineString", coordinates: lines[0].map(position) };
      extra.width = width;
    }
    return { type: "Feature", id, geometry, properties: { ...properties, ...extra } };
  }

  /** A circle or a corridor as the polygon that it looks like, to be changed by its corners. */
  get asPolygon() {
    const { center, radius } = this.state;
    return { kind: "polygon", polygons: [[circle(center, radius, 32).slice(0, -1)]], center: null, radius: null };
  }

  /** The handle on a circle's edge. */
  get edge() {
    const { center, radius } = this.state;
    return center && radius ? destination(center, radius, 90) : null;
  }

  /** The radius that puts the edge through a position. */
  radiusTo(position) {
    return Math.max(1, Math.round(distance(this.state.center, position)));
  }
}

/** Seven digits are a centimetre. */
const round = (degrees) => Math.round(degrees * 1e7) / 1e7;

function stateOf(feature) {
  const { radius = null, width = null, ...properties } = feature.properties ?? {};
  const { type, coordinates } = feature.geometry;
  const open = (ring) => ring.slice(0, -1).map(([lon, lat]) => [lon, lat]);
  const state = {
    kind: "polygon", id: String(feature.id), center: null, radius: null, polygons: [], lines: [], width: null,
    properties,
  };
  switch (type) {
    case "Point": return { ...state, kind: "circle", center: coordinates.slice(0, 2), radius };
    case "LineString": return { ...state, kind: "corridor", lines: [coordinates], width };
    case "MultiLineString": return { ...state, kind: "corridor", lines: coordinates, width };
    case "MultiPolygon": return { ...state, polygons: coordinates.map((polygon) => polygon.map(open)) };
    default: return { ...state, polygons: [coordinates.map(open)] };
  }
}

/**
 * Which vertex a fault of the service means.
 * @param {string} pointer such as `/geometry/coordinates/0/7`.
 * @returns {{at: number[], index: number}|null} the path, and the place in it; -1 is the whole path.
 */
export function vertexOf(draft, pointer) {
  const match = pointer.match(/geometry\/coordinates((?:\/\d+)*)$/);
  if (!match) return null;
  const steps = match[1].split("/").filter(Boolean).map(Number);
  const { kind, polygons, lines } = draft.state;
  if (kind === "circle") return null;
  if (kind === "polygon" && polygons.length === 1) steps.unshift(0);
  if (kind === "corridor" && lines.length === 1) steps.unshift(0);
  const depth = kind === "polygon" ? 2 : 1;
  const at = steps.slice(0, depth);
  while (at.length < depth) at.push(0);
  const points = draft.paths.find((path) => path.at.join() === at.join())?.points;
  if (!points) return null;
  const index = steps[depth] ?? -1;
  // The last position of a ring is its first.
  return { at, index: index >= points.length ? 0 : index };
}
