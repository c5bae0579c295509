// The explanation of the selected event on the map: the fix that decided, its accuracy, its distance to the boundary,
// and the fixes during which the decision was pending.

import { get, getAll, pathSegment } from "../core/api.js";
import { formatDistance } from "../core/format.js";
import { mercatorX, mercatorY, metersPerUnit } from "../core/geo.js";
import { nearestBoundaryPoint } from "../core/nearest-point.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";

const ExplanationLayer = CanvasLayer.extend({
  initialize() {
    CanvasLayer.prototype.initialize.call(this, "explanation");
    this._explanation = null;
  },

  show(explanation) {
    this._explanation = explanation;
    this.redraw();
  },

  draw(context, view) {
    if (!this._explanation) return;
    const palette = colors.value;
    for (const shift of view.shifts) this._drawExplanation(context, view, shift, palette, this._explanation);
  },

  _drawExplanation(context, view, shift, palette, { fix, accuracy, boundary, distance, held }) {
    const at = ([lon, lat]) => [view.px(mercatorX(lon) + shift), view.py(mercatorY(lat))];
    const [x, y] = at([fix.longitude, fix.latitude]);
    const radius = (accuracy / metersPerUnit(fix.latitude)) * view.scale;
    context.strokeStyle = palette.mark;
    context.fillStyle = palette.mark;
    if (radius > 6) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.globalAlpha = 0.12;
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.setLineDash([5, 4]);
      context.stroke();
      context.setLineDash([]);
    }
    for (const position of held) {
      const [hx, hy] = at(position);
      context.beginPath();
      context.moveTo(hx, hy);
      context.lineTo(x, y);
      context.lineWidth = 1.5;
      context.setLineDash([1, 5]);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.arc(hx, hy, 5, 0, 2 * Math.PI);
      context.fillStyle = palette.ground;
      context.fill();
      context.lineWidth = 2;
      context.stroke();
    }
    if (boundary) {
      const [bx, by] = at(boundary);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(bx, by);
      context.lineWidth = 2.5;
      context.stroke();
      // A dimension line ends with a short perpendicular stroke.
      const length = Math.hypot(bx - x, by - y);
      if (length > 4) {
        const [nx, ny] = [(-(by - y) / length) * 7, ((bx - x) / length) * 7];
        context.beginPath();
        context.moveTo(bx - nx, by - ny);
        context.lineTo(bx + nx, by + ny);
        context.stroke();
      }
      if (length > 28) this._drawText(context, palette, formatDistance(Math.abs(distance)), (x + bx) / 2, (y + by) / 2);
    }
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fillStyle = palette.mark;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = palette["device-ring"];
    context.stroke();
  },

  _drawText(context, palette, text, x, y) {
    context.font = "700 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = palette.halo;
    context.strokeText(text, x, y - 10);
    context.fillStyle = palette.label;
    context.fillText(text, x, y - 10);
    context.textAlign = "start";
  },
});

/** Adds the layer that explains the selected event. */
export function addExplanationLayer(app) {
  app.map.createPane("explanation").style.zIndex = 500;
  const layer = new ExplanationLayer().addTo(app.map);
  let wanted = null;
  app.selection.watch(async ({ event: id }) => {
    wanted = id;
    if (id === null) {
      layer.show(null);
      return;
    }
    try {
      const event = app.eventLog.get(id) ?? await get(`/v1/events/${pathSegment(id)}`, { explain: true });
      const explanation = await explanationOf(app, event);
      if (wanted === id) layer.show(explanation);
    } catch {
      // The card of the event shows the error.
      if (wanted === id) layer.show(null);
    }
  });
}

async function explanationOf(app, { deviceId, region, why }) {
  if (!why?.fix) return null;
  const { fix, distance, accuracy } = why;
  const feature = region && app.regions.get(String(region.id));
  const held = await Promise.all((why.heldBack ?? []).slice(0, 12).map(async (time) => {
    const to = new Date(Date.parse(time) + 1).toISOString();
    const [found] = await getAll("/v1/locations", { deviceId, from: time, to }, { limit: 1 });
    return found && [found.longitude, found.latitude];
  }));
  return {
    fix, distance, accuracy: accuracy ?? fix.horizontalAccuracy ?? 0, held: held.filter(Boolean),
    boundary: feature && distance !== undefined ? nearestBoundaryPoint(feature, [fix.longitude, fix.latitude]) : null,
  };
}
