// Where the names of cities go: for a whole zoom level at once, so that a name stays where it is while the map moves.

import { gridSize } from "./world.js";

/** The first zoom at which a city of a rank has its name. */
const firstZoom = [2, 3, 4, 5, 5, 6, 7, 8];
const lineHeight = 14;
/** Between the middle of a dot and its name. */
const gap = 6;
/** The half of a dot's width. */
const dot = 4;
/** Pixels along the sides of the squares that names are looked up by. */
const square = 128;

/**
 * The names that are shown at a zoom, none over another: the more important city has the first choice.
 * @param {object[]} cities in order of importance
 * @param {(city: object) => number} widthOf the width of its name in pixels
 */
export class Labels {
  #cities;
  #widthOf;
  #zoom = null;
  #squares = new Map();

  constructor(cities, widthOf) {
    this.#cities = cities;
    this.#widthOf = widthOf;
  }

  /**
   * The labels that meet a box, all in pixels of the world at that zoom.
   * @returns {{city: object, dotX: number, dotY: number, textX: number, textY: number}[]} the text begins at its place
   *   and is in the middle of its line there
   */
  in(zoom, west, north, east, south) {
    if (zoom !== this.#zoom) {
      this.#squares = this.#placed(zoom);
      this.#zoom = zoom;
    }
    const found = new Set();
    for (const key of keysOf([west, north, east, south])) {
      for (const label of this.#squares.get(key) ?? []) found.add(label);
    }
    return found;
  }

  #placed(zoom) {
    const squares = new Map();
    const scale = (256 * 2 ** zoom) / gridSize;
    for (const city of this.#cities) {
      if (firstZoom[city.rank] - (city.isCapital ? 1 : 0) > zoom) continue;
      const [dotX, dotY] = [city.x * scale, city.y * scale];
      const choice = choices(dotX, dotY, this.#widthOf(city)).find(({ box }) => isFree(squares, box));
      if (!choice) continue;
      const label = { city, dotX, dotY, ...choice };
      for (const key of keysOf(choice.box)) {
        if (!squares.has(key)) squares.set(key, []);
        squares.get(key).push(label);
      }
    }
    return squares;
  }
}

/** The places for a name, the best first: right of its dot, left, above, below; each box holds name and dot. */
function choices(x, y, width) {
  const half = lineHeight / 2;
  const place = (textX, textY) => ({
    textX,
    textY,
    box: [
      Math.min(textX, x - dot) - 1, Math.min(textY - half, y - dot),
      Math.max(textX + width, x + dot) + 1, Math.max(textY + half, y + dot),
    ],
  });
  return [
    place(x + gap, y),
    place(x - gap - width, y),
    place(x - width / 2, y - gap - half),
    place(x - width / 2, y + gap + half),
  ];
}

function isFree(squares, box) {
  for (const key of keysOf(box)) {
    for (const { box: other } of squares.get(key) ?? []) {
      if (box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]) return false;
    }
  }
  return true;
}

/** The names of the squares that a box meets. */
function keysOf([west, north, east, south]) {
  const keys = [];
  const bottom = Math.floor(south / square);
  for (let column = Math.floor(west / square); column <= Math.floor(east / square); column += 1) {
    for (let row = Math.floor(north / square); row <= bottom; row += 1) keys.push(`${column},${row}`);
  }
  return keys;
}
