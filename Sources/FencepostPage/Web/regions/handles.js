// The draft on the map: its outline, and handles for its vertices, which can be dragged or moved with the arrow keys.

import { Circle, DivIcon, DomEvent, LayerGroup, Marker, Polygon, Polyline } from "../leaflet/leaflet.js";
import { element } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { circleRing, distance, metersPerUnit } from "../core/geo.js";
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
  /** What a click at the pointer would draw. */
  #band = new LayerGroup();
  /** The button below the shape that saves it. */
  #saving = new LayerGroup();
  #hover = null;
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
    this.#band.addTo(this.#group);
    this.#saving.addTo(this.#group);
    const move = ({ latlng }) => this.#follow(toPosition(latlng));
    const leave = () => this.#follow(null);
    map.on("mousemove", move);
    map.on("mouseout", leave);
    const stop = draft.changes.watch(() => this.draw());
    const redraw = () => this.draw();
    map.on("zoomend", redraw);
    this.#stop = () => {
      stop();
      map.off("zoomend", redraw);
      map.off("mousemove", move);
      map.off("mouseout", leave);
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
    const path = this.#path;
    if (!path) return;
    draft.change(draft.withPath(path.pathIndex, [...path.points, position]));
  }

  draw() {
    this.#drawOutline();
    this.#drawBand();
    if (!this.#isDragging) this.#drawHandles();
  }

  #follow(position) {
    if (position === null && this.#hover === null) return;
    this.#hover = position;
    this.#drawBand();
  }

  /** Draws a rubber band to the pointer: the circle or the edges that a click there would give, with their length. */
  #drawBand() {
    this.#band.clearLayers();
    const draft = this.#draft;
    const { kind, center, radius } = draft.state;
    if (kind === "circle" && center && radius) {
      this.#measure(draft.edge, radius);
      return;
    }
    const hover = this.#hover;
    if (!hover || this.#isDragging) return;
    const style = { className: "draft-rubber-band", interactive: false, smoothFactor: 0 };
    if (kind === "circle") {
      if (!center) return;
      const meters = draft.radiusTo(hover);
      this.#band.addLayer(new Circle(toLatLng(center), { ...style, radius: meters }));
      this.#band.addLayer(new Polyline([center, hover].map(toLatLng), style));
      this.#measure(hover, meters);
      return;
    }
    const path = this.#path;
    if (!path?.points.length) return;
    const corners = [path.points.at(-1), hover, ...(path.isClosed && path.points.length > 1 ? [path.points[0]] : [])];
    this.#band.addLayer(new Polyline(corners.map(toLatLng), style));
    this.#measure(hover, distance(path.points.at(-1), hover));
  }

  /** Writes a length next to a position. */
  #measure(position, meters) {
    this.#band.addLayer(new Marker(toLatLng(position), {
      interactive: false, keyboard: false,
      icon: new DivIcon({
        className: "draft-length", iconSize: null, html: element("span", {}, formatDistance(meters)),
      }),
    }));
  }

  /**
   * Shows a button below the shape, or none.
   * @param {string | null} label
   * @param {() => void} [save]
   */
  showSave(label, save) {
    this.#saving.clearLayers();
    const positions = label === null ? [] : this.#positions;
    if (!positions.length) return;
    const lons = positions.map(([lon]) => lon);
    const south = Math.min(...positions.map(([, lat]) => lat));
    const button = element("button.primary", { type: "button", onClick: save }, label);
    DomEvent.disableClickPropagation(button);
    this.#saving.addLayer(new Marker([south, (Math.min(...lons) + Math.max(...lons)) / 2], {
      interactive: false, keyboard: false, zIndexOffset: 1000,
      icon: new DivIcon({ className: "draft-save", iconSize: null, html: button }),
    }));
  }

  /** The positions around the shape. */
  get #positions() {
    const { kind, center, radius } = this.#draft.state;
    if (kind === "circle") return center && radius ? circleRing(center, radius, 16) : [];
    return this.#draft.paths.flatMap(({ points }) => points);
  }

  /** The path to which clicks add vertices. */
  get #path() {
    const draft = this.#draft;
    const pathIndex = draft.state.kind === "corridor" ? this.activePath.slice(0, 1) : this.activePath;
    return draft.paths.find((one) => one.pathIndex.join() === pathIndex.join()) ?? draft.paths[0];
  }

  #drawOutline() {
    this.#outline.clearLayers();
    const draft = this.#draft;
    const { kind, center, radius, polygons } = draft.state;
    const add = (layer) => this.#outline.addLayer(layer);
    // A smooth factor of 0: Leaflet must not leave out vertices.
    const style = { className: "draft-shape", interactive: false, smoothFactor: 0 };
    if (kind === "circle" && center && radius) {
      add(new Circle(toLatLng(center), { ...style, radius }));
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
