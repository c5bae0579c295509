// Paths, cut to what a tile shows: at street level a continent reaches millions of pixels beyond it, more than
// a canvas draws well.

/**
 * Adds the paths that meet a box to a canvas path.
 * @param {CanvasPath} target
 * @param {import("./world.js").Paths} paths
 * @param {{west: number, north: number, east: number, south: number}} box in units: what to keep, with a margin that
 *   is wider than half a stroke, since cut rings run along it
 * @param {(ring: boolean)} isClosed rings, rather than lines
 * @param {number} scale pixels to a unit
 * @param {number} left where x is 0 on the canvas, in pixels
 * @param {number} top where y is 0
 */
export function trace(target, { points, starts, boxes }, box, isClosed, scale, left, top) {
  for (let path = 0; path < starts.length - 1; path += 1) {
    const [west, north, east, south] = [boxes[4 * path], boxes[4 * path + 1], boxes[4 * path + 2], boxes[4 * path + 3]];
    if (west > box.east || east < box.west || north > box.south || south < box.north) continue;
    const vertices = points.subarray(2 * starts[path], 2 * starts[path + 1]);
    const isWithin = west >= box.west && east <= box.east && north >= box.north && south <= box.south;
    if (!isClosed && !isWithin) {
      traceLine(target, vertices, box, scale, left, top);
      continue;
    }
    const shown = isWithin ? vertices : clippedRing(vertices, box);
    if (shown.length < 4) continue;
    target.moveTo(left + scale * shown[0], top + scale * shown[1]);
    for (let place = 2; place < shown.length; place += 2) {
      target.lineTo(left + scale * shown[place], top + scale * shown[place + 1]);
    }
    if (isClosed) target.closePath();
  }
}

/**
 * The part of a ring that is in the box, side by side (Sutherland and Hodgman 1974).
 *
 * Where the ring leaves the box and comes back, the parts are joined along the box's side, out of sight.
 */
export function clippedRing(ring, { west, north, east, south }) {
  let inside = clippedAt(ring, 0, west, 1);
  inside = clippedAt(inside, 0, east, -1);
  inside = clippedAt(inside, 1, north, 1);
  return clippedAt(inside, 1, south, -1);
}

/** What of a ring is on the side of a limit that `sign` says, on the axis 0 (x) or 1 (y). */
function clippedAt(ring, axis, limit, sign) {
  const out = [];
  const count = ring.length;
  if (count === 0) return out;
  let [lastX, lastY] = [ring[count - 2], ring[count - 1]];
  let wasIn = sign * ((axis === 0 ? lastX : lastY) - limit) >= 0;
  for (let place = 0; place < count; place += 2) {
    const [x, y] = [ring[place], ring[place + 1]];
    const isIn = sign * ((axis === 0 ? x : y) - limit) >= 0;
    if (isIn !== wasIn) {
      if (axis === 0) out.push(limit, lastY + ((y - lastY) * (limit - lastX)) / (x - lastX));
      else out.push(lastX + ((x - lastX) * (limit - lastY)) / (y - lastY), limit);
    }
    if (isIn) out.push(x, y);
    [lastX, lastY, wasIn] = [x, y, isIn];
  }
  return out;
}

/** The parts of a line in the box, each segment cut by itself (Liang and Barsky 1984). */
function traceLine(target, line, box, scale, left, top) {
  let isDrawing = false;
  for (let place = 2; place < line.length; place += 2) {
    const [x, y] = [line[place - 2], line[place - 1]];
    const [dx, dy] = [line[place] - x, line[place + 1] - y];
    let [from, to] = [0, 1];
    const sides = [[-dx, x - box.west], [dx, box.east - x], [-dy, y - box.north], [dy, box.south - y]];
    for (const [slope, room] of sides) {
      if (slope === 0) {
        if (room < 0) to = -1;
      } else if (slope < 0) from = Math.max(from, room / slope);
      else to = Math.min(to, room / slope);
    }
    if (from > to) {
      isDrawing = false;
      continue;
    }
    if (!isDrawing || from > 0) target.moveTo(left + scale * (x + from * dx), top + scale * (y + from * dy));
    target.lineTo(left + scale * (x + to * dx), top + scale * (y + to * dy));
    isDrawing = to === 1;
  }
}
