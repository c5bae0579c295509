// The draft on the map: an outline, and handles for its vertices that can be dragged or moved with the arrow keys.

import { DivIcon, LayerGroup, Marker, Polygon, Polyline } from "../leaflet/leaflet.js";
import { circle, metersPerUnit } from "../core/geo.js";

const latLng = ([lon, lat]) => [lat, lon];
const position = ({ lng, lat }) => [lng, lat];
/** Pixels between two vertices from which on there is room for a new one between them. */
const roomForNew = 44;
/** Pixels that an arrow key moves a vertex, and with Shift. */
const [nudge, shove] = [2, 20];

export class Handles {
  #map;
  #draft;
  #group = new LayerGroup();
  #outline = new LayerGroup();
  #handles = new LayerGroup();
  #faults = [];
  #stop;
  #isDragging = false;
  #zoomed = () => this.#drawOutline();
  /** The path that clicks on the map add to. */
  active = [0, 0];

  constructor(map, draft) {
    this.#map = map;
    this.#draft = draft;
    this.#group.addTo(map);
    this.#outline.addTo(this.#group);
    this.#handles.addTo(this.#group);
    const stop = draft.changes.watch(() => this.draw());
    const redraw = () => this.draw();
    map.on("zoomend", redraw);
    this.#stop = () => {
      stop();
      map.off("zoomend", redraw);
    };
    map.on("zoomend", this.#zoomed);
  }

  close() {
    this.#stop();
    this.#map.off("zoomend", this.#zoomed);
    this.#group.remove();
  }

  /** Marks the vertices `{at, index, text}` that something is wrong with. */
  mark(faults) {
    this.#faults = faults;
    this.draw();
  }

  /** Takes a click on the map: the next corner, or the centre and then the edge of a circle. */
  click(place) {
    const draft = this.#draft;
    const { kind, center, radius } = draft.state;
    if (kind === "circle") {
      if (!center) draft.change({ center: place });
      else if (!radius) draft.change({ radius: draft.radiusTo(place) });
      return;
    }
    const at = kind === "corridor" ? this.active.slice(0, 1) : this.active;
    const path = draft.paths.find((one) => one.at.join() === at.join()) ?? draft.paths[0];
    if (!path) return;
    draft.change(draft.with(path.at, [...path.points, place]));
  }

  draw() {
    this.#drawOutline();
    if (!this.#isDragging) this.#drawHandles();
  }

  #drawOutline() {
    this.#outline.clearLayers();
    const draft = this.#draft;
    const { kind, center, radius, polygons } = draft.state;
    const add = (layer) => this.#outline.addLayer(layer);
    // Every corner counts, so none is left out to draw faster.
    const style = { className: "draft-shape", interactive: false, smoothFactor: 0 };
    if (kind === "circle" && center && radius) {
      add(new Polygon(circle(center, radius).map(latLng), style));
    } else if (kind === "polygon") {
      for (const rings of polygons) {
        const drawn = rings.filter((ring) => ring.length > 1).map((ring) => ring.map(latLng));
        if (drawn.length) add(new Polygon(drawn, style));
      }
    } else if (kind === "corridor") {
      for (const { points } of draft.paths) {
        if (points.length > 1) {
          const weight = this.#pixels(draft.state.width, points[0][1]);
          add(new Polyline(points.map(latLng), { ...style, className: "draft-band", weight }));
        }
        add(new Polyline(points.map(latLng), { ...style, className: "draft-line" }));
      }
    }
  }

  /** How wide so many metres are on the map now. */
  #pixels(meters, latitude) {
    return Math.max(1, (meters / metersPerUnit(latitude)) * 256 * 2 ** this.#map.getZoom());
  }

  #drawHandles() {
    const focused = document.activeElement?.dataset?.handle;
    this.#handles.clearLayers();
    const draft = this.#draft;
    const { kind, center } = draft.state;
    if (kind === "circle") {
      if (center) {
        this.#handle(center, "centre", "Centre", (place) => ({ center: place }));
        if (draft.edge) {
          this.#handle(draft.edge, "edge", "Edge: drag to change the radius", (place) => (
            { radius: draft.radiusTo(place) }));
        }
      }
    } else {
      for (const path of draft.paths) this.#drawPath(path);
    }
    if (focused) this.#map.getContainer().querySelector(`[data-handle="${focused}"]`)?.focus();
  }

  #drawPath({ at, points, isClosed }) {
    const draft = this.#draft;
    const label = (index) => `Vertex ${index + 1} of ${points.length}`;
    points.forEach((point, index) => {
      const fault = this.#faults.find((one) => one.at.join() === at.join() && one.index === index);
      this.#handle(point, `${at.join("-")}-${index}`, fault ? `${label(index)}: ${fault.text}` : label(index),
        (place) => draft.with(at, points.map((old, i) => (i === index ? place : old))),
        { fault: fault?.text, remove: () => draft.change(draft.with(at, points.filter((_, i) => i !== index))) });
    });
    // Between two vertices lies one that is not there yet.
    const last = isClosed && points.length > 2 ? points.length : points.length - 1;
    for (let index = 0; index < last; index += 1) {
      const [a, b] = [points[index], points[(index + 1) % points.length]];
      const [pixelA, pixelB] = [a, b].map((place) => this.#map.latLngToContainerPoint(latLng(place)));
      if (pixelA.distanceTo(pixelB) < roomForNew) continue;
      const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      const insert = (place) => draft.with(at, [...points.slice(0, index + 1), place, ...points.slice(index + 1)]);
      this.#handle(middle, `${at.join("-")}-${index}-new`, `New vertex after ${index + 1}`, insert, { isNew: true });
    }
  }

  #handle(place, key, title, members, { fault = null, remove = null, isNew = false } = {}) {
    const draft = this.#draft;
    const kind = isNew ? "new" : fault ? "fault" : "vertex";
    const marker = new Marker(latLng(place), {
      draggable: true, keyboard: true, autoPan: true, title,
      icon: new DivIcon({ className: `handle ${kind}`, iconSize: [26, 26] }),
      zIndexOffset: isNew ? -1000 : 0,
    });
    let before = null;
    marker.on("dragstart", () => {
      before = draft.state;
      this.#isDragging = true;
    });
    marker.on("drag", () => draft.preview(members(position(marker.getLatLng()))));
    marker.on("dragend", () => {
      this.#isDragging = false;
      const after = draft.state;
      // One drag is one step: back to where it began, and there at once.
      draft.preview(before);
      draft.change(after);
    });
    if (isNew) marker.on("click", () => draft.change(members(place)));
    if (remove) marker.on("dblclick contextmenu", remove);
    marker.addTo(this.#handles);
    const element = marker.getElement();
    element.dataset.handle = key;
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", remove ? `${title}. Arrow keys move it, Delete removes it.` : title);
    element.addEventListener("keydown", (event) => this.#onKey(event, marker, members, { remove, isNew }));
  }

  #onKey(event, marker, members, { remove, isNew }) {
    const step = event.shiftKey ? shove : nudge;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (move) {
      const point = this.#map.latLngToContainerPoint(marker.getLatLng()).add(move);
      this.#draft.change(members(position(this.#map.containerPointToLatLng(point))));
    } else if (remove && (event.key === "Delete" || event.key === "Backspace")) {
      remove();
    } else if (isNew && (event.key === "Enter" || event.key === " ")) {
      this.#draft.change(members(position(marker.getLatLng())));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
