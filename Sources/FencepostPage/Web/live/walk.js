// A simulated walk of a test device: it sends one position per second along a path, as a phone would.

import { post } from "../core/api.js";
import {
  bearing, boundingBox, destination, distance, interiorPoint, outlines, unwrapLongitude, wrapLongitude,
} from "../core/geo.js";

/** The walk starts so many metres outside the region and ends at most so many metres inside. */
const approachLength = 150;
/** Metres. */
const accuracy = 5;

/** A path `[[lon, lat], …]` from outside a region across its boundary to its interior. */
export function pathInto(feature) {
  const isLine = feature.geometry.type.endsWith("LineString");
  const { target, edge, inward } = isLine ? acrossLine(feature) : fromWest(feature);
  const depth = Math.min(approachLength, distance(edge, target));
  return [destination(edge, approachLength, (inward + 180) % 360), destination(edge, depth, inward)];
}

function fromWest(feature) {
  const target = interiorPoint(feature);
  const { rings } = outlines(feature);
  // The boundary crossing nearest to the target on its west side.
  let west = boundingBox(feature)[0];
  const [lon, lat] = [target[0], target[1]];
  let best = -Infinity;
  for (const ring of rings) {
    for (let i = 0; i + 1 < ring.length; i += 1) {
      const [[x1, y1], [x2, y2]] = [ring[i], ring[i + 1]];
      if (y1 > lat === y2 > lat) continue;
      const x = x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1);
      if (x < unwrapLongitude(lon, x) && x > best) best = x;
    }
  }
  if (best > -Infinity) west = best;
  /** @type {[number, number]} */
  const edge = [west, lat];
  return { target, edge, inward: bearing(edge, target) };
}

function acrossLine(feature) {
  const { lines, width } = outlines(feature);
  const [line] = lines;
  const at = Math.max(1, Math.floor(line.length / 2));
  /** @type {[number, number]} */
  const middle = [(line[at - 1][0] + line[at][0]) / 2, (line[at - 1][1] + line[at][1]) / 2];
  const side = bearing(line[at - 1], line[at]) + 90;
  const edge = destination(middle, width / 2, side);
  return { target: middle, edge, inward: (side + 180) % 360 };
}

/** Moves a device along a path until it reaches the end or is stopped. */
export class Walk {
  #timer = 0;
  #travelled = 0;
  #isStopped = false;

  /**
   * @param {object} options `deviceId`, `path`, `speed` in metres per second, `onFix(fix)` after the service stored a
   *   fix, `onEnd(problem|null)`.
   */
  constructor(options) {
    this.options = options;
    this.#step();
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.options.onEnd(null);
  }

  async #step() {
    const { deviceId, path, speed, onFix, onEnd } = this.options;
    const { position, course, isEnd } = positionAlong(path, this.#travelled);
    const fix = {
      deviceId, timestamp: new Date().toISOString(), latitude: position[1], longitude: wrapLongitude(position[0]),
      horizontalAccuracy: accuracy, speed: isEnd ? 0 : speed, course, isSimulated: true,
    };
    try {
      const answer = await post("/v1/locations", { locations: [fix] });
      if (answer.rejected?.length) throw new Error(answer.rejected[0].detail);
      // It may have been stopped during the request, and has reported its end then.
      if (this.#isStopped) return;
      onFix(fix);
    } catch (problem) {
      if (!this.#isStopped) onEnd(problem);
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

/** The position at a distance in metres from the start of a path. */
export function positionAlong(path, meters) {
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
