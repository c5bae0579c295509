import { bearing, destination, distance, near, outlines } from "./geo.js";

/**
 * The place on a region's boundary that is nearest to a position, in the plane around it: good enough to draw.
 * @returns {[number, number] | null} longitude, which may lie beyond 180, and latitude.
 */
export function nearestOnOutline(feature, [lon, lat]) {
  const { rings, lines, width } = outlines(feature);
  const stretch = Math.cos((lat * Math.PI) / 180);
  let [best, found] = [Infinity, null];
  for (const line of rings ?? lines ?? []) {
    for (let i = 0; i + 1 < line.length; i += 1) {
      // Metres do not matter here, only which is nearer: degrees, those of longitude made as short as they are.
      const [ax, ay] = [(near(line[i][0], lon) - lon) * stretch, line[i][1] - lat];
      const [bx, by] = [ax + (line[i + 1][0] - line[i][0]) * stretch, line[i + 1][1] - lat];
      const [dx, dy] = [bx - ax, by - ay];
      const part = Math.min(1, Math.max(0, -(ax * dx + ay * dy) / (dx * dx + dy * dy || 1)));
      const [x, y] = [ax + part * dx, ay + part * dy];
      if (x * x + y * y < best) {
        best = x * x + y * y;
        found = [lon + x / stretch, lat + y];
      }
    }
  }
  // A corridor's boundary lies half its width beside the line, towards the position.
  if (!found || !width || distance(found, [lon, lat]) === 0) return found;
  return destination(found, width / 2, bearing(found, [lon, lat]));
}
