// Map tiles below the layers of the page.

import { Control, TileLayer } from "../leaflet/leaflet.js";
import { element } from "../core/dom.js";
import { VectorLabels } from "./vector-labels.js";
import { VectorLayer } from "./vector-layer.js";

/** Tiles of another server, which may ask for the site that shows them: it learns the host, not what the page shows. */
const OtherTiles = TileLayer.extend({
  createTile(coordinates, done) {
    const tile = TileLayer.prototype.createTile.call(this, coordinates, done);
    tile.referrerPolicy = "origin";
    return tile;
  },
});

/** Adds the tiles that the service names, with their attribution. */
export function addTiles(map) {
  /** @type {HTMLMetaElement | null} */
  const settings = document.querySelector("meta[name=fencepost-tiles]");
  if (!settings?.content) return;
  const [minNativeZoom, maxNativeZoom] = settings.dataset.zooms.split("-").map(Number);
  const isOwn = !settings.content.includes(":");
  // On a phone the sheet of the panel covers the bottom.
  const isSmall = matchMedia("(max-width: 760px)").matches;
  new Control.Attribution({ prefix: false, position: isSmall ? "topleft" : "bottomright" }).addTo(map);
  map.getPane("tilePane").style.zIndex = 200;
  const address = isOwn ? new URL("../../", import.meta.url).pathname + settings.content : settings.content;
  const options = { attribution: attributionOf(settings.dataset), maxZoom: 21, minNativeZoom, maxNativeZoom };
  if (settings.dataset.kind === "vector") {
    map.getPane("tilePane").classList.add("drawn");
    map.createPane("names").style.zIndex = 250;
    map.getPane("names").style.pointerEvents = "none";
    const tiles = new VectorLayer(address, options).addTo(map);
    new VectorLabels("names", tiles).addTo(map);
  } else {
    new (isOwn ? TileLayer : OtherTiles)(address, options).addTo(map);
  }
}

/**
 * The attribution as HTML, a link where the source has terms to show.
 * @param {DOMStringMap} settings
 */
const attributionOf = ({ attribution, terms }) => (terms
  ? element("a", { href: terms, rel: "noreferrer" }, attribution) : element("span", {}, attribution)).outerHTML;
