// Clipping of paths to the canvas. At street level a continent extends millions of pixels beyond the canvas, which
// canvases draw slowly and inexactly.

/**
 * Adds the paths that intersect a box to a canvas path.
 * @param {CanvasPath} target
 * @param {import("./world-file.js").Paths} paths
 * @param {{west: number, north: number, east: number, south: number}} box the area to keep, in units. It includes a
 *   margin wider than half a stroke, because clipped rings run along its sides.
 * @param {boolean} isClosed whether the paths are rings; otherwise they are lines.
 * @param {number} scale pixels per unit.
 * @param {number} left the x of the canvas in pixels at which x in units is 0.
 * @param {number} top the y of the canvas in pixels at which y in units is 0.
 */
export function tracePaths(target, { points, starts, boxes }, box, isClosed, scale, left, top) {
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
    for (let index = 2; index < shown.length; index += 2) {
      target.lineTo(left + scale * shown[index], top + scale * shown[index + 1]);
    }
    if (isClosed) target.closePath();
  }
}

/**
 * Clips a ring to a box, one side after the other (Sutherland and Hodgman 1974).
 *
 * Where the ring leaves the box and returns, the parts are joined along a side of the box, outside the visible area.
 */
export function clippedRing(ring, { west, north, east, south }) {
  let inside = clippedAt(ring, 0, west, 1);
  inside = clippedAt(inside, 0, east, -1);
  inside = clippedAt(inside, 1, north, 1);
  return clippedAt(inside, 1, south, -1);
}

/** Clips a ring to a half-plane: the coordinate of the axis 0 (x) or 1 (y) is above (sign 1) or below (-1) a limit. */
function clippedAt(ring, axis, limit, sign) {
  const out = [];
  const count = ring.length;
  if (count === 0) return out;
  let [lastX, lastY] = [ring[count - 2], ring[count - 1]];
  let wasIn = sign * ((axis === 0 ? lastX : lastY) - limit) >= 0;
  for (let index = 0; index < count; index += 2) {
    const [x, y] = [ring[index], ring[index + 1]];
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

/** Adds the parts of a line inside the box. Each segment is clipped separately (Liang and Barsky 1984). */
function traceLine(target, line, box, scale, left, top) {
  let isDrawing = false;
  for (let index = 2; index < line.length; index += 2) {
    const [x, y] = [line[index - 2], line[index - 1]];
    const [dx, dy] = [line[index] - x, line[index + 1] - y];
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
