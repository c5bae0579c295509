import { anchor, extent, mercatorX, mercatorY, metersPerUnit, outlines } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";

/** Paths are made in parts of the world's side that are small against a pixel at the nearest view. */
const unit = 2 ** 26;
const smallestLabelled = 34;

/** All regions: outlines, those with somebody inside filled and hatched, the chosen one in bold. */
export const RegionLayer = CanvasLayer.extend({
  /** @param {{has: (id) => boolean}} occupied ids of regions that somebody is inside. */
  initialize(book, selection, occupied) {
    CanvasLayer.prototype.initialize.call(this, "regions");
    this._selection = selection;
    this._occupied = occupied;
    this._shapes = new Map();
    /** A region that is being drawn anew, and so not shown as it was. */
    this.hidden = null;
    book.changes.watch((features) => this._take(features));
    this.redrawWith(book.changes).redrawWith(selection).redrawWith(occupied);
  },

  _take(features) {
    for (const id of this._shapes.keys()) if (!features.has(id)) this._shapes.delete(id);
    for (const [id, feature] of features) {
      if (this._shapes.get(id)?.feature !== feature) this._shapes.set(id, shapeOf(feature));
    }
  },

  draw(context, view) {
    const palette = colors.value;
    const { region: chosen } = this._selection.value;
    const names = [];
    for (const [id, shape] of this._shapes) {
      if (id === this.hidden) continue;
      for (const shift of view.shifts) {
        const [west, north, east, south] = shape.box;
        if (east + shift < view.west || west + shift > view.east || south < view.north || north > view.south) continue;
        const isChosen = id === chosen;
        const isOccupied = this._occupied.value.has(id);
        this._drawShape(context, view, shape, shift, palette, isChosen, isOccupied);
        const size = Math.max(east - west, south - north) * view.scale;
        if (size > smallestLabelled || isChosen) names.push([shape, shift, isChosen, size, isOccupied]);
      }
    }
    names.sort((a, b) => b[2] - a[2] || b[3] - a[3]);
    drawNames(context, view, names, palette);
  },

  _drawShape(context, view, shape, shift, palette, isChosen, isOccupied) {
    const stroke = isChosen ? palette.accent : palette.region;
    const fill = isChosen || isOccupied ? palette["region-lit-fill"] : palette["region-fill"];
    context.save();
    context.translate(view.px(shape.x + shift), view.py(shape.y));
    const factor = view.scale / unit;
    context.scale(factor, factor);
    if (shape.width) {
      context.lineCap = "round";
      context.lineJoin = "round";
      context.lineWidth = Math.max(shape.width, 3 / factor);
      context.strokeStyle = fill;
      context.stroke(shape.path);
      context.lineWidth = (isChosen ? 2.5 : 1.5) / factor;
      context.setLineDash([6 / factor, 4 / factor]);
      context.strokeStyle = stroke;
      context.stroke(shape.path);
    } else {
      context.fillStyle = fill;
      context.fill(shape.path, "evenodd");
      if (isOccupied) {
        context.fillStyle = hatching(context, palette.region, factor);
        context.fill(shape.path, "evenodd");
      }
      context.lineWidth = (isChosen ? 3 : isOccupied ? 2 : 1.25) / factor;
      context.strokeStyle = stroke;
      context.stroke(shape.path);
    }
    context.restore();
  },

  /** The id of the smallest region that covers a position, or null. */
  regionAt(latLng) {
    const context = this._canvas.getContext("2d");
    const y = mercatorY(latLng.lat);
    let [best, found] = [Infinity, null];
    for (const shift of [-1, 0, 1]) {
      const x = mercatorX(latLng.lng) + shift;
      for (const [id, shape] of this._shapes) {
        const [west, north, east, south] = shape.box;
        if (x < west || x > east || y < north || y > south) continue;
        const size = (east - west) * (south - north);
        if (size >= best) continue;
        context.save();
        context.setTransform(1, 0, 0, 1, 0, 0);
        const [px, py] = [(x - shape.x) * unit, (y - shape.y) * unit];
        context.lineWidth = shape.width || 1;
        context.lineCap = "round";
        context.lineJoin = "round";
        const isHit = shape.width
          ? context.isPointInStroke(shape.path, px, py) : context.isPointInPath(shape.path, px, py, "evenodd");
        context.restore();
        if (isHit) [best, found] = [size, id];
      }
    }
    return found;
  },
});

/** A region as a path around its own corner, so that numbers stay small and sharp. */
function shapeOf(feature) {
  const { rings, lines, width } = outlines(feature);
  const [west, south, east, north] = extent(feature);
  const box = [mercatorX(west), mercatorY(north), mercatorX(east), mercatorY(south)];
  const [x, y] = box;
  const path = new Path2D();
  for (const line of rings ?? lines) {
    line.forEach(([lon, lat], index) => {
      const point = [(mercatorX(lon) - x) * unit, (mercatorY(lat) - y) * unit];
      if (index === 0) path.moveTo(...point);
      else path.lineTo(...point);
    });
    if (rings) path.closePath();
  }
  const label = anchor(feature);
  const top = (rings ?? lines).flat().reduce((best, one) => (one[1] > best[1] ? one : best));
  return {
    feature, path, box, x, y,
    width: width ? (width / metersPerUnit((south + north) / 2)) * unit : 0,
    labelX: mercatorX(label[0]),
    labelY: mercatorY(label[1]),
    topX: mercatorX(top[0]),
    name: feature.properties?.name ?? String(feature.id),
  };
}

let pattern = null;

/** Slanting lines of one colour, as fine at every zoom. */
function hatching(context, color, factor) {
  if (pattern?.color !== color) {
    const tile = document.createElement("canvas");
    [tile.width, tile.height] = [8, 8];
    const pen = tile.getContext("2d");
    pen.strokeStyle = color;
    pen.globalAlpha = 0.45;
    pen.lineWidth = 1.2;
    pen.beginPath();
    for (const start of [-8, 0, 8]) {
      pen.moveTo(start, 8);
      pen.lineTo(start + 8, 0);
    }
    pen.stroke();
    pattern = { color, fill: context.createPattern(tile, "repeat") };
  }
  pattern.fill.setTransform(new DOMMatrix().scale(1 / factor));
  return pattern.fill;
}

/** In the middle; where somebody is inside, and has a name there too, just below the top, or above what is small. */
function placeOfName(view, shape, shift, isOccupied) {
  const [top, bottom] = [view.py(shape.box[1]), view.py(shape.box[3])];
  if (!isOccupied || top < view.margin) return [view.px(shape.labelX + shift), view.py(shape.labelY)];
  return [view.px(shape.topX + shift), bottom - top > 48 ? top + 14 : top - 10];
}

/** Names where no other name stands; those of the chosen and the largest regions first. */
function drawNames(context, view, names, palette) {
  const taken = [];
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const [shape, shift, isChosen, , isOccupied] of names.slice(0, 120)) {
    context.font = `${isChosen ? 700 : 500} 12.5px system-ui, sans-serif`;
    const [x, y] = placeOfName(view, shape, shift, isOccupied);
    const half = context.measureText(shape.name).width / 2 + 3;
    const isFree = taken.every(([tx, ty, th]) => Math.abs(tx - x) > th + half || Math.abs(ty - y) > 16);
    if (!isFree) continue;
    taken.push([x, y, half]);
    context.lineWidth = 4;
    context.strokeStyle = palette.halo;
    context.strokeText(shape.name, x, y);
    context.fillStyle = isChosen ? palette.accent : palette.region;
    context.fillText(shape.name, x, y);
  }
  context.textAlign = "start";
}
