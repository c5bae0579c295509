import { DomUtil, Layer } from "../leaflet/leaflet.js";
import { colors } from "../core/theme.js";
import { perFrame } from "../core/observable.js";

/**
 * A canvas over the whole map that is drawn at most once in a frame.
 *
 * Who extends it draws in `draw(context, view)`. A `view` turns the square of Web Mercator into pixels of the canvas:
 * `px(x)`, `py(y)`, with `scale` pixels to the square's side; `shifts` are the whole worlds to add to `x`, since the
 * map goes on beyond 180 degrees.
 */
export const CanvasLayer = Layer.extend({
  /** How far beyond the map the canvas reaches, so that panning shows no edge before the next frame. */
  margin: 64,

  initialize(pane) {
    this._paneName = pane;
    this.redraw = perFrame(() => this._draw());
    this._stops = [];
  },

  onAdd(map) {
    this._canvas = DomUtil.create("canvas", "map-canvas leaflet-zoom-animated");
    this._canvas.setAttribute("aria-hidden", "true");
    map.getPane(this._paneName).append(this._canvas);
    this._stops.push(colors.follow(() => this.redraw()));
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

  /** Redraws whenever an observable changes, for as long as the layer is on the map. */
  redrawWith(observable) {
    this._stops.push(observable.follow(() => this._map && this.redraw()));
    return this;
  },

  /** While Leaflet zooms, the last drawing is stretched: the new one comes at the end. */
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
