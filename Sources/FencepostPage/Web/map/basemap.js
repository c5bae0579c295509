import { mercatorX, mercatorY } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";

/** Degrees between two lines of the grid, by zoom. */
const steps = [[3, 30], [4.5, 10], [6, 5], [8, 1], [10, 0.5], [12, 0.1], [14, 0.05], [16, 0.01], [22, 0.005]];

/** What lies beneath everything: the sea, and a grid of meridians and parallels to go by. */
export const BaseMap = CanvasLayer.extend({
  initialize() {
    CanvasLayer.prototype.initialize.call(this, "base");
  },

  draw(context, view) {
    const palette = colors.value;
    context.fillStyle = palette.sea;
    context.fillRect(0, 0, view.width, view.height);
    drawGrid(context, view, palette);
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
