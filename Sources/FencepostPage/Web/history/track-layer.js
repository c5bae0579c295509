import { mercatorX, mercatorY, metersPerUnit } from "../core/geo.js";
import { colors, prefersReducedMotion } from "../core/theme.js";
import { CanvasLayer } from "../map/canvas-layer.js";
import { maximumGap } from "./day.js";

/** Single fixes are drawn if their average distance is at least so many pixels. */
const smallestGap = 5;

/** A history on the map: the track up to the playback time in bold, the rest thin, visits, and the current position. */
export const TrackLayer = CanvasLayer.extend({
  initialize(playback) {
    CanvasLayer.prototype.initialize.call(this, "devices");
    this._playback = playback;
    this._day = null;
  },

  onAdd(map) {
    CanvasLayer.prototype.onAdd.call(this, map);
    this.redrawWith(this._playback.time);
  },

  draw(context, view) {
    const { day } = this._playback;
    if (!day) return;
    if (day !== this._day) this._prepare(day);
    const palette = colors.value;
    const now = this._playback.time.value;
    for (const shift of view.shifts) {
      const last = day.lastFixIndexAt(now);
      this._drawTrack(context, view, shift, palette, this._count - 1, 0.4, 2);
      this._drawTrack(context, view, shift, palette, last, 1, 3);
      this._drawFixes(context, view, shift, palette, last);
      this._drawVisits(context, view, shift, palette, day, now);
      this._drawCurrent(context, view, shift, palette, day.positionAt(now, !prefersReducedMotion()));
    }
  },

  /** Converts the fixes to Web Mercator, with continuous x across the antimeridian. */
  _prepare(day) {
    this._day = day;
    this._count = day.fixes.length;
    this._x = new Float64Array(this._count);
    this._y = new Float64Array(this._count);
    /** The indexes of the fixes after a gap. */
    this._gaps = [];
    this._length = 0;
    day.fixes.forEach((fix, index) => {
      const x = mercatorX(fix.longitude);
      this._x[index] = index ? x - Math.round(x - this._x[index - 1]) : x;
      this._y[index] = mercatorY(fix.latitude);
      if (index === 0) return;
      this._length += Math.hypot(this._x[index] - this._x[index - 1], this._y[index] - this._y[index - 1]);
      if (fix.time - day.fixes[index - 1].time > maximumGap) this._gaps.push(index);
    });
    this._isGap = new Set(this._gaps);
  },

  /** Draws the track as a line, and gaps as dashes. */
  _drawTrack(context, view, shift, palette, last, alpha, width) {
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.lineCap = "round";
    context.strokeStyle = palette.track;
    context.beginPath();
    let [drawnX, drawnY] = [NaN, NaN];
    for (let index = 0; index <= last; index += 1) {
      const [x, y] = [view.px(this._x[index] + shift), view.py(this._y[index])];
      const isStart = index === 0 || this._isGap.has(index);
      const isEnd = index === last || this._isGap.has(index + 1);
      // A day has up to 86,400 fixes; those within 1.5 pixels of the previous one are skipped.
      if (!isStart && !isEnd && Math.abs(x - drawnX) + Math.abs(y - drawnY) < 1.5) continue;
      if (isStart) context.moveTo(x, y);
      else context.lineTo(x, y);
      [drawnX, drawnY] = [x, y];
    }
    context.stroke();
    context.setLineDash([2, 7]);
    context.beginPath();
    for (const index of this._gaps) {
      if (index > last) break;
      context.moveTo(view.px(this._x[index - 1] + shift), view.py(this._y[index - 1]));
      context.lineTo(view.px(this._x[index] + shift), view.py(this._y[index]));
    }
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  },

  _drawFixes(context, view, shift, palette, last) {
    if (this._count > 1 && (this._length * view.scale) / this._count < smallestGap) return;
    context.lineWidth = 1.5;
    context.strokeStyle = palette.track;
    for (const isPast of [true, false]) {
      context.beginPath();
      for (let index = isPast ? 0 : last + 1; index < (isPast ? last + 1 : this._count); index += 1) {
        const [x, y] = [view.px(this._x[index] + shift), view.py(this._y[index])];
        if (x < -9 || y < -9 || x > view.width + 9 || y > view.height + 9) continue;
        context.moveTo(x + 3, y);
        context.arc(x, y, 3, 0, 2 * Math.PI);
      }
      context.fillStyle = isPast ? palette.track : palette.ground;
      context.fill();
      context.stroke();
    }
  },

  /** Draws each visit as a pin with its number. */
  _drawVisits(context, view, shift, palette, day, now) {
    context.font = "700 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    day.visits.forEach(({ visit, from, to }, index) => {
      const x = view.px(mercatorX(visit.longitude) + shift);
      const y = view.py(mercatorY(visit.latitude));
      const isNow = (from ?? -Infinity) <= now && now < (to ?? Infinity);
      context.beginPath();
      context.moveTo(x, y);
      context.arc(x, y - 19, 11, 0.75 * Math.PI, 0.25 * Math.PI);
      context.closePath();
      context.fillStyle = isNow ? palette.visit : palette.ground;
      context.fill();
      context.lineWidth = 2;
      context.strokeStyle = palette.visit;
      context.stroke();
      context.fillStyle = isNow ? palette.ground : palette.visit;
      context.fillText(String(index + 1), x, y - 18.5);
    });
    context.textAlign = "start";
  },

  _drawCurrent(context, view, shift, palette, current) {
    if (!current) return;
    const x = view.px(mercatorX(current.longitude) + shift);
    const y = view.py(mercatorY(current.latitude));
    const radius = ((current.horizontalAccuracy ?? 0) / metersPerUnit(current.latitude)) * view.scale;
    if (radius > 7) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.globalAlpha = 0.15;
      context.fillStyle = palette.track;
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = 1.25;
      context.strokeStyle = palette.track;
      context.stroke();
    }
    context.beginPath();
    context.arc(x, y, 7.5, 0, 2 * Math.PI);
    // Hollow if the last fix is too old.
    context.fillStyle = current.age > maximumGap ? palette.ground : palette.signal;
    context.fill();
    context.lineWidth = 3;
    context.strokeStyle = current.age > maximumGap ? palette.signal : palette["device-ring"];
    context.stroke();
  },
});
