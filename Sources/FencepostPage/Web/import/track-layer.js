import { mercatorX, mercatorY } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "../map/canvas-layer.js";

/** The lines of a file that is about to be imported, dashed because they are not stored. */
export const ImportLayer = CanvasLayer.extend({
  initialize() {
    CanvasLayer.prototype.initialize.call(this, "devices");
    this._lines = [];
  },

  /** `lines`: arrays of `[longitude, latitude]`. */
  show(lines) {
    this._lines = lines.map((line) => {
      let last = 0;
      return line.map(([longitude, latitude], index) => {
        const x = mercatorX(longitude);
        // Continuous across the antimeridian.
        last = index ? x - Math.round(x - last) : x;
        return [last, mercatorY(latitude)];
      });
    });
    this.redraw();
  },

  draw(context, view) {
    context.strokeStyle = colors.value.track;
    context.fillStyle = colors.value.track;
    context.lineWidth = 2.5;
    context.lineJoin = "round";
    for (const shift of view.shifts) {
      for (const line of this._lines) {
        context.setLineDash([6, 4]);
        context.beginPath();
        for (const [x, y] of line) context.lineTo(view.px(x + shift), view.py(y));
        context.stroke();
        context.setLineDash([]);
        for (const [x, y] of [line[0], line.at(-1)]) {
          context.beginPath();
          context.arc(view.px(x + shift), view.py(y), 5, 0, 2 * Math.PI);
          context.fill();
        }
      }
    }
  },
});

/** The box around lines, as `[west, south, east, north]`; null without positions. */
export function boxOf(lines) {
  const positions = lines.flat();
  if (!positions.length) return null;
  const [longitudes, latitudes] = [positions.map(([lon]) => lon), positions.map(([, lat]) => lat)];
  return [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)];
}
