// Reads base/world.bin. BaseMap/make.py writes the file; BaseMap/README.md describes its format.

/** The width of the world in units of the file: Web Mercator, with x to the east and y to the south. */
export const gridSize = 1 << 16;

/**
 * The paths of a layer. Path `i` has the vertices `starts[i]` to `starts[i + 1]` (exclusive) of `points`, which
 * alternates x and y. Its bounding box is at `boxes[4 * i]`: west, north, east, south.
 * @typedef {{points: Int32Array, starts: Uint32Array, boxes: Int32Array}} Paths
 */

/**
 * @param {ArrayBuffer} buffer
 * @returns {{source: string, land: Paths, lakes: Paths, rivers: Paths, borders: Paths, disputed: Paths,
 *   cities: {rank: number, isCapital: boolean, x: number, y: number, name: string}[]}} cities in order of importance.
 * @throws {RangeError} if the file is truncated.
 */
export function readWorld(buffer) {
  const reader = new Reader(new Uint8Array(buffer));
  return {
    source: reader.header(),
    land: reader.paths(),
    lakes: reader.paths(),
    rivers: reader.paths(),
    borders: reader.paths(),
    disputed: reader.paths(),
    cities: reader.cities(),
  };
}

class Reader {
  #bytes;
  #offset = 0;
  #decoder = new TextDecoder();

  constructor(bytes) {
    this.#bytes = bytes;
  }

  header() {
    const end = this.#bytes.indexOf(0);
    if (end < 0) throw new RangeError("The base map has no header.");
    this.#offset = end + 1;
    return this.#decoder.decode(this.#bytes.subarray(0, end));
  }

  /** An unsigned varint (LEB128): seven bits per byte, least significant first; the high bit marks a continuation. */
  #unsigned() {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      if (this.#offset >= this.#bytes.length) throw new RangeError("The base map is truncated.");
      const byte = this.#bytes[this.#offset];
      this.#offset += 1;
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }

  /** A zigzag varint. */
  #signed() {
    const number = this.#unsigned();
    return (number >>> 1) ^ -(number & 1);
  }

  /** Vertices are delta-encoded; the first vertex of a path is relative to the first vertex of the previous path. */
  paths() {
    const count = this.#unsigned();
    const points = [];
    const starts = new Uint32Array(count + 1);
    let [startX, startY] = [0, 0];
    for (let path = 0; path < count; path += 1) {
      let [x, y] = [startX, startY];
      for (let left = this.#unsigned(), isFirst = true; left > 0; left -= 1, isFirst = false) {
        x += this.#signed();
        y += this.#signed();
        if (isFirst) [startX, startY] = [x, y];
        points.push(x, y);
      }
      starts[path + 1] = points.length / 2;
    }
    return withBoxes(Int32Array.from(points), starts);
  }

  cities() {
    const cities = [];
    for (let left = this.#unsigned(); left > 0; left -= 1) {
      const kind = this.#unsigned();
      const [x, y] = [this.#unsigned(), this.#unsigned()];
      const end = this.#unsigned() + this.#offset;
      const name = this.#decoder.decode(this.#bytes.subarray(this.#offset, end));
      this.#offset = end;
      cities.push({ rank: kind >> 1, isCapital: (kind & 1) === 1, x, y, name });
    }
    return cities;
  }
}

function withBoxes(points, starts) {
  const boxes = new Int32Array(4 * (starts.length - 1));
  for (let path = 0; path < starts.length - 1; path += 1) {
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let vertex = starts[path]; vertex < starts[path + 1]; vertex += 1) {
      const [x, y] = [points[2 * vertex], points[2 * vertex + 1]];
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < north) north = y;
      if (y > south) south = y;
    }
    boxes.set([west, north, east, south], 4 * path);
  }
  return { points, starts, boxes };
}

/**
 * Thins paths: consecutive vertices of the result are at least `step` units apart.
 *
 * Paths smaller than `smallest` in both directions are left out. The ends of lines stay.
 */
export function thinnedPaths({ points, starts, boxes }, step, smallest = step) {
  if (step <= 1) return { points, starts, boxes };
  const kept = [];
  const keptStarts = [0];
  for (let path = 0; path < starts.length - 1; path += 1) {
    const [west, north, east, south] = boxes.subarray(4 * path, 4 * path + 4);
    if (east - west < smallest && south - north < smallest) continue;
    let [lastX, lastY] = [-Infinity, -Infinity];
    const end = starts[path + 1] - 1;
    for (let vertex = starts[path]; vertex <= end; vertex += 1) {
      const [x, y] = [points[2 * vertex], points[2 * vertex + 1]];
      // Vertices at the antimeridian stay, so that both halves still meet.
      const stays = vertex === end || x <= 0 || x >= gridSize || y >= gridSize;
      if (!stays && Math.abs(x - lastX) < step && Math.abs(y - lastY) < step) continue;
      kept.push(x, y);
      [lastX, lastY] = [x, y];
    }
    keptStarts.push(kept.length / 2);
  }
  return withBoxes(Int32Array.from(kept), Uint32Array.from(keptStarts));
}
