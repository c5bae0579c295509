import { DomUtil, Layer } from "../leaflet/leaflet.js";
import { oncePerFrame } from "../core/observable.js";
import { colors } from "../core/theme.js";

/**
 * A Leaflet layer with a canvas over the whole map, drawn at most once per frame.
 *
 * Subclasses implement `draw(context, view)`. A `view` converts Web Mercator coordinates to pixels of the canvas with
 * `px(x)` and `py(y)`; `scale` is the width of the world in pixels. `shifts` are the integers to add to `x` for each
 * visible copy of the world, because the map continues beyond 180 degrees.
 */
export const CanvasLayer = Layer.extend({
  /** Pixels of the canvas outside the map on each side, so that panning shows no empty edge before the next frame. */
  margin: 64,

  initialize(pane) {
    this._paneName = pane;
    this.redraw = oncePerFrame(() => this._draw());
    this._stops = [];
  },

  onAdd(map) {
    this._canvas = DomUtil.create("canvas", "map-canvas leaflet-zoom-animated");
    this._canvas.setAttribute("aria-hidden", "true");
    map.getPane(this._paneName).append(this._canvas);
    this._stops.push(colors.subscribe(() => this.redraw()));
    this._draw();
  },

  onRemove() {
    this._canvas.remove();
    for (const stop of this._stops.splice(0)) stop();
  },

  getEvents() {
    return {
      move: this.redraw, moveend: this.redraw, zoomend: this.redraw, resize: this.redraw, viewreset: this.redraw,
      zoomanim: this._animateZoom,
    };
  },

  /** Redraws after each change of an observable, while the layer is on the map. */
  redrawWith(observable) {
    this._stops.push(observable.subscribe(() => this._map && this.redraw()));
    return this;
  },

  /** Scales the last drawing during a zoom animation; it is redrawn at the end. */
  _animateZoom(event) {
    const map = this._map;
    const scale = map.getZoomScale(event.zoom, this._zoom);
    const offset = map._latLngToNewLayerPoint(this._topLeft, event.zoom, event.center);
    DomUtil.setTransform(this._canvas, offset, scale);
  },

  _draw() {
    const map = this._map;
    if (!map) return;
    const { margin } = this;
    const size = map.getSize();
    const ratio = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [size.x + 2 * margin, size.y + 2 * margin];
    const canvas = this._canvas;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const corner = map.containerPointToLayerPoint([-margin, -margin]);
    DomUtil.setTransform(canvas, corner, 1);
    this._zoom = map.getZoom();
    this._topLeft = map.layerPointToLatLng(corner);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this._view = viewOf(map, corner, width, height, margin);
    this.draw(context, this._view);
  },
});

function viewOf(map, corner, width, height, margin) {
  const scale = 256 * 2 ** map.getZoom();
  const origin = map.getPixelOrigin();
  const [left, top] = [origin.x + corner.x, origin.y + corner.y];
  const shifts = [];
  for (let shift = Math.floor(left / scale); shift <= Math.floor((left + width) / scale); shift += 1) {
    shifts.push(shift);
  }
  return {
    scale, width, height, shifts, margin,
    zoom: map.getZoom(),
    west: left / scale, north: top / scale, east: (left + width) / scale, south: (top + height) / scale,
    px: (x) => x * scale - left,
    py: (y) => y * scale - top,
  };
}
