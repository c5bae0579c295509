// The Leaflet map: panning, zooming and keyboard control. The layers in this folder draw its content.

import { Control, DomEvent, DomUtil, Map as LeafletMap } from "../leaflet/leaflet.js";
import { element } from "../core/dom.js";
import { fragment, mapViewOf, navigate } from "../core/fragment.js";
import { prefersReducedMotion } from "../core/theme.js";
import { isImperial } from "../core/units.js";
import { text } from "../text/text.js";
import { addTiles } from "./tiles.js";

/** Creates the map with the view of the fragment, or a view of the world. */
export function makeMap(container) {
  const map = new LeafletMap(container, {
    zoomControl: false,
    attributionControl: false,
    worldCopyJump: true,
    minZoom: 2,
    maxZoom: 21,
    zoomSnap: 0.5,
    zoomAnimation: !prefersReducedMotion(),
    fadeAnimation: !prefersReducedMotion(),
    inertia: !prefersReducedMotion(),
  });
  const start = mapViewOf(fragment.value) ?? { center: [30, 5], zoom: 2.5 };
  map.setView(start.center, start.zoom, { animate: false });
  for (const [name, order] of [["base", 150], ["regions", 350], ["devices", 450]]) {
    map.createPane(name).style.zIndex = order;
  }
  new Control.Zoom({ position: "topright", zoomInTitle: text.map.zoomIn, zoomOutTitle: text.map.zoomOut }).addTo(map);
  new Control.Scale({ position: "bottomright", imperial: isImperial(), metric: !isImperial() }).addTo(map);
  addTiles(map);
  connectToFragment(map);
  return map;
}

/** Whether the fragment contains a map view. */
export const hasViewInFragment = () => mapViewOf(fragment.value) !== null;

/** Keeps the view in the fragment up to date, and follows changes of the fragment. */
function connectToFragment(map) {
  let lastWritten = "";
  map.on("moveend", () => {
    const { lat, lng } = map.getCenter().wrap();
    const zoom = Math.round(map.getZoom() * 100) / 100;
    const digits = Math.max(2, Math.ceil(zoom / 3));
    lastWritten = `${zoom}/${lat.toFixed(digits)}/${lng.toFixed(digits)}`;
    navigate({ map: lastWritten });
  });
  fragment.subscribe((parts) => {
    if (!parts.map && lastWritten) {
      navigate({ map: lastWritten });
      return;
    }
    const view = mapViewOf(parts);
    if (view && parts.map !== lastWritten) map.setView(view.center, view.zoom, { animate: false });
  });
}

/** The part of the map that the panel covers, in pixels from the left and from the bottom. */
function coveredMargins(map) {
  const stage = map.getContainer().getBoundingClientRect();
  const panel = document.getElementById("panel").getBoundingClientRect();
  const isBelow = panel.width > stage.width * 0.9;
  return isBelow
    ? { left: 0, bottom: Math.max(0, stage.bottom - panel.top) }
    : { left: Math.max(0, panel.right - stage.left), bottom: 0 };
}

/**
 * Zooms to a box `[west, south, east, north]` in the part of the map that the panel does not cover.
 * @param {number} [maxZoom] the highest zoom level.
 */
export function showBox(map, [west, south, east, north], maxZoom = 17) {
  const { left, bottom } = coveredMargins(map);
  map.fitBounds([[south, west], [north, east]], {
    paddingTopLeft: [left + 36, 36],
    paddingBottomRight: [36, bottom + 36],
    maxZoom,
    animate: !prefersReducedMotion(),
  });
}

/** Centres a position in the part of the map that the panel does not cover, at least at the level `zoom`. */
export function showPosition(map, [lon, lat], zoom = 15) {
  const { left, bottom } = coveredMargins(map);
  const target = Math.max(map.getZoom(), zoom);
  const point = map.project([lat, lon], target).add([-left / 2, bottom / 2]);
  map.setView(map.unproject(point, target), target, { animate: !prefersReducedMotion() });
}

/** Adds a button below the zoom buttons, and returns its element. */
export function addButton(map, title, label, press) {
  const control = new Control({ position: "topright" });
  control.onAdd = () => {
    const bar = DomUtil.create("div", "leaflet-bar");
    const act = (event) => {
      event.preventDefault();
      press();
    };
    // A link with the role of a button, as Leaflet's own buttons: its style sheet has no others.
    const button = element("a", {
      href: "#map", role: "button", title, "aria-label": title, onClick: act,
      onKeydown: (event) => event.key === " " && act(event),
    }, label);
    DomEvent.disableClickPropagation(bar);
    bar.append(button);
    return bar;
  };
  control.addTo(map);
  return control.getContainer();
}
