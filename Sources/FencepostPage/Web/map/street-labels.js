// Placement of the names of streets along their lines.

/** The height of a name in pixels, and the room that it keeps free at each end. */
const [height, gap] = [14, 6];
/** Pixels between two equal names, such as those of the parts of a street in several tiles. */
const repeatDistance = 260;
/** The least part of its length that a stretch of a line has to reach as the crow flies to carry a straight name. */
const straightness = 0.98;
/** The most names that are placed. */
const maximumPlaced = 300;

/**
 * Places the names of streets on nearly straight stretches of their lines, the more important streets first.
 * @param {{name: string, weight: number, firstZoom: number, path: number[]}[]} streets lines in parts of the world,
 *   sorted by weight.
 * @param {object} view what `CanvasLayer` gives to `draw`.
 * @param {(name: string) => number} widthOf the width of a name in pixels.
 * @param {number[][]} taken boxes in pixels, `[left, top, right, bottom]`, that stay free; those of the names are added.
 * @returns {{name: string, x: number, y: number, angle: number}[]} the middles of the names, and the angles in radians
 *   at which they are upright.
 */
export function labelStreets(streets, view, widthOf, taken) {
  const placed = [];
  const middles = new Map();
  for (const { name, firstZoom, path } of streets) {
    if (view.zoom < firstZoom) continue;
    for (const shift of view.shifts) {
      if (placed.length >= maximumPlaced) return placed;
      const line = pixelsOf(path, view, shift);
      if (!line) continue;
      const length = widthOf(name) + 2 * gap;
      const known = middles.get(name) ?? [];
      const found = straightParts(line, length).find((stretch) => isOnView(stretch, view)
        && known.every(([x, y]) => Math.hypot(x - stretch.x, y - stretch.y) >= repeatDistance)
        && boxesOf(stretch, length).every((box) => !taken.some((other) => overlap(box, other))));
      if (!found) continue;
      taken.push(...boxesOf(found, length));
      middles.set(name, [...known, [found.x, found.y]]);
      placed.push({ name, ...found });
    }
  }
  return placed;
}

/** The points of a line on the canvas; null when all are on one side of it. */
function pixelsOf(path, view, shift) {
  const line = [];
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let index = 0; index < path.length; index += 2) {
    const [x, y] = [view.px(path[index] + shift), view.py(path[index + 1])];
    line.push(x, y);
    [west, east, north, south] = [Math.min(west, x), Math.max(east, x), Math.min(north, y), Math.max(south, y)];
  }
  return east < 0 || west > view.width || south < 0 || north > view.height ? null : line;
}

/** The stretches of a length along a line that are nearly straight; those nearest to its middle come first. */
function straightParts(line, length) {
  const distances = [0];
  for (let index = 2; index < line.length; index += 2) {
    distances.push(distances.at(-1) + Math.hypot(line[index] - line[index - 2], line[index + 1] - line[index - 1]));
  }
  const total = distances.at(-1);
  const found = [];
  for (let start = 0; start + length <= total && found.length < 64; start += Math.max(length / 2, total / 128)) {
    const [from, to] = [pointAt(line, distances, start), pointAt(line, distances, start + length)];
    const [across, down] = [to[0] - from[0], to[1] - from[1]];
    if (Math.hypot(across, down) < straightness * length) continue;
    const angle = Math.atan2(down, across);
    found.push({
      x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2,
      // A name is never upside down.
      angle: angle > Math.PI / 2 ? angle - Math.PI : angle <= -Math.PI / 2 ? angle + Math.PI : angle,
      off: Math.abs(start + length / 2 - total / 2),
    });
  }
  return found.sort((a, b) => a.off - b.off).map(({ off, ...stretch }) => stretch);
}

/** The point at a distance along a line. */
function pointAt(line, distances, distance) {
  let index = 1;
  while (index < distances.length - 1 && distances[index] < distance) index += 1;
  const part = distances[index] - distances[index - 1];
  const ratio = part > 0 ? (distance - distances[index - 1]) / part : 0;
  const mix = (axis) => line[2 * index - 2 + axis] + ratio * (line[2 * index + axis] - line[2 * index - 2 + axis]);
  return [mix(0), mix(1)];
}

const isOnView = ({ x, y }, view) => x >= 0 && x <= view.width && y >= 0 && y <= view.height;

/** Squares along a name: the box around a name at an angle would take much more room. */
function boxesOf({ x, y, angle }, length) {
  const count = Math.max(1, Math.ceil(length / height));
  return Array.from({ length: count }, (_, index) => {
    const along = ((index + 0.5) / count - 0.5) * (length - height);
    const [middleX, middleY] = [x + along * Math.cos(angle), y + along * Math.sin(angle)];
    return [middleX - height / 2, middleY - height / 2, middleX + height / 2, middleY + height / 2];
  });
}

export const overlap = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
