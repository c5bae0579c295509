// Map tiles below the layers of the page.

import { Control, TileLayer } from "../leaflet/leaflet.js";
import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";
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
  if (!settings?.content) {
    map.getContainer().append(element("p.no-streets", {}, text.map.noStreets));
    return;
  }
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
    const tiles = new VectorLayer(address, options);
    reportFailures(map, tiles, settings.dataset, address);
    tiles.addTo(map);
    new VectorLabels("names", tiles).addTo(map);
  } else {
    const tiles = new (isOwn ? TileLayer : OtherTiles)(address, options);
    reportFailures(map, tiles, settings.dataset, address);
    tiles.addTo(map);
  }
}

/** Says on the map when most tiles of a view do not load. The base map stays visible below. */
function reportFailures(map, tiles, /** @type {DOMStringMap} */ { choice }, address) {
  const texts = text.map.streets;
  const source = new URL(address, location.href).host;
  const message = element("section.streets.tiles-problem", { role: "status", hidden: true });
  for (const name of ["click", "dblclick", "mousedown", "pointerdown", "wheel"]) {
    message.addEventListener(name, (event) => event.stopPropagation());
  }
  map.getContainer().append(message);
  let [loaded, failed] = [0, 0];
  tiles.on("loading", () => {
    [loaded, failed] = [0, 0];
  });
  tiles.on("tileload", () => {
    loaded += 1;
  });
  tiles.on("tileerror", () => {
    failed += 1;
  });
  tiles.on("load", () => {
    message.hidden = failed === 0 || failed < loaded;
    if (message.hidden || message.children.length) return;
    setChildren(message, element("p", {}, texts.failed(source)), element("div.row", {},
      element("button", { type: "button", onClick: () => tiles.redraw() }, text.common.tryAgain),
      choice !== "configured" && element("button", {
        type: "button", data: { needs: "admin" }, onClick: () => map.fire("choosestreets"),
      }, texts.chooseAnother)));
  });
}

/**
 * The attribution as HTML, a link where the source has terms to show.
 * @param {DOMStringMap} settings
 */
const attributionOf = ({ attribution, terms }) => (terms
  ? element("a", { href: terms, rel: "noreferrer" }, attribution) : element("span", {}, attribution)).outerHTML;
