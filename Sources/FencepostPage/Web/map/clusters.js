// Groups of devices that are too close to be told apart on the map.

/** What a device of a group can be; who is silent counts as such wherever it was. */
export const kinds = ["inside", "outside", "silent"];
/** Up to so many visible devices each one is drawn for itself. */
const mostSingles = 500;
/** Pixels of a side of the squares in which devices are counted. */
const side = 64;
/** Fewer devices in a square are drawn one by one. */
const fewest = 8;

/**
 * Groups points by squares that are fixed to the world, so that the groups stay the same while the map is panned.
 * @param {{count: number, x: Float32Array, y: Float32Array, keep: (from: number, to: number) => void,
 *   kindOf?: (index: number) => number}} points in pixels of the canvas; those of groups are taken out, `keep` is
 *   called for each one that stays at another index, and `count` becomes smaller. `kindOf` is an index
 *   of `kinds`.
 * @param {[number, number]} origin the pixel of a fixed point of the world.
 * @param {(index: number) => boolean} isSingle whether a point stays in any case.
 * @returns {{x: number, y: number, count: number, kinds: number[], box: number[]}[]} the centres of the groups, how
 *   many points of each kind they have, and their points' bounds as left, top, right, bottom.
 */
export function takeClusters(points, origin, isSingle) {
  if (points.count <= mostSingles) return [];
  const squares = new Map();
  const keys = new Float64Array(points.count);
  for (let i = 0; i < points.count; i += 1) {
    const column = Math.floor((points.x[i] - origin[0]) / side);
    keys[i] = column * 0x1000000 + Math.floor((points.y[i] - origin[1]) / side);
    let square = squares.get(keys[i]);
    if (square) add(square, points.x[i], points.y[i]);
    else squares.set(keys[i], square = squareOf(points.x[i], points.y[i]));
    square.kinds[points.kindOf?.(i) ?? 0] += 1;
  }
  let kept = 0;
  for (let i = 0; i < points.count; i += 1) {
    const square = squares.get(keys[i]);
    if (square.count >= fewest && !isSingle(i)) continue;
    points.keep(i, kept);
    kept += 1;
  }
  points.count = kept;
  return [...squares.values()].filter((square) => square.count >= fewest)
    .map(({ x, y, count, kinds, box }) => ({ x: x / count, y: y / count, count, kinds, box }));
}

function squareOf(x, y) {
  return { x, y, count: 1, kinds: kinds.map(() => 0), box: [x, y, x, y] };
}

function add(square, x, y) {
  square.x += x;
  square.y += y;
  square.count += 1;
  const { box } = square;
  if (x < box[0]) box[0] = x;
  else if (x > box[2]) box[2] = x;
  if (y < box[1]) box[1] = y;
  else if (y > box[3]) box[3] = y;
}

/** The radius of a group's circle in pixels: twice the devices are an area a good third larger. */
export const clusterRadius = (count) => Math.min(30, 8 + 1.35 * count ** 0.4);

/**
 * The arcs of a group's ring in radians, clockwise from the top: inside, outside, silent. What exists is visible: its
 * share is a twentieth of the ring or more.
 * @param {number[]} counts by kind.
 * @returns {{kind: string, from: number, to: number}[]}
 */
export function ringOf(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const shares = counts.map((count) => (count ? Math.max(0.05, count / total) : 0));
  const sum = shares.reduce((all, share) => all + share, 0);
  const arcs = [];
  let from = -Math.PI / 2;
  shares.forEach((share, index) => {
    if (!share) return;
    const to = from + (share / sum) * 2 * Math.PI;
    arcs.push({ kind: kinds[index], from, to });
    from = to;
  });
  return arcs;
}

/** The count as it is written in the circle: 950, 1.2k, 34k. */
export const clusterLabel = (count) =>
  count < 1000 ? String(count) : count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
