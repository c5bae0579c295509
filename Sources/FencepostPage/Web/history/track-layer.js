import { mercatorX, mercatorY, metersPerUnit } from "../core/geo.js";
import { calm, colors } from "../core/theme.js";
import { CanvasLayer } from "../map/canvas-layer.js";
import { longestStep } from "./day.js";

/** Fixes are drawn one by one while they are at least so many pixels apart on the average. */
const smallestGap = 5;

/** A day on the map: the way up to the moment in bold, the rest of it thin, visits, and where the device is. */
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
    if (day !== this._day) this._take(day);
    const palette = colors.value;
    const now = this._playback.time.value;
    for (const shift of view.shifts) {
      const last = day.fixBefore(now);
      this._drawWay(context, view, shift, palette, this._count - 1, 0.4, 2);
      this._drawWay(context, view, shift, palette, last, 1, 3);
      this._drawFixes(context, view, shift, palette, last);
      this._drawVisits(context, view, shift, palette, day, now);
      this._drawHere(context, view, shift, palette, day.positionAt(now, !calm()));
    }
  },

  /** Positions of the fixes, with longitudes that go on over the antimeridian. */
  _take(day) {
    this._day = day;
    this._count = day.fixes.length;
    this._x = new Float64Array(this._count);
    this._y = new Float64Array(this._count);
    /** The places of fixes that came long after the one before. */
    this._gaps = [];
    this._length = 0;
    day.fixes.forEach((fix, place) => {
      const x = mercatorX(fix.longitude);
      this._x[place] = place ? x - Math.round(x - this._x[place - 1]) : x;
      this._y[place] = mercatorY(fix.latitude);
      if (place === 0) return;
      this._length += Math.hypot(this._x[place] - this._x[place - 1], this._y[place] - this._y[place - 1]);
      if (fix.time - day.fixes[place - 1].time > longestStep) this._gaps.push(place);
    });
    this._isGap = new Set(this._gaps);
  },

  /** What was seen as a line; where nothing was seen for long, dashes. */
  _drawWay(context, view, shift, palette, last, alpha, width) {
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.lineCap = "round";
    context.strokeStyle = palette.track;
    context.beginPath();
    let [drawnX, drawnY] = [NaN, NaN];
    for (let place = 0; place <= last; place += 1) {
      const [x, y] = [view.px(this._x[place] + shift), view.py(this._y[place])];
      const isStart = place === 0 || this._isGap.has(place);
      const isEnd = place === last || this._isGap.has(place + 1);
      // A day has up to 86 400 fixes, and a map few pixels.
      if (!isStart && !isEnd && Math.abs(x - drawnX) + Math.abs(y - drawnY) < 1.5) continue;
      if (isStart) context.moveTo(x, y);
      else context.lineTo(x, y);
      [drawnX, drawnY] = [x, y];
    }
    context.stroke();
    context.setLineDash([2, 7]);
    context.beginPath();
    for (const place of this._gaps) {
      if (place > last) break;
      context.moveTo(view.px(this._x[place - 1] + shift), view.py(this._y[place - 1]));
      context.lineTo(view.px(this._x[place] + shift), view.py(this._y[place]));
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
      for (let place = isPast ? 0 : last + 1; place < (isPast ? last + 1 : this._count); place += 1) {
        const [x, y] = [view.px(this._x[place] + shift), view.py(this._y[place])];
        if (x < -9 || y < -9 || x > view.width + 9 || y > view.height + 9) continue;
        context.moveTo(x + 3, y);
        context.arc(x, y, 3, 0, 2 * Math.PI);
      }
      context.fillStyle = isPast ? palette.track : palette.ground;
      context.fill();
      context.stroke();
    }
  },

  /** A visit is a pin with its number in the order of the day. */
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

  _drawHere(context, view, shift, palette, here) {
    if (!here) return;
    const x = view.px(mercatorX(here.longitude) + shift);
    const y = view.py(mercatorY(here.latitude));
    const radius = ((here.horizontalAccuracy ?? 0) / metersPerUnit(here.latitude)) * view.scale;
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
    // Hollow where it is only known where it was.
    context.fillStyle = here.age > longestStep ? palette.ground : palette.signal;
    context.fill();
    context.lineWidth = 3;
    context.strokeStyle = here.age > longestStep ? palette.signal : palette["device-ring"];
    context.stroke();
  },
});
