// The map itself: Leaflet for panning, zooming and keys; everything on it is drawn by layers of this folder.

import { Control, DomEvent, DomUtil, Map as LeafletMap, TileLayer } from "../leaflet/leaflet.js";
import { h } from "../core/dom.js";
import { go, place, viewOf } from "../core/hash.js";
import { calm } from "../core/theme.js";

/** Makes the map at the view of the address, else of the world. */
export function makeMap(element) {
  const map = new LeafletMap(element, {
    zoomControl: false,
    attributionControl: false,
    worldCopyJump: true,
    minZoom: 2,
    maxZoom: 21,
    zoomSnap: 0.5,
    zoomAnimation: !calm(),
    fadeAnimation: !calm(),
    inertia: !calm(),
  });
  const start = viewOf(place.value) ?? { center: [30, 5], zoom: 2.5 };
  map.setView(start.center, start.zoom, { animate: false });
  for (const [name, order] of [["base", 150], ["regions", 350], ["devices", 450]]) {
    map.createPane(name).style.zIndex = order;
  }
  new Control.Zoom({ position: "topright", zoomInTitle: "Nearer", zoomOutTitle: "Farther" }).addTo(map);
  new Control.Scale({ position: "bottomright", imperial: false }).addTo(map);
  addTiles(map);
  followAddress(map);
  return map;
}

/** Whether the address asked for a view, so that nobody else has to choose one. */
export const hasChosenView = () => viewOf(place.value) !== null;

function addTiles(map) {
  const settings = document.querySelector("meta[name=fencepost-tiles]");
  if (!settings?.content) return;
  const attribution = document.createElement("span");
  attribution.textContent = settings.dataset.attribution;
  new Control.Attribution({ prefix: false }).addTo(map);
  new TileLayer(settings.content, { attribution: attribution.innerHTML, maxZoom: 21, maxNativeZoom: 19 }).addTo(map);
  map.getPane("tilePane").style.zIndex = 200;
}

function followAddress(map) {
  let written = "";
  map.on("moveend", () => {
    const { lat, lng } = map.getCenter().wrap();
    const zoom = Math.round(map.getZoom() * 100) / 100;
    const digits = Math.max(2, Math.ceil(zoom / 3));
    written = `${zoom}/${lat.toFixed(digits)}/${lng.toFixed(digits)}`;
    go({ map: written });
  });
  place.follow((parts) => {
    if (!parts.map && written) {
      go({ map: written });
      return;
    }
    const view = viewOf(parts);
    if (view && parts.map !== written) map.setView(view.center, view.zoom, { animate: false });
  });
}

/** How much of the map the panel covers, in pixels from the left and from the bottom. */
function covered(map) {
  const stage = map.getContainer().getBoundingClientRect();
  const panel = document.getElementById("panel").getBoundingClientRect();
  const isBelow = panel.width > stage.width * 0.9;
  return isBelow
    ? { left: 0, bottom: Math.max(0, stage.bottom - panel.top) }
    : { left: Math.max(0, panel.right - stage.left), bottom: 0 };
}

/**
 * Shows a box `[west, south, east, north]` in the part of the map that the panel leaves free.
 * @param {number} [maxZoom] how near to go at most.
 */
export function showBox(map, [west, south, east, north], maxZoom = 17) {
  const { left, bottom } = covered(map);
  map.fitBounds([[south, west], [north, east]], {
    paddingTopLeft: [left + 36, 36],
    paddingBottomRight: [36, bottom + 36],
    maxZoom,
    animate: !calm(),
  });
}

/** Brings a position into the free part, at least as near as `zoom`. */
export function showPlace(map, [lon, lat], zoom = 15) {
  const { left, bottom } = covered(map);
  const target = Math.max(map.getZoom(), zoom);
  const point = map.project([lat, lon], target).add([-left / 2, bottom / 2]);
  map.setView(map.unproject(point, target), target, { animate: !calm() });
}

/** Puts a button of the page's own below those for zooming. */
export function addButton(map, title, label, press) {
  const place = new Control({ position: "topright" });
  place.onAdd = () => {
    const bar = DomUtil.create("div", "leaflet-bar");
    const act = (event) => {
      event.preventDefault();
      press();
    };
    // Leaflet's own are links as well, and its style sheet knows no others.
    const button = h("a", {
      href: "#map", role: "button", title, "aria-label": title, onClick: act,
      onKeydown: (event) => event.key === " " && act(event),
    }, label);
    DomEvent.disableClickPropagation(bar);
    bar.append(button);
    return bar;
  };
  place.addTo(map);
}
