// The fences about where devices stand: dashed circles, and solid ones that a device has left.

import { mercatorX, mercatorY, metersPerUnit } from "../core/geo.js";
import { colors } from "../core/theme.js";
import { CanvasLayer } from "./canvas-layer.js";

const FenceLayer = CanvasLayer.extend({
  initialize(devices) {
    CanvasLayer.prototype.initialize.call(this, "fences");
    this._devices = devices;
    this.redrawWith(devices.changes);
  },

  draw(context, view) {
    for (const fence of this._devices.fences) {
      if (fence?.latitude === undefined) continue;
      for (const shift of view.shifts) this._drawFence(context, view, shift, fence);
    }
  },

  _drawFence(context, view, shift, fence) {
    const radius = (fence.radius / metersPerUnit(fence.latitude)) * view.scale;
    const [x, y] = [view.px(mercatorX(fence.longitude) + shift), view.py(mercatorY(fence.latitude))];
    const isBroken = fence.state === "broken";
    context.beginPath();
    // A small one is still seen.
    context.arc(x, y, Math.max(radius, 9), 0, 2 * Math.PI);
    context.strokeStyle = colors.value.mark;
    context.lineWidth = isBroken ? 3.5 : 2;
    context.setLineDash(isBroken ? [] : [6, 4]);
    context.stroke();
    context.setLineDash([]);
  },
});

/** Adds the layer of fences. */
export function addFenceLayer(app) {
  app.map.createPane("fences").style.zIndex = 390;
  new FenceLayer(app.devices).addTo(app.map);
}
