// Geometry for drawing. What counts is decided by the service, with GEOS and geodesics; here a sphere is good enough.

const radius = 6_371_008.8;
const rad = Math.PI / 180;

/** Great-circle distance in metres between two `[longitude, latitude]`. */
export function distance([lonA, latA], [lonB, latB]) {
  const x = Math.sin(((latB - latA) * rad) / 2);
  const y = Math.sin(((lonB - lonA) * rad) / 2);
  const h = x * x + Math.cos(latA * rad) * Math.cos(latB * rad) * y * y;
  return 2 * radius * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Where one comes to from a place, in metres and degrees from north. */
export function destination([lon, lat], meters, bearing) {
  const d = meters / radius;
  const b = bearing * rad;
  const sinLat = Math.sin(lat * rad) * Math.cos(d) + Math.cos(lat * rad) * Math.sin(d) * Math.cos(b);
  const y = Math.sin(b) * Math.sin(d) * Math.cos(lat * rad);
  const x = Math.cos(d) - Math.sin(lat * rad) * sinLat;
  return [lon + Math.atan2(y, x) / rad, Math.asin(sinLat) / rad];
}

/** Degrees from north, 0 to 360, from one place to another. */
export function bearing([lonA, latA], [lonB, latB]) {
  const dLon = (lonB - lonA) * rad;
  const y = Math.sin(dLon) * Math.cos(latB * rad);
  const x = Math.cos(latA * rad) * Math.sin(latB * rad) - Math.sin(latA * rad) * Math.cos(latB * rad) * Math.cos(dLon);
  return (Math.atan2(y, x) / rad + 360) % 360;
}

/** A circle on the ground as a closed ring of positions; longitudes go on beyond 180 rather than jump. */
export function circle(center, meters, steps = 96) {
  const ring = [];
  for (let step = 0; step <= steps; step += 1) {
    const [lon, lat] = destination(center, meters, (step % steps) * (360 / steps));
    ring.push([near(lon, center[0]), lat]);
  }
  return ring;
}

/** The same meridian, within 180 degrees of another one. */
export function near(lon, other) {
  return lon - 360 * Math.round((lon - other) / 360);
}

/** A line whose longitudes go on beyond 180 rather than jump: edges are read the short way round. */
export function unrolled(line) {
  let last = line[0]?.[0] ?? 0;
  return line.map(([lon, lat]) => [(last = near(lon, last)), lat]);
}

/** A longitude from -180 to 180. */
export const wrapped = (lon) => (lon >= -180 && lon <= 180 ? lon : near(lon, 0));

const widest = 85.0511287798066;

/** Web Mercator: the world as a square from 0 to 1, y downwards. */
export const mercatorX = (lon) => lon / 360 + 0.5;
export function mercatorY(lat) {
  const sine = Math.sin(Math.max(-widest, Math.min(widest, lat)) * rad);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** Metres on the ground that one unit of the square is, at a latitude. */
export const metersPerUnit = (lat) => 2 * Math.PI * 6_378_137 * Math.cos(lat * rad);

/** The outlines of a region's geometry: `{rings}` closed, or `{lines}` with a width in metres. */
export function outlines(feature) {
  const { type, coordinates } = feature.geometry;
  const properties = feature.properties ?? {};
  switch (type) {
    case "Point":
      return { rings: [circle(coordinates, properties.radius)] };
    case "Polygon":
      return { rings: coordinates.map(unrolled) };
    case "MultiPolygon":
      return { rings: coordinates.flat().map(unrolled) };
    case "LineString":
      return { lines: [unrolled(coordinates)], width: properties.width };
    case "MultiLineString":
      return { lines: coordinates.map(unrolled), width: properties.width };
    default:
      return { rings: [] };
  }
}

/** `[west, south, east, north]` around a region, the width of a corridor included; longitudes may go beyond 180. */
export function extent(feature) {
  const { rings, lines, width } = outlines(feature);
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of (rings ?? lines).flat()) {
    const pad = width ? width / 2 / 111_320 : 0;
    const wide = pad / Math.max(0.01, Math.cos(lat * rad));
    box[0] = Math.min(box[0], lon - wide);
    box[1] = Math.min(box[1], lat - pad);
    box[2] = Math.max(box[2], lon + wide);
    box[3] = Math.max(box[3], lat + pad);
  }
  return box;
}

/** A place in a region to name it at: its centre, the middle of its line, or a point well inside its largest ring. */
export function anchor(feature) {
  const { rings, lines } = outlines(feature);
  if (feature.geometry.type === "Point") return feature.geometry.coordinates;
  if (lines) return lines[0][Math.floor(lines[0].length / 2)];
  const size = (ring) => Math.abs(ring.reduce((sum, [x, y], i) => {
    const [x2, y2] = ring[(i + 1) % ring.length];
    return sum + x * y2 - x2 * y;
  }, 0));
  const ring = rings.reduce((best, one) => (size(one) > size(best) ? one : best));
  // The middle of the widest stretch, inside all rings, on the line through the ring's middle.
  const lats = ring.map(([, lat]) => lat);
  const lat = (Math.min(...lats) + Math.max(...lats)) / 2 + 1e-9;
  const crossings = [];
  for (const one of rings) {
    for (let i = 0; i + 1 < one.length; i += 1) {
      const [[x1, y1], [x2, y2]] = [one[i], one[i + 1]];
      if (y1 > lat !== y2 > lat) crossings.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
    }
  }
  crossings.sort((a, b) => a - b);
  let [best, middle] = [-1, ring[0][0]];
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    if (crossings[i + 1] - crossings[i] > best) {
      best = crossings[i + 1] - crossings[i];
      middle = (crossings[i] + crossings[i + 1]) / 2;
    }
  }
  return [middle, lat];
}
