import { mercatorX, mercatorY } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";
import { trace } from "./clip.js";
import { Labels } from "./labels.js";
import { gridSize, readWorld, thinned } from "./world.js";

/** Degrees between two lines of the grid, by zoom. */
const steps = [[3, 30], [4.5, 10], [6, 5], [8, 1], [10, 0.5], [12, 0.1], [14, 0.05], [16, 0.01], [22, 0.005]];
/** Pixels by which cut rings go beyond the canvas: more than half a stroke. */
const outside = 8;
/** From this zoom on the coasts are much coarser than what is looked at: they step back, and the grid comes forward. */
const coarseZoom = 11;
/** From here on they are not drawn: a coast that is a kilometre off would put streets into the sea. */
const goneZoom = 14;

/**
 * What lies beneath everything: land and sea, lakes, rivers, borders, the names of cities, and a grid of meridians and
 * parallels to go by. Until the file of the world is there, and when it cannot be had, the sea and the grid.
 *
 * It costs more to draw than to move: while the map is panned it is drawn anew only when its edge comes into sight.
 */
export const BaseMap = CanvasLayer.extend({
  margin: 256,

  initialize() {
    CanvasLayer.prototype.initialize.call(this, "base");
    this._levels = new Map();
    /** Settles when the file is drawn, or cannot be. */
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
    context.globalAlpha = Math.max(0, Math.min(1, goneZoom - view.zoom));
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
      west: (-left - outside) / scale, east: (view.width - left + outside) / scale,
      north: (-top - outside) / scale, south: (view.height - top + outside) / scale,
    };
    context.save();
    // Edges where the source cut the world are led around outside of it, where the next copy of the world lies.
    context.beginPath();
    context.rect(left, 0, view.scale, view.height);
    context.clip();
    context.lineJoin = "round";
    const draw = (paths, isClosed, fill, stroke, width, dash = []) => {
      context.beginPath();
      trace(context, paths, box, isClosed, scale, left, top);
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
    const ease = zoom < coarseZoom ? 1 : 0.6;
    draw(land, true, palette.land, palette.coast, ease * (zoom < 4 ? 0.6 : 1));
    if (zoom >= 3) draw(rivers, false, null, palette.sea, ease * (zoom < 6 ? 0.8 : 1.6));
    draw(lakes, true, palette.sea, palette.coast, ease * (zoom < 5 ? 0.4 : 0.8));
    draw(borders, false, null, palette.border, zoom < 4 ? 0.7 : 1.1);
    draw(disputed, false, null, palette.border, zoom < 4 ? 0.7 : 1.1, [3, 3]);
    context.restore();
  },

  /** The paths with the detail that a zoom can show; two zooms share one level. */
  _level(zoom) {
    const level = Math.min(8, 2 * Math.ceil(zoom / 2));
    if (!this._levels.has(level)) {
      const { land, lakes, rivers, borders, disputed } = this._world;
      const step = 2 ** (8 - level);
      const thin = (paths, smallest = step) => thinned(paths, step, smallest);
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
      for (const label of this._labels.in(view.zoom, -left, -top, view.width - left, view.height - top)) {
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
