// Geometry as slow and simple as possible, to compare the page's with.

/** Whether a point is inside a ring `[[x, y], …]`, by the crossings of a ray to the east. */
export function isInRing([x, y], ring) {
  let isInside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i, i += 1) {
    const [[xi, yi], [xj, yj]] = [ring[i], ring[j]];
    if (yi > y !== yj > y && x < xi + ((y - yi) / (yj - yi)) * (xj - xi)) isInside = !isInside;
  }
  return isInside;
}

/** Whether a point is inside rings of which the later ones are holes, by the even-odd rule. */
export const isInRings = (point, rings) => rings.filter((ring) => isInRing(point, ring)).length % 2 === 1;

/** The pairs of a flat list of coordinates. */
export const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);

/** The distance of a point from a segment. */
export function distanceFromSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const part = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - part * dx, y - ay - part * dy);
}
