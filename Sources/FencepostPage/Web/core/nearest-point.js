import { bearing, destination, distance, outlines, unwrapLongitude } from "./geo.js";

/**
 * The point of a region's boundary that is nearest to a position. It is computed in a local plane, which is exact
 * enough for drawing.
 * @returns {[number, number] | null} longitude, which may exceed 180, and latitude.
 */
export function nearestBoundaryPoint(feature, [lon, lat]) {
  const { rings, lines, width } = outlines(feature);
  const cosLatitude = Math.cos((lat * Math.PI) / 180);
  let best = Infinity;
  /** @type {[number, number] | null} */
  let found = null;
  for (const line of rings ?? lines ?? []) {
    for (let i = 0; i + 1 < line.length; i += 1) {
      // Distances are only compared, so degrees are enough; those of longitude are scaled by the cosine of latitude.
      const [ax, ay] = [(unwrapLongitude(line[i][0], lon) - lon) * cosLatitude, line[i][1] - lat];
      const [bx, by] = [ax + (line[i + 1][0] - line[i][0]) * cosLatitude, line[i + 1][1] - lat];
      const [dx, dy] = [bx - ax, by - ay];
      const part = Math.min(1, Math.max(0, -(ax * dx + ay * dy) / (dx * dx + dy * dy || 1)));
      const [x, y] = [ax + part * dx, ay + part * dy];
      if (x * x + y * y < best) {
        best = x * x + y * y;
        found = [lon + x / cosLatitude, lat + y];
      }
    }
  }
  // A corridor's boundary is half its width away from the line.
  if (!found || !width || distance(found, [lon, lat]) === 0) return found;
  return destination(found, width / 2, bearing(found, [lon, lat]));
}
