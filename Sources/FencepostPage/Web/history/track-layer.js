import { mercatorX, mercatorY, metersPerUnit } from "../core/geo.js";
import { colors, prefersReducedMotion } from "../core/theme.js";
import { CanvasLayer } from "../map/canvas-layer.js";
import { maximumGap } from "./day.js";
import { colorNameOf, dashOf, unknownDash } from "./modes.js";

/** Single fixes are drawn if their average distance is at least so many pixels. */
const smallestGap = 16;

/** A click selects what is at most so many pixels away. */
const clickRadius = 9;

/**
 * A history on the map: the track in the colours and patterns of its modes, up to the playback time in bold, the rest
 * thin, visits, the selected part, and the current position.
 */
export const TrackLayer = CanvasLayer.extend({
  initialize(playback, selectedPart) {
    CanvasLayer.prototype.initialize.call(this, "devices");
    this._playback = playback;
    this._selectedPart = selectedPart;
    this._day = null;
  },

  onAdd(map) {
    CanvasLayer.prototype.onAdd.call(this, map);
    this.redrawWith(this._playback.time);
    this.redrawWith(this._selectedPart);
  },

  draw(context, view) {
    const { day } = this._playback;
    if (!day) return;
    if (day !== this._day) this._prepare(day);
    const palette = colors.value;
    const now = this._playback.time.value;
    for (const shift of view.shifts) {
      const last = day.lastFixIndexAt(now);
      this._drawSelected(context, view, shift, palette, day, this._selectedPart.value);
      this._drawTrack(context, view, shift, palette, this._count - 1, 0.45, 2.5);
      this._drawTrack(context, view, shift, palette, last, 1, 3.5);
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
    this._length = 0;
    /** The parts of the track that are drawn alike: `{style, first, last}`, with the indexes of fixes. */
    this._runs = [];
    day.fixes.forEach((fix, index) => {
      const x = mercatorX(fix.longitude);
      this._x[index] = index ? x - Math.round(x - this._x[index - 1]) : x;
      this._y[index] = mercatorY(fix.latitude);
      if (index === 0) return;
      this._length += Math.hypot(this._x[index] - this._x[index - 1], this._y[index] - this._y[index - 1]);
      const before = day.fixes[index - 1].time;
      const style = styleOf(day.modeAt((before + fix.time) / 2), fix.time - before > maximumGap);
      const run = this._runs.at(-1);
      if (run?.style === style) run.last = index;
      else this._runs.push({ style, first: index - 1, last: index });
    });
  },

  /** Draws the track up to a fix, each run in the colour and the pattern of its mode. */
  _drawTrack(context, view, shift, palette, last, alpha, width) {
    context.globalAlpha = alpha;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.lineCap = "round";
    for (const run of this._runs) {
      if (run.first >= last) break;
      const { color, dash } = lineOf(run.style);
      context.strokeStyle = palette[color];
      context.setLineDash(dash.map((length) => (length * width) / 3));
      context.beginPath();
      this._addPath(context, view, shift, run.first, Math.min(run.last, last));
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  },

  _addPath(context, view, shift, first, last) {
    let [drawnX, drawnY] = [NaN, NaN];
    for (let index = first; index <= last; index += 1) {
      const [x, y] = [view.px(this._x[index] + shift), view.py(this._y[index])];
      // A day has up to 86,400 fixes; those within 1.5 pixels of the previous one are skipped.
      if (index > first && index < last && Math.abs(x - drawnX) + Math.abs(y - drawnY) < 1.5) continue;
      if (index === first) context.moveTo(x, y);
      else context.lineTo(x, y);
      [drawnX, drawnY] = [x, y];
    }
  },

  /** Draws a wide band under the selected part: its part of the track, or a disc around the place of a stay. */
  _drawSelected(context, view, shift, palette, day, part) {
    if (!part) return;
    context.globalAlpha = 0.35;
    context.fillStyle = palette.mark;
    context.strokeStyle = palette.mark;
    context.beginPath();
    if (part.visit) {
      context.arc(view.px(mercatorX(part.visit.longitude) + shift), view.py(mercatorY(part.visit.latitude)),
        22, 0, 2 * Math.PI);
      context.fill();
    } else {
      context.lineWidth = 12;
      context.lineCap = "round";
      const [first, last] = fixesOf(part, day);
      this._addPath(context, view, shift, first, last);
      context.stroke();
    }
    context.globalAlpha = 1;
  },

  /** The stay or leg at a point of the map's container, or null. */
  partAt(point, parts) {
    const map = this._map;
    const { day } = this._playback;
    if (!map || !day) return null;
    const at = (latitude, longitude) => {
      const center = map.getCenter().lng;
      return map.latLngToContainerPoint([latitude, longitude - 360 * Math.round((longitude - center) / 360)]);
    };
    const stay = parts.findLast(({ visit }) => {
      if (!visit) return false;
      const { x, y } = at(visit.latitude, visit.longitude);
      return Math.abs(point.x - x) < 12 && point.y < y + 6 && point.y > y - 31;
    });
    if (stay) return stay;
    let [nearest, smallest] = [null, clickRadius];
    for (const part of parts) {
      if (part.kind !== "leg") continue;
      const [first, last] = fixesOf(part, day);
      for (let index = first + 1; index <= last; index += 1) {
        const [a, b] = [day.fixes[index - 1], day.fixes[index]];
        const far = distanceToLine(point, at(a.latitude, a.longitude), at(b.latitude, b.longitude));
        if (far < smallest) [nearest, smallest] = [part, far];
      }
    }
    return nearest;
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
    context.fillStyle = current.age > maximumGap ? palette.ground : palette.mark;
    context.fill();
    context.lineWidth = 3;
    context.strokeStyle = current.age > maximumGap ? palette.mark : palette["device-ring"];
    context.stroke();
  },
});

/** The style of a piece of the track: the name of a mode, `unknown`, or `none` during a stay. */
const styleOf = (mode, isGap) => (mode === "unknown" || (isGap && mode === null) ? "unknown" : mode ?? "none");

/** The colour and the pattern of a style. */
function lineOf(style) {
  if (style === "unknown") return { color: "muted", dash: unknownDash };
  return { color: colorNameOf(style), dash: dashOf(style) };
}

/** The indexes of the first and the last fix of a part, with those around time without data. */
function fixesOf(part, day) {
  const first = day.lastFixIndexAt(part.from);
  const last = day.lastFixIndexAt(part.to) + (part.kind === "unknown" ? 1 : 0);
  return [Math.max(0, first), Math.min(day.fixes.length - 1, last)];
}

/** The distance in pixels of a point from a line between two points. */
function distanceToLine(point, a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const share = length ? Math.max(0, Math.min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy) / length)) : 0;
  return Math.hypot(point.x - a.x - share * dx, point.y - a.y - share * dy);
}
