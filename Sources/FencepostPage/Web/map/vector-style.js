// The style of vector tiles: what is drawn of the layers of OpenMapTiles, Protomaps and Shortbread, and how.

import { line, point, polygon } from "./vector-tile.js";

const setOf = (text) => new Set(text.split(" "));
const greens = setOf("wood forest grass park meadow garden nature_reserve national_park protected_area cemetery "
  + "grave_yard scrub grassland golf_course recreation_ground village_green orchard allotments heath wetland pitch "
  + "playground vineyard farmland zoo greenfield");
const built = setOf("residential commercial industrial retail school university college hospital urban_area suburb "
  + "quarter neighbourhood military railway garages construction brownfield pedestrian plaza parking");
const roads = {
  motorway: setOf("motorway motorway_link highway"),
  major: setOf("trunk trunk_link primary primary_link secondary secondary_link major_road"),
  minor: setOf("tertiary tertiary_link minor minor_road residential unclassified living_street service busway track "
    + "raceway pedestrian"),
  path: setOf("path footway cycleway steps bridleway"),
  rail: setOf("rail transit light_rail tram subway narrow_gauge monorail funicular"),
};

/** The class of a feature, by which it is drawn; null for what is left out. */
export function classOf(layer, kind, tags) {
  const type = tags.kind ?? tags.class ?? tags.subclass;
  switch (layer) {
    case "earth": return kind === polygon ? "land" : null;
    case "ocean": case "water_polygons": case "water": case "waterway": case "water_lines":
      return kind === polygon ? "water" : kind === line ? "river" : null;
    case "park": return kind === polygon ? "green" : null;
    case "land": case "landcover": case "landuse": case "natural": case "sites":
      if (kind !== polygon) return null;
      return greens.has(type) || greens.has(tags.subclass) ? "green" : built.has(type) ? "built" : null;
    case "building": case "buildings": return kind === polygon ? "building" : null;
    case "boundary": case "boundaries": return kind === line && isDrawn(tags) ? "boundary" : null;
    case "transportation": case "roads": case "streets":
      return kind === line ? Object.keys(roads).find((name) => roads[name].has(type)) ?? null : null;
    default: return null;
  }
}

/** Whether a boundary is one of countries or of their largest parts, on land. */
function isDrawn(tags) {
  if (tags.maritime === true || tags.maritime === 1) return false;
  const level = Number(tags.admin_level ?? tags.kind_detail);
  return Number.isFinite(level) ? level <= 4 : ["country", "region"].includes(tags.kind);
}

/** The first zoom level and the weight of the names of places: the smaller weight is placed first. */
const settlements = {
  country: [2, 0], state: [5, 1], region: [5, 1], province: [5, 1], city: [4, 2], town: [8, 3], village: [11, 4],
  hamlet: [13, 5], suburb: [12, 5], quarter: [13, 5], borough: [12, 5], neighbourhood: [13, 6],
  isolated_dwelling: [15, 6], locality: [11, 4],
};
const longestName = 60;

/** The name of a place with its weight and first zoom level; null for other features. */
export function labelOf(layer, kind, tags) {
  if (kind !== point || !["place", "places", "place_labels"].includes(layer)) return null;
  const name = tags.name ?? tags["name:latin"] ?? tags.name_en ?? tags["name:en"];
  const kinds = [tags.kind_detail, tags.class, tags.kind];
  const known = settlements[kinds.find((one) => Object.hasOwn(settlements, one))];
  if (typeof name !== "string" || !name || !known) return null;
  const people = Number(tags.population) || 10 ** (Number(tags.population_rank) / 2 || 0);
  // Within a weight, larger places come first.
  const rank = Number(tags.rank) || 20 - Math.min(19, 2 * Math.log10(1 + people));
  return { name: name.slice(0, longestName), firstZoom: known[0], weight: known[1] + rank / 100,
    isLarge: known[1] <= 2 };
}

/** Layers with the names of streets, of OpenMapTiles, Protomaps and Shortbread. */
const streetLayers = ["transportation_name", "roads", "street_labels"];

/** The first zoom level of the names of roads, in the order in which they are placed. */
const streetZooms = { motorway: 11, major: 13, minor: 15, path: 17 };

/** The name of a street with its weight and first zoom level; null for other features. */
export function streetOf(layer, kind, tags) {
  if (kind !== line || !streetLayers.includes(layer)) return null;
  const name = tags.name ?? tags["name:latin"] ?? tags.name_en ?? tags["name:en"] ?? tags.ref;
  const type = tags.kind ?? tags.class ?? tags.subclass;
  const group = Object.keys(streetZooms).find((one) => roads[one].has(type));
  if (typeof name !== "string" || !name || !group) return null;
  return { name: name.slice(0, longestName), firstZoom: streetZooms[group],
    weight: Object.keys(streetZooms).indexOf(group) };
}

/**
 * The classes in the order in which they are drawn. `width` is that of a line at zoom level 18, which halves about
 * every two levels; `from` is the first zoom level.
 */
export const classes = [
  { name: "land", fill: "land" },
  { name: "built", fill: "tile-built" },
  { name: "green", fill: "tile-green" },
  { name: "water", fill: "sea" },
  { name: "river", stroke: "sea", width: 6, from: 8 },
  { name: "building", fill: "tile-building", from: 14 },
  { name: "boundary", stroke: "border", width: 6, dash: [4, 3] },
  { name: "path", stroke: "tile-path", width: 2.5, dash: [3, 2], from: 15 },
  { name: "minor", stroke: "coast", width: 16, from: 13, edge: 2 },
  { name: "major", stroke: "coast", width: 24, from: 7, edge: 2 },
  { name: "motorway", stroke: "coast", width: 28, from: 5, edge: 2 },
  { name: "minor", stroke: "tile-road", width: 16, from: 12 },
  { name: "major", stroke: "tile-road-major", width: 24, from: 7 },
  { name: "motorway", stroke: "tile-road-motorway", width: 28, from: 5 },
  { name: "rail", stroke: "tile-rail", width: 4, from: 11 },
];

/**
 * The width of a line of a class in pixels at a zoom level. The edge of a thin line is thinner than the line.
 * @param {{width?: number, edge?: number}} style
 * @param {number} zoom
 */
export function widthOf({ width, edge = 0 }, zoom) {
  const core = Math.max(0.6, width * 1.42 ** (zoom - 18));
  return core + Math.min(edge, core);
}
