// Geometry for drawing, on a sphere. The service decides about regions with GEOS and geodesics on the ellipsoid.

/** The mean radius of the earth (IUGG), in metres. */
const radius = 6_371_008.8;
const radiansPerDegree = Math.PI / 180;

/** The great-circle distance in metres between two positions `[longitude, latitude]`. */
export function distance([lonA, latA], [lonB, latB]) {
  const x = Math.sin(((latB - latA) * radiansPerDegree) / 2);
  const y = Math.sin(((lonB - lonA) * radiansPerDegree) / 2);
  const haversine = x * x + Math.cos(latA * radiansPerDegree) * Math.cos(latB * radiansPerDegree) * y * y;
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/**
 * The position at a distance in metres and a bearing in degrees clockwise from north.
 * @returns {[number, number]}
 */
export function destination([lon, lat], meters, degrees) {
  const d = meters / radius;
  const b = degrees * radiansPerDegree;
  const phi = lat * radiansPerDegree;
  const sinLat = Math.sin(phi) * Math.cos(d) + Math.cos(phi) * Math.sin(d) * Math.cos(b);
  const y = Math.sin(b) * Math.sin(d) * Math.cos(phi);
  const x = Math.cos(d) - Math.sin(phi) * sinLat;
  return [lon + Math.atan2(y, x) / radiansPerDegree, Math.asin(sinLat) / radiansPerDegree];
}

/** The bearing from one position to another in degrees clockwise from north, 0 to 360. */
export function bearing([lonA, latA], [lonB, latB]) {
  const dLon = (lonB - lonA) * radiansPerDegree;
  const [phiA, phiB] = [latA * radiansPerDegree, latB * radiansPerDegree];
  const y = Math.sin(dLon) * Math.cos(phiB);
  const x = Math.cos(phiA) * Math.sin(phiB) - Math.sin(phiA) * Math.cos(phiB) * Math.cos(dLon);
  return (Math.atan2(y, x) / radiansPerDegree + 360) % 360;
}

/** A circle on the ground as a closed ring of positions. Across the antimeridian longitudes exceed 180. */
export function circleRing(center, meters, steps = 96) {
  const ring = [];
  for (let step = 0; step <= steps; step += 1) {
    const [lon, lat] = destination(center, meters, (step % steps) * (360 / steps));
    ring.push([unwrapLongitude(lon, center[0]), lat]);
  }
  return ring;
}

/** The longitude plus a multiple of 360, within 180 degrees of another longitude. */
export function unwrapLongitude(lon, other) {
  return lon - 360 * Math.round((lon - other) / 360);
}

/** A line with continuous longitudes: across the antimeridian they exceed 180. Each edge takes the shorter way. */
function unwrapLine(line) {
  let last = line[0]?.[0] ?? 0;
  return line.map(([lon, lat]) => [(last = unwrapLongitude(lon, last)), lat]);
}

/** The longitude in the range from -180 to 180. */
export const wrapLongitude = (lon) => (lon >= -180 && lon <= 180 ? lon : unwrapLongitude(lon, 0));

/** The latitude at which the square of Web Mercator ends. */
const maximumLatitude = 85.0511287798066;

/** Web Mercator coordinates: the world as a unit square, with y from north to south. */
export const mercatorX = (lon) => lon / 360 + 0.5;
export function mercatorY(lat) {
  const sine = Math.sin(Math.max(-maximumLatitude, Math.min(maximumLatitude, lat)) * radiansPerDegree);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** The ground distance in metres of one Web Mercator unit at a latitude. */
export const metersPerUnit = (lat) => 2 * Math.PI * 6_378_137 * Math.cos(lat * radiansPerDegree);

/** The outlines of a region's geometry: closed `rings`, or `lines` with a `width` in metres. */
export function outlines(feature) {
  const { type, coordinates } = feature.geometry;
  const properties = feature.properties ?? {};
  switch (type) {
    case "Point":
      return { rings: [circleRing(coordinates, properties.radius)] };
    case "Polygon":
      return { rings: coordinates.map(unwrapLine) };
    case "MultiPolygon":
      return { rings: coordinates.flat().map(unwrapLine) };
    case "LineString":
      return { lines: [unwrapLine(coordinates)], width: properties.width };
    case "MultiLineString":
      return { lines: coordinates.map(unwrapLine), width: properties.width };
    default:
      return { rings: [] };
  }
}

/**
 * `[west, south, east, north]` of a region, including the width of a corridor. Longitudes may exceed 180.
 * @returns {[number, number, number, number]}
 */
export function boundingBox(feature) {
  const { rings, lines, width } = outlines(feature);
  /** @type {[number, number, number, number]} */
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of (rings ?? lines).flat()) {
    const pad = width ? width / 2 / 111_320 : 0;
    const wide = pad / Math.max(0.01, Math.cos(lat * radiansPerDegree));
    box[0] = Math.min(box[0], lon - wide);
    box[1] = Math.min(box[1], lat - pad);
    box[2] = Math.max(box[2], lon + wide);
    box[3] = Math.max(box[3], lat + pad);
  }
  return box;
}

/**
 * A point for a region's label: the centre of a circle, the middle of a line, or a point inside the largest ring.
 * @returns {[number, number]}
 */
export function interiorPoint(feature) {
  const { rings, lines } = outlines(feature);
  if (feature.geometry.type === "Point") return feature.geometry.coordinates;
  if (lines) return lines[0][Math.floor(lines[0].length / 2)];
  const size = (ring) => Math.abs(ring.reduce((sum, [x, y], i) => {
    const [x2, y2] = ring[(i + 1) % ring.length];
    return sum + x * y2 - x2 * y;
  }, 0));
  const largest = rings.reduce((best, one) => (size(one) > size(best) ? one : best));
  // The middle of the widest interval inside all rings, on the parallel through the middle of the largest ring.
  const lats = largest.map((position) => position[1]);
  const lat = (Math.min(...lats) + Math.max(...lats)) / 2 + 1e-9;
  const crossings = [];
  for (const one of rings) {
    for (let i = 0; i + 1 < one.length; i += 1) {
      const [[x1, y1], [x2, y2]] = [one[i], one[i + 1]];
      if (y1 > lat !== y2 > lat) crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  crossings.sort((a, b) => a - b);
  let [widest, middle] = [-1, largest[0][0]];
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    if (crossings[i + 1] - crossings[i] > widest) {
      widest = crossings[i + 1] - crossings[i];
      middle = (crossings[i] + crossings[i + 1]) / 2;
    }
  }
  return [middle, lat];
}

/** Whether a position is in a region: in its rings, of which those inside others are holes, or near its lines. */
export function containsPosition(feature, position) {
  const { rings, lines, width } = outlines(feature);
  if (lines) return lines.some((line) => distanceToLine(position, line) <= width / 2);
  if (feature.geometry.type === "Point") {
    return distance(feature.geometry.coordinates, position) <= feature.properties.radius;
  }
  let isInside = false;
  for (const ring of rings) {
    const x = unwrapLongitude(position[0], ring[0][0]);
    for (let i = 0; i + 1 < ring.length; i += 1) {
      const [[x1, y1], [x2, y2]] = [ring[i], ring[i + 1]];
      const crosses = y1 > position[1] !== y2 > position[1];
      if (crosses && x < x1 + ((position[1] - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside;
    }
  }
  return isInside;
}

/** The distance in metres to the nearest point of a line, on a plane that fits around the position. */
function distanceToLine([lon, lat], line) {
  const across = 111_195 * Math.cos(lat * radiansPerDegree);
  const points = line.map(([x, y]) => [unwrapLongitude(x - lon, 0) * across, (y - lat) * 111_195]);
  let nearest = Math.hypot(...points[0]);
  for (let i = 0; i + 1 < points.length; i += 1) {
    const [[x1, y1], [x2, y2]] = [points[i], points[i + 1]];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const share = Math.max(0, Math.min(1, -(x1 * dx + y1 * dy) / (dx * dx + dy * dy || 1)));
    nearest = Math.min(nearest, Math.hypot(x1 + share * dx, y1 + share * dy));
  }
  return nearest;
}
