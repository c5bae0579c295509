import { DomUtil, GridLayer } from "../leaflet/leaflet.js";
import { colors } from "../core/theme.js";
import { readTile } from "./vector-tile.js";
import { classes, classOf, labelOf, streetOf, widthOf } from "./vector-style.js";

/** Pixels of a tile. Vector tiles are made for this size, so they have the number of the zoom level before. */
const tileSize = 512;
/** Tiles that are kept after they were drawn. */
const keptTiles = 128;

/**
 * Draws vector tiles of the service, each on a canvas. `labels()` and `streets()` are the names in the tiles that are
 * shown; the layer of labels draws them, because they cross the edges of tiles.
 */
export const VectorLayer = GridLayer.extend({
  options: { tileSize, maxZoom: 21 },

  initialize(address, options) {
    // Leaflet would enlarge the canvases of the last level; here each level is drawn. So it knows of no last level.
    const { minNativeZoom, maxNativeZoom, ...others } = options;
    GridLayer.prototype.initialize.call(this, others);
    Object.assign(this, { _address: address, _least: minNativeZoom, _last: maxNativeZoom });
    this._tilesByID = new Map();
    this._shown = new Map();
    this.on("tileunload", ({ coords }) => {
      this._shown.delete(this._tileCoordsToKey(coords));
      this.fire("labels");
    });
  },

  onAdd(map) {
    GridLayer.prototype.onAdd.call(this, map);
    this._stop = colors.subscribe(() => this.redraw());
  },

  onRemove(map) {
    this._stop();
    GridLayer.prototype.onRemove.call(this, map);
  },

  createTile(coordinates, done) {
    const canvas = DomUtil.create("canvas", "leaflet-tile");
    const key = this._tileCoordsToKey(coordinates);
    const number = this._numberOf(coordinates);
    if (!number) {
      queueMicrotask(() => done(null, canvas));
      return canvas;
    }
    this._read(number).then((tile) => {
      if (tile) {
        paint(canvas, tile, number, coordinates.z);
        this._shown.set(key, tile);
        this.fire("labels");
      }
      done(null, canvas);
    }).catch((error) => done(error, canvas));
    return canvas;
  },

  /** The names of places in the tiles that are shown. */
  labels() {
    return [...this._shown.values()].flatMap((tile) => tile.labels);
  },

  /** The names of streets in the tiles that are shown, with their lines in parts of the world. */
  streets() {
    return [...this._shown.values()].flatMap((tile) => tile.streets);
  },

  /** The tile of the file that has a tile of the map, and the part of it: `parts` a side, `column` and `row` in it. */
  _numberOf({ x, y, z }) {
    const zoom = z - 1;
    if (zoom < this._least) return null;
    const beyond = Math.max(0, zoom - this._last);
    const parts = 2 ** beyond;
    const [column, row] = [x, y].map((value) => Math.floor(value / parts));
    return { zoom: zoom - beyond, x: column, y: row, parts, column: x - column * parts, row: y - row * parts };
  },

  /** Reads a tile once; several parts of the map share it. */
  _read({ zoom, x, y }) {
    const id = `${zoom}/${x}/${y}`;
    const known = this._tilesByID.get(id);
    if (known) {
      this._tilesByID.delete(id);
      this._tilesByID.set(id, known);
      return known;
    }
    const reading = load(this._address, zoom, x, y);
    this._tilesByID.set(id, reading);
    // A failure may be one of the network, so the next view asks again.
    reading.catch(() => this._tilesByID.delete(id));
    if (this._tilesByID.size > keptTiles) this._tilesByID.delete(this._tilesByID.keys().next().value);
    return reading;
  },
});

async function load(address, zoom, x, y) {
  const response = await fetch(address.replace("{z}", zoom).replace("{x}", x).replace("{y}", y));
  if (response.status === 204) return null;
  if (!response.ok) throw new Error(`The tile ${zoom}/${x}/${y} could not be read: ${response.status}.`);
  return prepare(readTile(new Uint8Array(await response.arrayBuffer())), zoom, x, y);
}

/** The paths of a tile by class, in parts of its side, and its places and named streets in parts of the world. */
function prepare(layers, zoom, x, y) {
  const paths = new Map();
  const [labels, streets] = [[], []];
  for (const { name, extent, features } of layers) {
    for (const feature of features) {
      const { kind, tags } = feature;
      const label = labelOf(name, kind, tags);
      const street = streetOf(name, kind, tags);
      const group = label ? null : classOf(name, kind, tags);
      if (!label && !street && !group) continue;
      const shapes = feature.readPaths().map((path) => path.map((value) => value / extent));
      for (const shape of street ? shapes : []) {
        const path = shape.map((value, index) => ((index % 2 ? y : x) + value) / 2 ** zoom);
        streets.push({ ...street, path });
      }
      if (label && shapes[0]) {
        const [across, down] = shapes[0];
        labels.push({ ...label, x: (x + across) / 2 ** zoom, y: (y + down) / 2 ** zoom });
      } else if (group) {
        if (!paths.has(group)) paths.set(group, []);
        paths.get(group).push(shapes);
      }
    }
  }
  return { paths, labels, streets };
}

function paint(canvas, { paths }, { parts, column, row }, zoom) {
  const ratio = Math.min(2, devicePixelRatio || 1);
  [canvas.width, canvas.height] = [tileSize * ratio, tileSize * ratio];
  const context = canvas.getContext("2d");
  const palette = colors.value;
  const side = tileSize * parts;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  // Where land has no areas of its own, what is no water is land.
  context.fillStyle = paths.has("land") ? palette.sea : palette.land;
  context.fillRect(0, 0, tileSize, tileSize);
  context.translate(-column * tileSize, -row * tileSize);
  context.lineJoin = "round";
  for (const style of classes) {
    const features = paths.get(style.name);
    if (!features || zoom < (style.from ?? 0)) continue;
    context.fillStyle = palette[style.fill] ?? "";
    context.strokeStyle = palette[style.stroke] ?? "";
    if (style.stroke) context.lineWidth = widthOf(style, zoom);
    context.lineCap = style.dash ? "butt" : "round";
    context.setLineDash(style.dash ?? []);
    for (const shapes of features) {
      context.beginPath();
      for (const path of shapes) trace(context, path, side);
      if (style.fill) context.fill("evenodd");
      else context.stroke();
    }
  }
}

function trace(context, path, side) {
  context.moveTo(path[0] * side, path[1] * side);
  for (let index = 2; index < path.length; index += 2) context.lineTo(path[index] * side, path[index + 1] * side);
}
