// Map tiles below the layers of the page.

import { Control, TileLayer } from "../leaflet/leaflet.js";

/** Adds the tiles that the service names, with their attribution. */
export function addTiles(map) {
  const settings = document.querySelector("meta[name=fencepost-tiles]");
  if (!settings?.content) return;
  const attribution = document.createElement("span");
  attribution.textContent = settings.dataset.attribution;
  new Control.Attribution({ prefix: false }).addTo(map);
  new TileLayer(settings.content, { attribution: attribution.innerHTML, maxZoom: 21, maxNativeZoom: 19 }).addTo(map);
  map.getPane("tilePane").style.zIndex = 200;
}
