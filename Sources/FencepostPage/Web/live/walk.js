// A test device that walks: a path over the ground, and a fix a second along it, sent to the service as any phone
// would.

import { post } from "../core/api.js";
import { anchor, bearing, destination, distance, extent, near, outlines, wrapped } from "../core/geo.js";

/** Metres to begin outside of a region, and to end inside it. */
const run = 150;
const accuracy = 5;

/** A path `[[lon, lat], …]` from outside a region over its boundary to well inside. */
export function pathInto(feature) {
  const [target, from] = feature.geometry.type.endsWith("LineString") ? acrossLine(feature) : fromWest(feature);
  const [edge, inward] = from;
  const depth = Math.min(run, distance(edge, target));
  return [destination(edge, run, (inward + 180) % 360), destination(edge, depth, inward)];
}

function fromWest(feature) {
  const target = anchor(feature);
  const { rings } = outlines(feature);
  // The nearest crossing of the boundary to the west of the target.
  let west = extent(feature)[0];
  const [lon, lat] = [target[0], target[1]];
  let best = -Infinity;
  for (const ring of rings) {
    for (let i = 0; i + 1 < ring.length; i += 1) {
      const [[x1, y1], [x2, y2]] = [ring[i], ring[i + 1]];
      if (y1 > lat === y2 > lat) continue;
      const x = x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1);
      if (x < near(lon, x) && x > best) best = x;
    }
  }
  if (best > -Infinity) west = best;
  const edge = [west, lat];
  return [target, [edge, bearing(edge, target)]];
}

function acrossLine(feature) {
  const { lines, width } = outlines(feature);
  const [line] = lines;
  const at = Math.max(1, Math.floor(line.length / 2));
  const middle = [(line[at - 1][0] + line[at][0]) / 2, (line[at - 1][1] + line[at][1]) / 2];
  const side = bearing(line[at - 1], line[at]) + 90;
  const edge = destination(middle, width / 2, side);
  return [middle, [edge, (side + 180) % 360]];
}

/** Sends a device along a path until it is there or stopped. */
export class Walk {
  #timer = 0;
  #travelled = 0;

  /**
   * @param {object} options `deviceId`, `path`, `speed` in metres a second, `onFix(fix)` after each that was stored,
   *   `onEnd(problem|null)`.
   */
  constructor(options) {
    this.options = options;
    this.#step();
  }

  stop() {
    clearTimeout(this.#timer);
    this.options.onEnd(null);
  }

  async #step() {
    const { deviceId, path, speed, onFix, onEnd } = this.options;
    const { position, course, isEnd } = along(path, this.#travelled);
    const fix = {
      deviceId, timestamp: new Date().toISOString(), latitude: position[1], longitude: wrapped(position[0]),
      horizontalAccuracy: accuracy, speed: isEnd ? 0 : speed, course, isSimulated: true,
    };
    try {
      const answer = await post("/v1/locations", { locations: [fix] });
      if (answer.rejected?.length) throw new Error(answer.rejected[0].detail);
      onFix(fix);
    } catch (problem) {
      onEnd(problem);
      return;
    }
    if (isEnd) {
      onEnd(null);
      return;
    }
    this.#travelled += speed;
    this.#timer = setTimeout(() => this.#step(), 1000);
  }
}

/** The position after so many metres of a path. */
function along(path, meters) {
  let left = meters;
  for (let i = 0; i + 1 < path.length; i += 1) {
    const length = distance(path[i], path[i + 1]);
    const course = bearing(path[i], path[i + 1]);
    if (left < length) return { position: destination(path[i], left, course), course, isEnd: false };
    left -= length;
  }
  const last = path.at(-1);
  return { position: last, course: path.length > 1 ? bearing(path.at(-2), last) : 0, isEnd: true };
}
