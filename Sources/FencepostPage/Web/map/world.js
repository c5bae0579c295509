// Reads base/world.bin, the file that BaseMap/make.py beside Web writes and BaseMap/README.md describes.

/** Units around the world; x grows to the east, y to the south, as in Web Mercator's square. */
export const gridSize = 1 << 16;

/**
 * Paths of one layer: path `i` has the vertices from `starts[i]` to `starts[i + 1]`, x and y in turn in `points`,
 * and lies within `boxes[4 * i ...]`: west, north, east, south.
 * @typedef {{points: Int32Array, starts: Uint32Array, boxes: Int32Array}} Paths
 */

/**
 * @param {ArrayBuffer} buffer
 * @returns {{source: string, land: Paths, lakes: Paths, rivers: Paths, borders: Paths, disputed: Paths,
 *   cities: {rank: number, isCapital: boolean, x: number, y: number, name: string}[]}} cities in order of importance
 * @throws {RangeError} when the bytes end too early.
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
  #place = 0;
  #decoder = new TextDecoder();

  constructor(bytes) {
    this.#bytes = bytes;
  }

  header() {
    const end = this.#bytes.indexOf(0);
    if (end < 0) throw new RangeError("The base map has no header.");
    this.#place = end + 1;
    return this.#decoder.decode(this.#bytes.subarray(0, end));
  }

  /** Seven bits to a byte, the least first; the eighth says that more follow. */
  #unsigned() {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      if (this.#place >= this.#bytes.length) throw new RangeError("The base map ends too early.");
      const byte = this.#bytes[this.#place];
      this.#place += 1;
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }

  /** The sign is the lowest bit. */
  #signed() {
    const number = this.#unsigned();
    return (number >>> 1) ^ -(number & 1);
  }

  /** Each vertex is told by its distance from the one before; a path's first from the first of the path before. */
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
      const end = this.#unsigned() + this.#place;
      const name = this.#decoder.decode(this.#bytes.subarray(this.#place, end));
      this.#place = end;
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
 * The paths with vertices that are at least a step apart, for zoom levels at which a step cannot be seen.
 *
 * Paths that are smaller than `smallest` both ways are left out; ends of lines stay where they are.
 */
export function thinned({ points, starts, boxes }, step, smallest = step) {
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
      // Where the source cut the world, both halves must still meet.
      const stays = vertex === end || x <= 0 || x >= gridSize || y >= gridSize;
      if (!stays && Math.abs(x - lastX) < step && Math.abs(y - lastY) < step) continue;
      kept.push(x, y);
      [lastX, lastY] = [x, y];
    }
    keptStarts.push(kept.length / 2);
  }
  return withBoxes(Int32Array.from(kept), Uint32Array.from(keptStarts));
}
