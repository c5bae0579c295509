import { oncePerFrame } from "../core/observable.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";
import { overlap, labelStreets } from "./street-labels.js";

/** The most names that are considered; a view has some hundreds. */
const maximumNames = 2000;
const lineHeight = 16;

/**
 * The names of places and streets over the tiles of a `VectorLayer`, without overlaps: larger places are placed first,
 * and streets in the room that is left.
 */
export const VectorLabels = CanvasLayer.extend({
  initialize(pane, tiles) {
    CanvasLayer.prototype.initialize.call(this, pane);
    tiles.on("labels", oncePerFrame(() => {
      [this._labels, this._streets] = [null, null];
      this.redraw();
    }));
    this._tiles = tiles;
  },

  draw(context, view) {
    const font = getComputedStyle(this._map.getContainer()).fontFamily;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    [context.fillStyle, context.strokeStyle] = [colors.value.label, colors.value.halo];
    // Two zoom levels are shown during a zoom, and tiles repeat the names near their edges.
    this._labels ??= sorted(this._tiles.labels());
    const boxes = [];
    for (const { name, x, y, firstZoom, isLarge } of this._labels) {
      if (view.zoom < firstZoom) continue;
      context.font = `${isLarge ? "600 13px" : "500 12px"} ${font}`;
      const half = context.measureText(name).width / 2 + 4;
      for (const shift of view.shifts) {
        const [left, top] = [view.px(x + shift), view.py(y)];
        if (left + half < 0 || left - half > view.width || top < 0 || top > view.height) continue;
        const box = [left - half, top - lineHeight / 2, left + half, top + lineHeight / 2];
        if (boxes.some((other) => overlap(box, other))) continue;
        boxes.push(box);
        context.strokeText(name, left, top);
        context.fillText(name, left, top);
      }
    }
    this._drawStreets(context, view, boxes, font);
  },

  _drawStreets(context, view, boxes, font) {
    // Parts of a tile that is enlarged have the same streets.
    this._streets ??= [...new Set(this._tiles.streets())].sort((a, b) => a.weight - b.weight);
    context.font = `500 11px ${font}`;
    const widths = new Map();
    const widthOf = (name) => {
      if (!widths.has(name)) widths.set(name, context.measureText(name).width);
      return widths.get(name);
    };
    for (const { name, x, y, angle } of labelStreets(this._streets, view, widthOf, boxes)) {
      context.save();
      context.translate(x, y);
      context.rotate(angle);
      context.strokeText(name, 0, 0);
      context.fillText(name, 0, 0);
      context.restore();
    }
  },
});

function sorted(labels) {
  const known = new Map();
  for (const label of labels) {
    const key = `${label.name} ${Math.round(label.x * 4e4)} ${Math.round(label.y * 4e4)}`;
    if (!known.has(key)) known.set(key, label);
  }
  return [...known.values()].sort((a, b) => a.weight - b.weight || a.x - b.x).slice(0, maximumNames);
}
