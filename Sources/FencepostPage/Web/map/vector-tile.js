// Reads map tiles by the Mapbox Vector Tile specification, version 2.1.
//
// A tile comes from a file that anybody may have made. Every count is checked against the bytes that are there, so the
// time is proportional to the length of the tile.

/** The most points of one feature; those of real maps have some thousands. */
const maximumPoints = 500_000;

/** The kinds of geometry. */
export const [point, line, polygon] = [1, 2, 3];

/** The parts of a protocol buffer: numbers, and fields with a length. */
class Reader {
  #bytes;
  #position;
  #end;

  constructor(bytes, start = 0, end = bytes.length) {
    [this.#bytes, this.#position, this.#end] = [bytes, start, end];
  }

  get isAtEnd() {
    return this.#position >= this.#end;
  }

  /** A number of at most 64 bits; exact up to 2⁵³. */
  number() {
    let [value, factor] = [0, 1];
    for (let count = 0; count < 10; count += 1) {
      if (this.#position >= this.#end) break;
      const byte = this.#bytes[this.#position];
      this.#position += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw new RangeError("The tile is damaged: a number does not end.");
  }

  /** A number of 64 bits in two's complement. */
  integer() {
    let value = 0n;
    for (let shift = 0n; shift < 70n && this.#position < this.#end; shift += 7n) {
      const byte = this.#bytes[this.#position];
      this.#position += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new RangeError("The tile is damaged: a number does not end.");
  }

  /** A number whose sign is in its lowest bit. */
  signedNumber() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  /** The content of a field with a length. */
  part() {
    const length = this.number();
    if (length > this.#end - this.#position) throw new RangeError("The tile is damaged: it ends too early.");
    const start = this.#position;
    this.#position += length;
    return new Reader(this.#bytes, start, this.#position);
  }

  text() {
    return new TextDecoder().decode(this.#bytes.subarray(this.#position, this.#end));
  }

  /** A floating-point number of 4 or 8 bytes. */
  real(size) {
    if (size > this.#end - this.#position) throw new RangeError("The tile is damaged: it ends too early.");
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#position, size);
    this.#position += size;
    return size === 8 ? view.getFloat64(0, true) : view.getFloat32(0, true);
  }

  /** Calls `read(field, type)` for each field; a field that it does not read, where it returns false, is skipped. */
  fields(read) {
    while (!this.isAtEnd) {
      const key = this.number();
      const type = key % 8;
      if (read(Math.floor(key / 8), type) !== false) continue;
      if (type === 0) this.number();
      else if (type === 1) this.real(8);
      else if (type === 2) this.part();
      else if (type === 5) this.real(4);
      else throw new RangeError(`The tile is damaged: there is no type ${type}.`);
    }
  }
}

/**
 * Reads a tile.
 * @param {Uint8Array} bytes without compression.
 * @returns {{name: string, extent: number, features: Feature[]}[]} the layers.
 * @throws {RangeError} when the bytes are no tile.
 */
export function readTile(bytes) {
  const layers = [];
  const reader = new Reader(bytes);
  reader.fields((field, type) => (field === 3 && type === 2 ? layers.push(readLayer(reader.part())) : false));
  return layers;
}

function readLayer(reader) {
  const layer = { name: "", extent: 4096, features: [] };
  const [keys, values] = [[], []];
  reader.fields((field, type) => {
    if (field === 1 && type === 2) layer.name = reader.part().text();
    else if (field === 2 && type === 2) layer.features.push(new Feature(reader.part(), keys, values));
    else if (field === 3 && type === 2) keys.push(reader.part().text());
    else if (field === 4 && type === 2) values.push(readValue(reader.part()));
    else if (field === 5 && type === 0) layer.extent = reader.number();
    else return false;
    return true;
  });
  if (!(layer.extent > 0)) throw new RangeError("The tile is damaged: a layer has no extent.");
  return layer;
}

function readValue(reader) {
  let value = null;
  reader.fields((field, type) => {
    if (field === 1 && type === 2) value = reader.part().text();
    else if (field === 2 && type === 5) value = reader.real(4);
    else if (field === 3 && type === 1) value = reader.real(8);
    else if (field === 4 && type === 0) value = reader.integer();
    else if (field === 5 && type === 0) value = reader.number();
    else if (field === 6 && type === 0) value = reader.signedNumber();
    else if (field === 7 && type === 0) value = reader.number() !== 0;
    else return false;
    return true;
  });
  return value;
}

/** A feature of a tile: its kind, properties and geometry. */
class Feature {
  /** `point`, `line`, `polygon`, or 0 if it is unknown. */
  kind = 0;
  #tags = [];
  #geometry = null;
  #keys;
  #values;

  constructor(reader, keys, values) {
    [this.#keys, this.#values] = [keys, values];
    reader.fields((field, type) => {
      if (field === 2 && type === 2) {
        const tags = reader.part();
        while (!tags.isAtEnd) this.#tags.push(tags.number());
      } else if (field === 3 && type === 0) this.kind = reader.number();
      else if (field === 4 && type === 2) this.#geometry = reader.part();
      else return false;
      return true;
    });
  }

  /** The properties by name. */
  get tags() {
    const tags = Object.create(null);
    for (let index = 0; index + 1 < this.#tags.length; index += 2) {
      const [key, value] = [this.#keys[this.#tags[index]], this.#values[this.#tags[index + 1]]];
      if (key !== undefined && value !== undefined) tags[key] = value;
    }
    return tags;
  }

  /**
   * Reads the geometry, which is possible once.
   * @returns {number[][]} points, lines or rings as `[x, y, x, y, …]`, from the top left corner of the tile.
   * @throws {RangeError} when it is damaged.
   */
  readPaths() {
    const paths = [];
    const reader = this.#geometry;
    let [x, y, points, path] = [0, 0, 0, null];
    while (reader && !reader.isAtEnd) {
      const command = reader.number();
      const id = command % 8;
      // A ring is closed as it is drawn.
      if (id === 7) continue;
      if (id !== 1 && id !== 2) throw new RangeError(`The tile is damaged: there is no command ${id}.`);
      for (let count = Math.floor(command / 8); count > 0; count -= 1) {
        x += reader.signedNumber();
        y += reader.signedNumber();
        points += 1;
        if (points > maximumPoints) throw new RangeError("The tile is damaged: a feature has too many points.");
        if (id === 1) {
          path = [x, y];
          paths.push(path);
        } else if (path) path.push(x, y);
        else throw new RangeError("The tile is damaged: a line has no start.");
      }
    }
    this.#geometry = null;
    return paths;
  }
}
