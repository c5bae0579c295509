// Placement of the names of streets along their lines.

/** The height of a name in pixels, and the room that it keeps free at each end. */
const [height, gap] = [14, 6];
/** Pixels between two equal names, such as those of the parts of a street in several tiles. */
const repeatDistance = 260;
/** How far a part of a line has to go as the crow flies, in parts of its length, to carry a straight name. */
const straightness = 0.98;
/** The most names that are placed. */
const maximumPlaced = 300;

/**
 * Places the names of streets on nearly straight parts of their lines, the more important streets first.
 * @param {{name: string, weight: number, firstZoom: number, path: number[]}[]} streets lines in parts of the world,
 *   sorted by weight.
 * @param {object} view what `CanvasLayer` gives to `draw`.
 * @param {(name: string) => number} widthOf the width of a name in pixels.
 * @param {number[][]} taken boxes that stay free, `[left, top, right, bottom]` in pixels; those of the names are added.
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
      const length = widthOf(name) + 2 * gap;
      const known = middles.get(name) ?? [];
      const found = visibleParts(path, view, shift).flatMap((line) => straightParts(line, length)).find((part) =>
        known.every(([x, y]) => Math.hypot(x - part.x, y - part.y) >= repeatDistance)
        && boxesOf(part, length).every((box) => !taken.some((other) => overlap(box, other))));
      if (!found) continue;
      taken.push(...boxesOf(found, length));
      middles.set(name, [...known, [found.x, found.y]]);
      placed.push({ name, ...found });
    }
  }
  return placed;
}

/** The parts of a line that are on the canvas, in pixels: closer up, a street is many times as long as the canvas. */
function visibleParts(path, view, shift) {
  const parts = [];
  let part = null;
  for (let index = 0; index + 3 < path.length; index += 2) {
    const [fromX, fromY] = [view.px(path[index] + shift), view.py(path[index + 1])];
    const [toX, toY] = [view.px(path[index + 2] + shift), view.py(path[index + 3])];
    const [start, end] = visibleRange(fromX, fromY, toX - fromX, toY - fromY, view);
    if (start > end) {
      part = null;
      continue;
    }
    const pointAtRatio = (ratio) => [fromX + ratio * (toX - fromX), fromY + ratio * (toY - fromY)];
    if (!part || start > 0) parts.push(part = pointAtRatio(start));
    part.push(...pointAtRatio(end));
    if (end < 1) part = null;
  }
  return parts;
}

/** From where to where, as ratios, a segment is on the canvas (Liang and Barsky 1984); from > to when it is not. */
function visibleRange(x, y, across, down, { width, height }) {
  let [start, end] = [0, 1];
  for (const [step, room] of [[-across, x], [across, width - x], [-down, y], [down, height - y]]) {
    if (step === 0 && room < 0) return [1, 0];
    if (step < 0) start = Math.max(start, room / step);
    else if (step > 0) end = Math.min(end, room / step);
  }
  return [start, end];
}

/** The parts of a length along a line that are nearly straight; those nearest to its middle come first. */
function straightParts(line, length) {
  const distances = [0];
  for (let index = 2; index < line.length; index += 2) {
    distances.push(distances.at(-1) + Math.hypot(line[index] - line[index - 2], line[index + 1] - line[index - 1]));
  }
  const total = distances.at(-1);
  const found = [];
  for (let start = 0; start + length <= total; start += Math.max(length / 2, total / 128)) {
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
  return found.sort((a, b) => a.off - b.off).map(({ off, ...part }) => part);
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

/** Overlapping squares along a name: the box around a name at an angle would take much more room. */
function boxesOf({ x, y, angle }, length) {
  const count = Math.max(1, Math.ceil((2 * length) / height));
  return Array.from({ length: count }, (_, index) => {
    const along = ((index + 0.5) / count - 0.5) * (length - height);
    const [middleX, middleY] = [x + along * Math.cos(angle), y + along * Math.sin(angle)];
    return [middleX - height / 2, middleY - height / 2, middleX + height / 2, middleY + height / 2];
  });
}

export const overlap = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
