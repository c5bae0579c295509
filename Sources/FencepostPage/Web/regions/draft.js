// The draft of a region: its shape, its properties, and the undo history.

import { formatDistance } from "../core/format.js";
import { circleRing, destination, distance, wrapLongitude } from "../core/geo.js";
import { Observable } from "../core/observable.js";
import { text } from "../text/text.js";

/** The length of the undo history. */
const maximumSteps = 200;
/** The radius below which the editor warns, in metres: phones outdoors have an accuracy of 5 to 20 m. */
const leastUsefulRadius = 10;

/**
 * A region in the editor. Its state `{kind, id, center, radius, polygons, lines, width, properties}` is immutable.
 * `kind` is `circle`, `polygon` or `corridor`. A polygon is a list of rings without the closing position; the first one
 * is the outer ring. A path is a ring or a line; its `pathIndex` is `[polygon, ring]` or `[line]`.
 */
export class Draft {
  /** The state, as an observable. */
  changes;
  /** The version of the service, for `If-Match`; null for a new region. */
  etag = null;
  isNew = true;
  #past = [];
  #future = [];

  constructor(state) {
    this.changes = new Observable(state);
  }

  static create(kind, id) {
    return new Draft({
      kind, id, center: null, radius: null, polygons: kind === "polygon" ? [[[]]] : [],
      lines: kind === "corridor" ? [[]] : [], width: kind === "corridor" ? 50 : null, properties: {},
    });
  }

  /** A draft of a stored region. */
  static fromFeature(feature, etag) {
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

  /** Changes members of the state as one undoable step. */
  change(members) {
    this.#past.push(this.state);
    if (this.#past.length > maximumSteps) this.#past.shift();
    this.#future = [];
    this.changes.value = { ...this.state, ...members };
  }

  /** Changes members without an undoable step, during a drag. */
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

  /** Sets a property; `undefined` removes it. */
  setProperty(name, value) {
    const properties = { ...this.state.properties };
    if (value === undefined) delete properties[name];
    else properties[name] = value;
    if (JSON.stringify(properties) !== JSON.stringify(this.state.properties)) this.change({ properties });
  }

  /** The rings or lines as `{pathIndex, points, isClosed}`. */
  get paths() {
    const { kind, polygons, lines } = this.state;
    if (kind === "polygon") {
      return polygons.flatMap((rings, p) => rings.map((points, r) => ({ pathIndex: [p, r], points, isClosed: true })));
    }
    return kind === "corridor" ? lines.map((points, l) => ({ pathIndex: [l], points, isClosed: false })) : [];
  }

  /** The members of the state with the points of one path replaced. */
  withPath(pathIndex, points) {
    const { kind, polygons, lines } = this.state;
    if (kind === "corridor") return { lines: lines.map((line, index) => (index === pathIndex[0] ? points : line)) };
    const changed = (rings) => rings.map((ring, r) => (r === pathIndex[1] ? points : ring));
    return { polygons: polygons.map((rings, p) => (p === pathIndex[0] ? changed(rings) : rings)) };
  }

  /** The members of the state without one path. The last path is emptied, not removed. */
  withoutPath(pathIndex) {
    const { kind, polygons, lines } = this.state;
    const [p, r] = pathIndex;
    if (kind === "corridor") return { lines: lines.length > 1 ? lines.filter((_, index) => index !== p) : [[]] };
    if (r > 0) return { polygons: polygons.map((rings, i) => (i === p ? rings.filter((_, j) => j !== r) : rings)) };
    return { polygons: polygons.length > 1 ? polygons.filter((_, index) => index !== p) : [[[]]] };
  }

  /** What is missing to save the draft, as a sentence; null if it is complete. */
  get missing() {
    const { kind, center, radius, id } = this.state;
    if (!id) return text.regions.draft.needsID;
    if (kind === "circle") return center && radius > 0 ? null : text.regions.draft.needsCentreAndRadius;
    const least = kind === "polygon" ? 3 : 2;
    const short = this.paths.find(({ points }) => points.length < least);
    if (!short) return null;
    return kind === "polygon" ? text.regions.draft.needsCorners : text.regions.draft.needsPositions;
  }

  /** A remark on a draft that can be saved but is hardly meant so, or null. */
  get warning() {
    const { kind, radius } = this.state;
    if (kind !== "circle" || !(radius > 0) || radius >= leastUsefulRadius) return null;
    return text.regions.draft.smallCircle(formatDistance(radius));
  }

  /** The draft as a GeoJSON feature of the API. */
  get feature() {
    const { kind, id, center, radius, polygons, lines, width, properties } = this.state;
    const position = ([lon, lat]) => [round(lon), round(lat)];
    const rings = (polygon) => polygon.map((ring) => [...ring, ring[0]].filter(Boolean).map(position));
    let geometry;
    const extra = {};
    if (kind === "circle") {
      const [lon, lat] = position(center ?? [0, 0]);
      geometry = { type: "Point", coordinates: [wrapLongitude(lon), lat] };
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

  /** The members of the state with the circle converted to a polygon of 32 corners. */
  get circleAsPolygon() {
    const { center, radius } = this.state;
    return { kind: "polygon", polygons: [[circleRing(center, radius, 32).slice(0, -1)]], center: null, radius: null };
  }

  /** The position of the handle on the circle, east of the centre. */
  get edge() {
    const { center, radius } = this.state;
    return center && radius ? destination(center, radius, 90) : null;
  }

  /** The radius of a circle through a position, in metres, at least 1. */
  radiusTo(position) {
    return Math.max(1, Math.round(distance(this.state.center, position)));
  }
}

/** Degrees with seven decimals, about one centimetre. */
export const round = (degrees) => Math.round(degrees * 1e7) / 1e7;

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
 * The vertex that an error of the API refers to.
 * @param {string} pointer a JSON Pointer such as `/geometry/coordinates/0/7`.
 * @returns {{pathIndex: number[], index: number}|null} the path, and the index in it; -1 means the whole path.
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
  const pathIndex = steps.slice(0, depth);
  while (pathIndex.length < depth) pathIndex.push(0);
  const points = draft.paths.find((path) => path.pathIndex.join() === pathIndex.join())?.points;
  if (!points) return null;
  const index = steps[depth] ?? -1;
  // The last position of a ring equals its first.
  return { pathIndex, index: index >= points.length ? 0 : index };
}
