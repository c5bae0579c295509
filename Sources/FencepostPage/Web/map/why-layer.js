// Why the chosen event was given, drawn where it happened: the fix that decided and how exactly it is known, the way
// from it to the boundary, and the fixes that were held back before it.

import { all, get, part } from "../core/api.js";
import { mercatorX, mercatorY, metersPerUnit } from "../core/geo.js";
import { nearestOnOutline } from "../core/nearest.js";
import { colors } from "../core/theme.js";
import { meters } from "../core/words.js";
import { CanvasLayer } from "./canvas-layer.js";

const WhyLayer = CanvasLayer.extend({
  initialize() {
    CanvasLayer.prototype.initialize.call(this, "why");
    this._story = null;
  },

  show(story) {
    this._story = story;
    this.redraw();
  },

  draw(context, view) {
    if (!this._story) return;
    const palette = colors.value;
    for (const shift of view.shifts) this._drawStory(context, view, shift, palette, this._story);
  },

  _drawStory(context, view, shift, palette, { fix, accuracy, boundary, distance, held }) {
    const at = ([lon, lat]) => [view.px(mercatorX(lon) + shift), view.py(mercatorY(lat))];
    const [x, y] = at([fix.longitude, fix.latitude]);
    const radius = (accuracy / metersPerUnit(fix.latitude)) * view.scale;
    context.strokeStyle = palette.signal;
    context.fillStyle = palette.signal;
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
    for (const place of held) {
      const [hx, hy] = at(place);
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
      // A short stroke across, as on a plan.
      const length = Math.hypot(bx - x, by - y);
      if (length > 4) {
        const [nx, ny] = [(-(by - y) / length) * 7, ((bx - x) / length) * 7];
        context.beginPath();
        context.moveTo(bx - nx, by - ny);
        context.lineTo(bx + nx, by + ny);
        context.stroke();
      }
      if (length > 28) this._write(context, palette, meters(Math.abs(distance)), (x + bx) / 2, (y + by) / 2);
    }
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fillStyle = palette.signal;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = palette["device-ring"];
    context.stroke();
  },

  _write(context, palette, text, x, y) {
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

/** Draws, for as long as an event is chosen, why it was given. */
export function explainOnMap(app) {
  app.map.createPane("why").style.zIndex = 500;
  const layer = new WhyLayer().addTo(app.map);
  let wanted = null;
  app.selection.watch(async ({ event: id }) => {
    wanted = id;
    if (id === null) {
      layer.show(null);
      return;
    }
    try {
      const event = app.log.get(id) ?? await get(`/v1/events/${part(id)}`, { explain: true });
      const story = await storyOf(app, event);
      if (wanted === id) layer.show(story);
    } catch {
      // The card of the event says that it cannot be shown.
      if (wanted === id) layer.show(null);
    }
  });
}

async function storyOf(app, { deviceId, region, why }) {
  if (!why?.fix) return null;
  const { fix, distance, accuracy } = why;
  const feature = region && app.book.get(String(region.id));
  const held = await Promise.all((why.heldBack ?? []).slice(0, 12).map(async (time) => {
    const to = new Date(Date.parse(time) + 1).toISOString();
    const [found] = await all("/v1/locations", { deviceId, from: time, to }, { limit: 1 });
    return found && [found.longitude, found.latitude];
  }));
  return {
    fix, distance, accuracy: accuracy ?? fix.horizontalAccuracy ?? 0, held: held.filter(Boolean),
    boundary: feature && distance !== undefined ? nearestOnOutline(feature, [fix.longitude, fix.latitude]) : null,
  };
}
