import { boundingBox, interiorPoint, mercatorX, mercatorY, metersPerUnit, outlines } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";

/** Units of a path around the world; at the highest zoom level a unit is smaller than a pixel. */
const unit = 2 ** 26;
/** Smaller regions have no label, in pixels. */
const smallestLabelled = 34;

/** The regions on the map: outlines; filled and hatched with devices inside; bold if selected. */
export const RegionLayer = CanvasLayer.extend({
  /**
   * @param {any} regions
   * @param {any} selection
   * @param {import("../core/observable.js").Observable<Map<string, number>>} deviceCounts the number of devices inside
   *   by region id, without zeros.
   * @param {import("../state/tag-colors.js").TagColors} tagColors
   */
  initialize(regions, selection, deviceCounts, tagColors) {
    CanvasLayer.prototype.initialize.call(this, "regions");
    this._selection = selection;
    this._deviceCounts = deviceCounts;
    this._tagColors = tagColors;
    this._shapes = new Map();
    /** The id of the region in the editor, which is not drawn here. */
    this.hidden = null;
    /** Whether the filter shows a region, by its id. */
    this.isIncluded = () => true;
    regions.changes.watch((features) => this._update(features));
    this.redrawWith(regions.changes).redrawWith(selection).redrawWith(deviceCounts);
  },

  _update(features) {
    for (const id of this._shapes.keys()) if (!features.has(id)) this._shapes.delete(id);
    for (const [id, feature] of features) {
      if (this._shapes.get(id)?.feature !== feature) this._shapes.set(id, shapeOf(feature));
    }
  },

  /** The selected region is shown with any filter. */
  _isShown(id) {
    return id !== this.hidden && (id === this._selection.value.region || this.isIncluded(id));
  },

  draw(context, view) {
    const palette = colors.value;
    const { region: selected } = this._selection.value;
    const names = [];
    for (const [id, shape] of this._shapes) {
      if (!this._isShown(id)) continue;
      for (const shift of view.shifts) {
        const [west, north, east, south] = shape.box;
        if (east + shift < view.west || west + shift > view.east || south < view.north || north > view.south) continue;
        const isSelected = id === selected;
        const isOccupied = this._deviceCounts.value.has(id);
        const style = this._styleOf(shape, palette, isSelected, isOccupied);
        this._drawShape(context, view, shape, shift, style);
        const size = Math.max(east - west, south - north) * view.scale;
        // The names of regions with a tag's colour are in that of other labels, so that they can be read.
        const ink = isSelected ? palette.accent
          : this._tagColors.nameOf(shape.feature) ? palette.label : palette.region;
        if (size > smallestLabelled || isSelected) names.push([shape, shift, isSelected, size, isOccupied, ink]);
      }
    }
    names.sort((a, b) => b[2] - a[2] || b[3] - a[3]);
    drawNames(context, view, names, palette);
  },

  /** The colours of a region: those of its tag, if it has one. */
  _styleOf({ feature }, palette, isSelected, isOccupied) {
    const tag = this._tagColors.nameOf(feature);
    const color = tag ? palette[tag] : palette.region;
    const isActive = isSelected || isOccupied;
    // With two digits for the opacity.
    const fill = tag ? `${color}${isActive ? "38" : "1f"}`
      : isActive ? palette["region-active-fill"] : palette["region-fill"];
    return { color, fill, stroke: isSelected ? palette.accent : color, isSelected, isOccupied };
  },

  _drawShape(context, view, shape, shift, { color, fill, stroke, isSelected, isOccupied }) {
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
      context.lineWidth = (isSelected ? 2.5 : 1.5) / factor;
      context.setLineDash([6 / factor, 4 / factor]);
      context.strokeStyle = stroke;
      context.stroke(shape.path);
    } else {
      context.fillStyle = fill;
      context.fill(shape.path, "evenodd");
      if (isOccupied) {
        context.fillStyle = hatching(context, color, factor);
        context.fill(shape.path, "evenodd");
      }
      context.lineWidth = (isSelected ? 3 : isOccupied ? 2 : 1.25) / factor;
      context.strokeStyle = stroke;
      context.stroke(shape.path);
    }
    context.restore();
  },

  /** The id of the smallest region that contains a position, or null. */
  regionAt(latLng) {
    const context = this._canvas.getContext("2d");
    const y = mercatorY(latLng.lat);
    let [best, found] = [Infinity, null];
    for (const shift of [-1, 0, 1]) {
      const x = mercatorX(latLng.lng) + shift;
      for (const [id, shape] of this._shapes) {
        if (!this._isShown(id)) continue;
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

/** A region as a path relative to its north-west corner, because canvases use single precision. */
function shapeOf(feature) {
  const { rings, lines, width } = outlines(feature);
  const [west, south, east, north] = boundingBox(feature);
  const box = [mercatorX(west), mercatorY(north), mercatorX(east), mercatorY(south)];
  const [x, y] = box;
  const path = new Path2D();
  for (const line of rings ?? lines) {
    line.forEach(([lon, lat], index) => {
      const [across, down] = [(mercatorX(lon) - x) * unit, (mercatorY(lat) - y) * unit];
      if (index === 0) path.moveTo(across, down);
      else path.lineTo(across, down);
    });
    if (rings) path.closePath();
  }
  const label = interiorPoint(feature);
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

/** Hatching patterns by their colour. */
const patterns = new Map();

/** A hatching pattern of one colour; its density on the screen is the same at every zoom level. */
function hatching(context, color, factor) {
  if (!patterns.has(color)) {
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
    patterns.set(color, context.createPattern(tile, "repeat"));
  }
  const pattern = patterns.get(color);
  pattern.setTransform(new DOMMatrix().scale(1 / factor));
  return pattern;
}

/** The position of a label: the interior point; with devices inside, near the top, away from their labels. */
function namePosition(view, shape, shift, isOccupied) {
  const [top, bottom] = [view.py(shape.box[1]), view.py(shape.box[3])];
  if (!isOccupied || top < view.margin) return [view.px(shape.labelX + shift), view.py(shape.labelY)];
  return [view.px(shape.topX + shift), bottom - top > 48 ? top + 14 : top - 10];
}

/** Draws labels without overlaps; those of the selected and the largest regions first. */
function drawNames(context, view, names, palette) {
  const taken = [];
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const [shape, shift, isSelected, , isOccupied, ink] of names.slice(0, 120)) {
    context.font = `${isSelected ? 700 : 500} 12.5px system-ui, sans-serif`;
    const [x, y] = namePosition(view, shape, shift, isOccupied);
    const half = context.measureText(shape.name).width / 2 + 3;
    const isFree = taken.every(([tx, ty, th]) => Math.abs(tx - x) > th + half || Math.abs(ty - y) > 16);
    if (!isFree) continue;
    taken.push([x, y, half]);
    context.lineWidth = 4;
    context.strokeStyle = palette.halo;
    context.strokeText(shape.name, x, y);
    context.fillStyle = ink;
    context.fillText(shape.name, x, y);
  }
  context.textAlign = "start";
}
