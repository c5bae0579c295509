// The draft on the map: its outline, and handles for its vertices, which can be dragged or moved with the arrow keys.

import { DivIcon, LayerGroup, Marker, Polygon, Polyline } from "../leaflet/leaflet.js";
import { circleRing, metersPerUnit } from "../core/geo.js";
import { text } from "../text/text.js";

const texts = text.regions.handles;
const toLatLng = ([lon, lat]) => [lat, lon];
const toPosition = ({ lng, lat }) => [lng, lat];
/** The minimum distance of two vertices in pixels for a handle that inserts one between them. */
const newVertexSpacing = 44;
/** Pixels by which an arrow key moves a vertex, without and with Shift. */
const [smallStep, largeStep] = [2, 20];

export class Handles {
  #map;
  #draft;
  #group = new LayerGroup();
  #outline = new LayerGroup();
  #handles = new LayerGroup();
  #errors = [];
  #stop;
  #isDragging = false;
  #zoomed = () => this.#drawOutline();
  /** The index of the path to which clicks on the map add vertices. */
  activePath = [0, 0];

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

  /** Marks vertices with errors: `{pathIndex, index, text}`. */
  showErrors(errors) {
    this.#errors = errors;
    this.draw();
  }

  /** Handles a click on the map: adds a vertex, or sets the centre and then the radius of a circle. */
  click(position) {
    const draft = this.#draft;
    const { kind, center, radius } = draft.state;
    if (kind === "circle") {
      if (!center) draft.change({ center: position });
      else if (!radius) draft.change({ radius: draft.radiusTo(position) });
      return;
    }
    const pathIndex = kind === "corridor" ? this.activePath.slice(0, 1) : this.activePath;
    const path = draft.paths.find((one) => one.pathIndex.join() === pathIndex.join()) ?? draft.paths[0];
    if (!path) return;
    draft.change(draft.withPath(path.pathIndex, [...path.points, position]));
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
    // A smooth factor of 0: Leaflet must not leave out vertices.
    const style = { className: "draft-shape", interactive: false, smoothFactor: 0 };
    if (kind === "circle" && center && radius) {
      add(new Polygon(circleRing(center, radius).map(toLatLng), style));
    } else if (kind === "polygon") {
      for (const rings of polygons) {
        const drawn = rings.filter((ring) => ring.length > 1).map((ring) => ring.map(toLatLng));
        if (drawn.length) add(new Polygon(drawn, style));
      }
    } else if (kind === "corridor") {
      for (const { points } of draft.paths) {
        if (points.length > 1) {
          const weight = this.#pixels(draft.state.width, points[0][1]);
          add(new Polyline(points.map(toLatLng), { ...style, className: "draft-band", weight }));
        }
        add(new Polyline(points.map(toLatLng), { ...style, className: "draft-line" }));
      }
    }
  }

  /** A width in metres in pixels of the current zoom level. */
  #pixels(meters, latitude) {
    return Math.max(1, (meters / metersPerUnit(latitude)) * 256 * 2 ** this.#map.getZoom());
  }

  #drawHandles() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.handle;
    this.#handles.clearLayers();
    const draft = this.#draft;
    const { kind, center } = draft.state;
    if (kind === "circle") {
      if (center) {
        this.#handle(center, "centre", texts.centre, (position) => ({ center: position }));
        if (draft.edge) {
          this.#handle(draft.edge, "edge", texts.radius, (position) => (
            { radius: draft.radiusTo(position) }));
        }
      }
    } else {
      for (const path of draft.paths) this.#drawPath(path);
    }
    if (focused) this.#map.getContainer().querySelector(`[data-handle="${focused}"]`)?.focus();
  }

  #drawPath({ pathIndex, points, isClosed }) {
    const draft = this.#draft;
    points.forEach((point, index) => {
      const error = this.#errors.find((one) => one.pathIndex.join() === pathIndex.join() && one.index === index);
      const title = error
        ? texts.vertexWithError(index + 1, points.length, error.text) : texts.vertex(index + 1, points.length);
      this.#handle(point, `${pathIndex.join("-")}-${index}`, title,
        (position) => draft.withPath(pathIndex, points.map((old, i) => (i === index ? position : old))),
        {
          error: error?.text,
          remove: () => draft.change(draft.withPath(pathIndex, points.filter((_, i) => i !== index))),
        });
    });
    // Handles that insert a vertex in the middle of an edge.
    const last = isClosed && points.length > 2 ? points.length : points.length - 1;
    for (let index = 0; index < last; index += 1) {
      const [a, b] = [points[index], points[(index + 1) % points.length]];
      const [pixelA, pixelB] = [a, b].map((position) => this.#map.latLngToContainerPoint(toLatLng(position)));
      if (pixelA.distanceTo(pixelB) < newVertexSpacing) continue;
      const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      const insert = (position) => draft.withPath(pathIndex, points.toSpliced(index + 1, 0, position));
      const key = `${pathIndex.join("-")}-${index}-new`;
      this.#handle(middle, key, texts.newVertex(index + 1), insert, { isNew: true });
    }
  }

  #handle(position, key, title, membersAt, { error = null, remove = null, isNew = false } = {}) {
    const draft = this.#draft;
    const kind = isNew ? "new" : error ? "error" : "vertex";
    const marker = new Marker(toLatLng(position), {
      draggable: true, keyboard: true, autoPan: true, title,
      icon: new DivIcon({ className: `handle ${kind}`, iconSize: [26, 26] }),
      zIndexOffset: isNew ? -1000 : 0,
    });
    let before = null;
    marker.on("dragstart", () => {
      before = draft.state;
      this.#isDragging = true;
    });
    marker.on("drag", () => draft.preview(membersAt(toPosition(marker.getLatLng()))));
    marker.on("dragend", () => {
      this.#isDragging = false;
      const after = draft.state;
      // One drag is one undoable step.
      draft.preview(before);
      draft.change(after);
    });
    if (isNew) marker.on("click", () => draft.change(membersAt(position)));
    if (remove) marker.on("dblclick contextmenu", remove);
    marker.addTo(this.#handles);
    const element = marker.getElement();
    element.dataset.handle = key;
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", remove ? texts.withKeys(title) : title);
    element.addEventListener("keydown", (event) => this.#onKey(event, marker, membersAt, { remove, isNew }));
  }

  #onKey(event, marker, membersAt, { remove, isNew }) {
    const step = event.shiftKey ? largeStep : smallStep;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (move) {
      const point = this.#map.latLngToContainerPoint(marker.getLatLng()).add(move);
      this.#draft.change(membersAt(toPosition(this.#map.containerPointToLatLng(point))));
    } else if (remove && (event.key === "Delete" || event.key === "Backspace")) {
      remove();
    } else if (isNew && (event.key === "Enter" || event.key === " ")) {
      this.#draft.change(membersAt(toPosition(marker.getLatLng())));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
