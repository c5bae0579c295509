import { metersPerUnit } from "../core/geo.js";
import { profiles } from "../core/profiles.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";
import { clusterLabel, clusterRadius, kinds, ringOf, takeClusters } from "./clusters.js";

/** With more visible devices than this, only the selected one has a label. */
const maximumLabels = 60;
/** With more visible devices than this, they are small squares without accuracy circles. */
const maximumCircles = 1500;
/** A device whose last fix is older than this is drawn hollow. Milliseconds. */
export const outdatedAfter = 15 * 60_000;
/** A click selects a device within this distance in pixels. */
const hitRadius = 14;

/** Whether the last report of a device is so old that it is drawn hollow. */
const isOutdated = (devices, index, now) => devices.isStale[index] === 1 || now - devices.time[index] > outdatedAfter;

/** An arc of a group's ring. Its width says the same as its colour: thick is inside, dashed is silent. */
function drawArc(context, x, y, radius, kind, from, to, palette) {
  const color = { inside: "device-inside", outside: "device", silent: "device-old" }[kind];
  context.beginPath();
  context.arc(x, y, radius, from, to);
  context.lineWidth = kind === "inside" ? 5 : 2.5;
  context.setLineDash(kind === "silent" ? [3, 2.5] : []);
  context.strokeStyle = palette[color];
  context.stroke();
  context.setLineDash([]);
}

/** The devices on the map: a symbol, an arrow for the course of moving devices, the accuracy circle, and groups. */
export const DeviceLayer = CanvasLayer.extend({
  /** @param {(index: number) => boolean} isIncluded whether the device of an index matches the filter. */
  initialize(devices, selection, isIncluded) {
    CanvasLayer.prototype.initialize.call(this, "devices");
    this._devices = devices;
    this._selection = selection;
    this._isIncluded = isIncluded;
    this._visible = new Int32Array(64);
    this._visibleX = new Float32Array(64);
    this._visibleY = new Float32Array(64);
    this._visibleCount = 0;
    this._clusters = [];
    this.redrawWith(devices.changes).redrawWith(selection).redrawWith(profiles.changes);
  },

  draw(context, view) {
    this._collectVisible(view);
    const palette = colors.value;
    const devices = this._devices;
    const now = Date.now();
    const [old, inside, other] = [[], [], []];
    // Devices with an own colour, by colour: those outside of regions, and those inside.
    const own = new Map();
    for (let i = 0; i < this._visibleCount; i += 1) {
      const index = this._visible[i];
      const isOld = isOutdated(devices, index, now);
      const isInside = devices.regions[index].length > 0;
      const color = isOld ? null : profiles.colorOf(devices.ids[index]);
      if (color) {
        if (!own.has(color)) own.set(color, [[], []]);
        own.get(color)[Number(isInside)].push(i);
      } else (isOld ? old : isInside ? inside : other).push(i);
    }
    const isDense = this._visibleCount > maximumCircles;
    if (!isDense) this._drawCircles(context, view, palette);
    const style = (color, isHollow, isDiamond) => ({ color, isHollow, isDiamond, isDense });
    this._drawDots(context, old, style(palette["device-old"], true, false), palette);
    this._drawDots(context, other, style(palette.device, false, false), palette);
    this._drawDots(context, inside, style(palette["device-inside"], false, true), palette);
    for (const [color, [outside, within]] of own) {
      this._drawDots(context, outside, style(color, false, false), palette);
      this._drawDots(context, within, style(color, false, true), palette);
    }
    if (!isDense) this._drawArrows(context, palette);
    this._drawClusters(context, palette);
    this._drawNames(context, palette);
  },

  /** Collects the visible devices and their pixel coordinates in arrays that are reused for each frame. */
  _collectVisible(view) {
    const devices = this._devices;
    let count = 0;
    for (const shift of view.shifts) {
      for (let index = 0; index < devices.count; index += 1) {
        const x = devices.x[index] + shift;
        const y = devices.y[index];
        if (!(x >= view.west && x <= view.east && y >= view.north && y <= view.south)) continue;
        if (!this._isIncluded(index)) continue;
        if (count === this._visible.length) this._grow();
        this._visible[count] = index;
        this._visibleX[count] = view.px(x);
        this._visibleY[count] = view.py(y);
        count += 1;
      }
    }
    this._takeClusters(view, count);
  },

  /** Takes the devices of groups out of the arrays. */
  _takeClusters(view, count) {
    const [visible, x, y] = [this._visible, this._visibleX, this._visibleY];
    const selected = this._devices.indexOf(this._selection.value.device);
    const [devices, now] = [this._devices, Date.now()];
    const points = {
      count, x, y,
      kindOf: (i) => kinds.indexOf(isOutdated(devices, visible[i], now) ? "silent"
        : devices.regions[visible[i]].length > 0 ? "inside" : "outside"),
      keep(from, to) {
        visible[to] = visible[from];
        x[to] = x[from];
        y[to] = y[from];
      },
    };
    this._clusters = takeClusters(points, [view.px(0), view.py(0)], (i) => visible[i] === selected);
    this._visibleCount = points.count;
  },

  _grow() {
    for (const name of ["_visible", "_visibleX", "_visibleY"]) {
      const larger = new this[name].constructor(this[name].length * 2);
      larger.set(this[name]);
      this[name] = larger;
    }
  },

  _drawCircles(context, view, palette) {
    const devices = this._devices;
    context.beginPath();
    for (let i = 0; i < this._visibleCount; i += 1) {
      const index = this._visible[i];
      const radius = (devices.accuracy[index] / metersPerUnit(devices.lat[index])) * view.scale;
      if (!(radius > 6) || radius > view.width * 4) continue;
      context.moveTo(this._visibleX[i] + radius, this._visibleY[i]);
      context.arc(this._visibleX[i], this._visibleY[i], radius, 0, 2 * Math.PI);
    }
    context.globalAlpha = 0.12;
    context.fillStyle = palette.device;
    context.fill();
    context.globalAlpha = 0.5;
    context.lineWidth = 1;
    context.strokeStyle = palette.device;
    context.stroke();
    context.globalAlpha = 1;
  },

  /** Draws a circle, hollow if the device is outdated, a diamond if it is inside a region. The shapes differ too. */
  _drawDots(context, visible, { color, isHollow, isDiamond, isDense }, palette) {
    if (!visible.length) return;
    const radius = (isDense ? 2.5 : 5.5) * (isDiamond ? 1.35 : 1);
    context.beginPath();
    for (const i of visible) {
      const [x, y] = [this._visibleX[i], this._visibleY[i]];
      if (isDiamond) {
        context.moveTo(x, y - radius);
        context.lineTo(x + radius, y);
        context.lineTo(x, y + radius);
        context.lineTo(x - radius, y);
        context.closePath();
      } else if (isDense) {
        context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      } else {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
    }
    context.fillStyle = isHollow && !isDense ? palette.ground : color;
    context.fill();
    if (isDense) return;
    context.lineWidth = 2;
    context.strokeStyle = isHollow ? color : palette["device-ring"];
    context.stroke();
  },

  _drawClusters(context, palette) {
    context.font = "600 11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    for (const { x, y, count, kinds: counts } of this._clusters) {
      const radius = clusterRadius(count);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = palette.cluster;
      context.fill();
      for (const { kind, from, to } of ringOf(counts)) drawArc(context, x, y, radius - 2, kind, from, to, palette);
      context.fillStyle = palette.label;
      context.fillText(clusterLabel(count), x, y);
    }
    context.textAlign = "start";
  },

  _drawArrows(context, palette) {
    const devices = this._devices;
    context.beginPath();
    for (let i = 0; i < this._visibleCount; i += 1) {
      const index = this._visible[i];
      const course = devices.course[index];
      if (Number.isNaN(course) || !(devices.speed[index] > 0.3)) continue;
      const [x, y, direction] = [this._visibleX[i], this._visibleY[i], (course * Math.PI) / 180];
      const at = (distance, angle) => [
        x + Math.sin(direction + angle) * distance, y - Math.cos(direction + angle) * distance,
      ];
      context.moveTo(...at(14, 0));
      context.lineTo(...at(8.5, 0.62));
      context.lineTo(...at(8.5, -0.62));
      context.closePath();
    }
    context.fillStyle = palette.device;
    context.fill();
  },

  _drawNames(context, palette) {
    const { device } = this._selection.value;
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const taken = [];
    for (let i = 0; i < this._visibleCount; i += 1) {
      const id = this._devices.ids[this._visible[i]];
      const isSelected = id === device;
      if (!isSelected && this._visibleCount > maximumLabels) continue;
      const [x, y] = [this._visibleX[i], this._visibleY[i]];
      const isFree = taken.every(([tx, ty]) => Math.abs(tx - x) > 70 || Math.abs(ty - y) > 14);
      if (!isFree && !isSelected) continue;
      taken.push([x, y]);
      if (isSelected) {
        context.beginPath();
        context.arc(x, y, 11, 0, 2 * Math.PI);
        context.lineWidth = 3;
        context.strokeStyle = palette.mark;
        context.stroke();
      }
      context.lineWidth = 4;
      context.strokeStyle = palette.halo;
      const name = profiles.labelOf(id);
      context.strokeText(name, x + 15, y);
      context.fillStyle = palette.label;
      context.fillText(name, x + 15, y);
    }
  },

  /** The id of the device nearest to a pixel of the map, or null if none is near. */
  deviceAt(point) {
    const margin = this._view?.margin ?? 0;
    let [best, found] = [hitRadius * hitRadius, null];
    for (let i = 0; i < this._visibleCount; i += 1) {
      const dx = this._visibleX[i] - margin - point.x;
      const dy = this._visibleY[i] - margin - point.y;
      if (dx * dx + dy * dy < best) {
        best = dx * dx + dy * dy;
        found = this._devices.ids[this._visible[i]];
      }
    }
    return found;
  },

  /** The bounds of the group at a pixel of the map, in pixels as left, top, right, bottom; null if there is none. */
  clusterAt(point) {
    const margin = this._view?.margin ?? 0;
    const found = this._clusters.find(({ x, y, count }) =>
      Math.hypot(x - margin - point.x, y - margin - point.y) <= clusterRadius(count));
    return found ? found.box.map((value) => value - margin) : null;
  },
});
