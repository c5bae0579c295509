import { mercatorX, mercatorY } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";
import { tracePaths } from "./clip.js";
import { Labels } from "./labels.js";
import { gridSize, readWorld, thinnedPaths } from "./world-file.js";

/** Degrees between two lines of the grid, by the highest zoom level that uses them. */
const steps = [[3, 30], [4.5, 10], [6, 5], [8, 1], [10, 0.5], [12, 0.1], [14, 0.05], [16, 0.01], [22, 0.005]];
/** Pixels by which clipped rings extend beyond the canvas: more than half a stroke. */
const clipMargin = 8;
/** From this zoom level on the coast lines are much coarser than the view, so they are drawn thinner. */
const coarseZoom = 11;
/** From this zoom level on they are not drawn, because their error of up to a kilometre would mislead. */
const hiddenZoom = 14;

/**
 * The base map: land, sea, lakes, rivers, borders, city names, and a grid of meridians and parallels. Without the file
 * of the world it has only the sea and the grid.
 *
 * Drawing is slow, so panning redraws it only when the edge of the canvas becomes visible.
 */
export const BaseMap = CanvasLayer.extend({
  margin: 256,

  initialize() {
    CanvasLayer.prototype.initialize.call(this, "base");
    this._levels = new Map();
    /** Resolves when the file is loaded, or loading failed. */
    this.ready = this._load();
  },

  getEvents() {
    return { ...CanvasLayer.prototype.getEvents.call(this), move: this._moved, moveend: this._moved };
  },

  async _load() {
    try {
      const response = await fetch(new URL("../base/world.bin", import.meta.url));
      if (!response.ok) return;
      this._world = readWorld(await response.arrayBuffer());
      this.redraw();
    } catch (error) {
      console.warn("The base map cannot be read.", error);
    }
  },

  _moved() {
    const map = this._map;
    const corner = map.latLngToContainerPoint(this._topLeft);
    const size = map.getSize();
    const isCovered = corner.x <= 0 && corner.y <= 0
      && corner.x + this._view.width >= size.x && corner.y + this._view.height >= size.y;
    if (!isCovered || map.getZoom() !== this._zoom) this.redraw();
  },

  draw(context, view) {
    const palette = colors.value;
    context.fillStyle = palette.sea;
    context.fillRect(0, 0, view.width, view.height);
    context.globalAlpha = Math.max(0, Math.min(1, hiddenZoom - view.zoom));
    if (this._world && context.globalAlpha > 0) {
      for (const shift of view.shifts) this._drawPaths(context, view, shift, palette);
    }
    context.globalAlpha = 1;
    drawGrid(context, view, palette);
    if (this._world) this._drawCities(context, view, palette);
  },

  _drawPaths(context, view, shift, palette) {
    const { land, lakes, rivers, borders, disputed } = this._level(view.zoom);
    const scale = view.scale / gridSize;
    const [left, top] = [view.px(shift), view.py(0)];
    const box = {
      west: (-left - clipMargin) / scale, east: (view.width - left + clipMargin) / scale,
      north: (-top - clipMargin) / scale, south: (view.height - top + clipMargin) / scale,
    };
    context.save();
    // At the antimeridian, paths run outside the world; there they would cover the next copy of the world.
    context.beginPath();
    context.rect(left, 0, view.scale, view.height);
    context.clip();
    context.lineJoin = "round";
    const draw = (paths, isClosed, fill, stroke, width, dash = []) => {
      context.beginPath();
      tracePaths(context, paths, box, isClosed, scale, left, top);
      if (fill) {
        context.fillStyle = fill;
        context.fill("nonzero");
      }
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.stroke();
    };
    const { zoom } = view;
    const strokeFactor = zoom < coarseZoom ? 1 : 0.6;
    draw(land, true, palette.land, palette.coast, strokeFactor * (zoom < 4 ? 0.6 : 1));
    if (zoom >= 3) draw(rivers, false, null, palette.sea, strokeFactor * (zoom < 6 ? 0.8 : 1.6));
    draw(lakes, true, palette.sea, palette.coast, strokeFactor * (zoom < 5 ? 0.4 : 0.8));
    draw(borders, false, null, palette.border, zoom < 4 ? 0.7 : 1.1);
    draw(disputed, false, null, palette.border, zoom < 4 ? 0.7 : 1.1, [3, 3]);
    context.restore();
  },

  /** The paths with the detail of a zoom level; two zoom levels share one. */
  _level(zoom) {
    const level = Math.min(8, 2 * Math.ceil(zoom / 2));
    if (!this._levels.has(level)) {
      const { land, lakes, rivers, borders, disputed } = this._world;
      const step = 2 ** (8 - level);
      const thin = (paths, smallest = step) => thinnedPaths(paths, step, smallest);
      this._levels.set(level, {
        land: thin(land), lakes: thin(lakes, 4 * step), rivers: thin(rivers),
        borders: thin(borders), disputed: thin(disputed),
      });
    }
    return this._levels.get(level);
  },

  _drawCities(context, view, palette) {
    context.font = `500 11px ${getComputedStyle(this._map.getContainer()).fontFamily}`;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.fillStyle = palette.place;
    context.strokeStyle = palette.land;
    this._labels ??= new Labels(this._world.cities, (city) => context.measureText(city.name).width);
    for (const shift of view.shifts) {
      const [left, top] = [view.px(shift), view.py(0)];
      for (const label of this._labels.within(view.zoom, -left, -top, view.width - left, view.height - top)) {
        const radius = label.city.isCapital ? 2.5 : 1.8;
        context.beginPath();
        context.arc(left + label.dotX, top + label.dotY, radius, 0, 2 * Math.PI);
        context.fill();
        context.strokeText(label.city.name, left + label.textX, top + label.textY);
        context.fillText(label.city.name, left + label.textX, top + label.textY);
      }
    }
  },
});

function drawGrid(context, view, palette) {
  const step = steps.find(([zoom]) => view.zoom <= zoom)?.[1] ?? 0.005;
  context.beginPath();
  const [west, east] = [(view.west - 0.5) * 360, (view.east - 0.5) * 360];
  for (let lon = Math.ceil(west / step) * step; lon <= east; lon += step) {
    const x = Math.round(view.px(mercatorX(lon))) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
  }
  const latitude = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
  const south = Math.max(-85, latitude(view.south));
  for (let lat = Math.ceil(south / step) * step; lat <= Math.min(85, latitude(view.north)); lat += step) {
    const y = Math.round(view.py(mercatorY(lat))) + 0.5;
    context.moveTo(0, y);
    context.lineTo(view.width, y);
  }
  context.lineWidth = 1;
  context.strokeStyle = palette.graticule;
  context.stroke();
}
