import { metersPerUnit } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";

/** With more devices in view than this, only the chosen one has its name. */
const mostLabels = 60;
/** With more than this, none has a circle of accuracy, and a device is a small square. */
const mostCircles = 1500;
/** A fix older than this is drawn hollow, in milliseconds. */
export const oldAfter = 15 * 60_000;
const reach = 14;

/** All devices: a mark, an arrow where it is known which way they go, and how exactly they are known. */
export const DeviceLayer = CanvasLayer.extend({
  /** @param {(place: number) => boolean} isShown which devices pass the filters. */
  initialize(fleet, selection, isShown) {
    CanvasLayer.prototype.initialize.call(this, "devices");
    this._fleet = fleet;
    this._selection = selection;
    this._isShown = isShown;
    this._visible = new Int32Array(64);
    this._visibleX = new Float32Array(64);
    this._visibleY = new Float32Array(64);
    this._visibleCount = 0;
    this.redrawWith(fleet.changes).redrawWith(selection);
  },

  draw(context, view) {
    this._gather(view);
    const palette = colors.value;
    const fleet = this._fleet;
    const now = Date.now();
    const [old, inside, other] = [[], [], []];
    for (let i = 0; i < this._visibleCount; i += 1) {
      const place = this._visible[i];
      const isOld = fleet.isStale[place] || now - fleet.time[place] > oldAfter;
      (isOld ? old : fleet.regions[place].length ? inside : other).push(i);
    }
    const isCrowd = this._visibleCount > mostCircles;
    if (!isCrowd) this._drawCircles(context, view, palette);
    const style = (color, isHollow, isDiamond) => ({ color, isHollow, isDiamond, isCrowd });
    this._drawDots(context, old, style(palette["device-old"], true, false), palette);
    this._drawDots(context, other, style(palette.device, false, false), palette);
    this._drawDots(context, inside, style(palette["device-inside"], false, true), palette);
    if (!isCrowd) this._drawArrows(context, palette);
    this._drawNames(context, palette);
  },

  /** Finds what is in view, with its pixels, in arrays that grow but are never made anew. */
  _gather(view) {
    const fleet = this._fleet;
    let count = 0;
    for (const shift of view.shifts) {
      for (let place = 0; place < fleet.count; place += 1) {
        const x = fleet.x[place] + shift;
        const y = fleet.y[place];
        if (!(x >= view.west && x <= view.east && y >= view.north && y <= view.south)) continue;
        if (!this._isShown(place)) continue;
        if (count === this._visible.length) this._grow();
        this._visible[count] = place;
        this._visibleX[count] = view.px(x);
        this._visibleY[count] = view.py(y);
        count += 1;
      }
    }
    this._visibleCount = count;
  },

  _grow() {
    for (const name of ["_visible", "_visibleX", "_visibleY"]) {
      const larger = new this[name].constructor(this[name].length * 2);
      larger.set(this[name]);
      this[name] = larger;
    }
  },

  _drawCircles(context, view, palette) {
    const fleet = this._fleet;
    context.beginPath();
    for (let i = 0; i < this._visibleCount; i += 1) {
      const place = this._visible[i];
      const radius = (fleet.accuracy[place] / metersPerUnit(fleet.lat[place])) * view.scale;
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

  /** A circle; hollow when it is old; a diamond when it is inside a region: told apart without colours too. */
  _drawDots(context, places, { color, isHollow, isDiamond, isCrowd }, palette) {
    if (!places.length) return;
    const radius = (isCrowd ? 2.5 : 5.5) * (isDiamond ? 1.35 : 1);
    context.beginPath();
    for (const i of places) {
      const [x, y] = [this._visibleX[i], this._visibleY[i]];
      if (isDiamond) {
        context.moveTo(x, y - radius);
        context.lineTo(x + radius, y);
        context.lineTo(x, y + radius);
        context.lineTo(x - radius, y);
        context.closePath();
      } else if (isCrowd) {
        context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      } else {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
    }
    context.fillStyle = isHollow && !isCrowd ? palette.ground : color;
    context.fill();
    if (isCrowd) return;
    context.lineWidth = 2;
    context.strokeStyle = isHollow ? color : palette["device-ring"];
    context.stroke();
  },

  _drawArrows(context, palette) {
    const fleet = this._fleet;
    context.beginPath();
    for (let i = 0; i < this._visibleCount; i += 1) {
      const place = this._visible[i];
      const course = fleet.course[place];
      if (Number.isNaN(course) || !(fleet.speed[place] > 0.3)) continue;
      const [x, y, turn] = [this._visibleX[i], this._visibleY[i], (course * Math.PI) / 180];
      const at = (distance, angle) => [x + Math.sin(turn + angle) * distance, y - Math.cos(turn + angle) * distance];
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
      const id = this._fleet.ids[this._visible[i]];
      const isChosen = id === device;
      if (!isChosen && this._visibleCount > mostLabels) continue;
      const [x, y] = [this._visibleX[i], this._visibleY[i]];
      const isFree = taken.every(([tx, ty]) => Math.abs(tx - x) > 70 || Math.abs(ty - y) > 14);
      if (!isFree && !isChosen) continue;
      taken.push([x, y]);
      if (isChosen) {
        context.beginPath();
        context.arc(x, y, 11, 0, 2 * Math.PI);
        context.lineWidth = 3;
        context.strokeStyle = palette.signal;
        context.stroke();
      }
      context.lineWidth = 4;
      context.strokeStyle = palette.halo;
      context.strokeText(id, x + 15, y);
      context.fillStyle = palette.label;
      context.fillText(id, x + 15, y);
    }
  },

  /** The id of the device at a pixel of the map, or null. */
  deviceAt(point) {
    const margin = this._view?.margin ?? 0;
    let [best, found] = [reach * reach, null];
    for (let i = 0; i < this._visibleCount; i += 1) {
      const dx = this._visibleX[i] - margin - point.x;
      const dy = this._visibleY[i] - margin - point.y;
      if (dx * dx + dy * dy < best) {
        best = dx * dx + dy * dy;
        found = this._fleet.ids[this._visible[i]];
      }
    }
    return found;
  },
});
