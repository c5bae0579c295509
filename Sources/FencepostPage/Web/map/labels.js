// Placement of city labels, for a whole zoom level at once, so that labels do not jump while the map moves.

import { gridSize } from "./world-file.js";

/** The lowest zoom level of a city's label, by rank. */
const firstZoom = [2, 3, 4, 5, 5, 6, 7, 8];
const lineHeight = 14;
/** Pixels between the centre of a dot and its label. */
const gap = 6;
/** Half the width of a dot in pixels. */
const dot = 4;
/** The side of a cell of the spatial index in pixels. */
const cellSize = 128;

/**
 * The labels of a zoom level without overlaps; more important cities are placed first.
 * @param {object[]} cities in order of importance.
 * @param {(city: object) => number} widthOf the width of a city's name in pixels.
 */
export class Labels {
  #cities;
  #widthOf;
  #zoom = null;
  #cells = new Map();

  constructor(cities, widthOf) {
    this.#cities = cities;
    this.#widthOf = widthOf;
  }

  /**
   * The labels that intersect a box, in pixels of the world at a zoom level.
   * @returns {Set<{city: object, dotX: number, dotY: number, textX: number, textY: number}>} the text starts at
   *   `textX` and is vertically centred at `textY`.
   */
  within(zoom, west, north, east, south) {
    if (zoom !== this.#zoom) {
      this.#cells = this.#labelsAt(zoom);
      this.#zoom = zoom;
    }
    const found = new Set();
    for (const key of cellKeys([west, north, east, south])) {
      for (const label of this.#cells.get(key) ?? []) found.add(label);
    }
    return found;
  }

  #labelsAt(zoom) {
    const squares = new Map();
    const scale = (256 * 2 ** zoom) / gridSize;
    for (const city of this.#cities) {
      if (firstZoom[city.rank] - (city.isCapital ? 1 : 0) > zoom) continue;
      const [dotX, dotY] = [city.x * scale, city.y * scale];
      const candidate = candidates(dotX, dotY, this.#widthOf(city)).find(({ box }) => isFree(squares, box));
      if (!candidate) continue;
      const label = { city, dotX, dotY, ...candidate };
      for (const key of cellKeys(candidate.box)) {
        if (!squares.has(key)) squares.set(key, []);
        squares.get(key).push(label);
      }
    }
    return squares;
  }
}

/** The candidate positions of a label, best first: right of the dot, left, above, below. A box has label and dot. */
function candidates(x, y, width) {
  const half = lineHeight / 2;
  const candidate = (textX, textY) => ({
    textX,
    textY,
    box: [
      Math.min(textX, x - dot) - 1, Math.min(textY - half, y - dot),
      Math.max(textX + width, x + dot) + 1, Math.max(textY + half, y + dot),
    ],
  });
  return [
    candidate(x + gap, y),
    candidate(x - gap - width, y),
    candidate(x - width / 2, y - gap - half),
    candidate(x - width / 2, y + gap + half),
  ];
}

function isFree(squares, box) {
  for (const key of cellKeys(box)) {
    for (const { box: other } of squares.get(key) ?? []) {
      if (box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]) return false;
    }
  }
  return true;
}

/**
 * The keys of the cells that a box intersects.
 * @param {number[]} box west, north, east, south.
 */
function cellKeys([west, north, east, south]) {
  const keys = [];
  const bottom = Math.floor(south / cellSize);
  for (let column = Math.floor(west / cellSize); column <= Math.floor(east / cellSize); column += 1) {
    for (let row = Math.floor(north / cellSize); row <= bottom; row += 1) keys.push(`${column},${row}`);
  }
  return keys;
}
