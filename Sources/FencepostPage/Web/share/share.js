// The page of a share link. It needs no sign-in and shows the last positions of the shared devices, nothing else. The
// secret is in the fragment of the address, which browsers do not send.

import { Circle, CircleMarker, LayerGroup, Map as LeafletMap } from "../leaflet/leaflet.js";
import { element, setChildren } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { initialOf, labelAmong } from "../core/label.js";
import { colors, startTheme } from "../core/theme.js";
import { formatAge, formatDateTime } from "../core/time.js";
import { BaseMap } from "../map/basemap.js";
import { addTiles } from "../map/tiles.js";
import { text, translateDocument } from "../text/text.js";

/** Milliseconds between two reads. */
const interval = 10_000;

translateDocument();
startTheme();
const map = new LeafletMap(document.getElementById("map"), { attributionControl: false, minZoom: 2, maxZoom: 21 });
map.setView([30, 5], 2.5, { animate: false });
for (const [name, order] of [["base", 150], ["shared", 450]]) map.createPane(name).style.zIndex = order;
addTiles(map);
new BaseMap().addTo(map);
colors.notify();
const markers = new LayerGroup().addTo(map);
let isFirst = true;
let shown = "";

async function read() {
  const secret = location.hash.slice(1);
  let response;
  try {
    response = await fetch(new URL("../../v1/shared", import.meta.url), {
      headers: { Authorization: `Bearer ${secret}` }, cache: "no-store",
    });
  } catch {
    return setTimeout(read, interval);
  }
  if (response.status === 401) return showEnd();
  if (response.ok) show(await response.json());
  return setTimeout(read, interval);
}

/** What people call a device; of several with one name, also what distinguishes them. */
function titles(devices) {
  return new Map(devices.map(({ id, name }) => [id, name
    ? labelAmong(id, name, devices.filter((other) => other.name === name).map((other) => other.id)) : id]));
}

/** The card of a device, as in Live; a press moves the map there. */
function deviceCard(device, title) {
  const isKnown = device.latitude !== undefined;
  return element("li.person", {}, element("button.person-link", {
    type: "button", disabled: !isKnown, style: device.color ? { "--device": device.color } : {},
    onClick: () => map.setView([device.latitude, device.longitude], Math.max(map.getZoom(), 15)),
  },
  element("span.avatar", { "aria-hidden": "true" }, element("span.initial", {
    data: { initial: initialOf(title) },
  })),
  element("span.person-name", {}, title),
  element("span.person-place", {}, isKnown && device.horizontalAccuracy !== undefined
    ? `± ${formatDistance(device.horizontalAccuracy)}` : ""),
  element("span.person-age", {}, isKnown ? formatAge(device.timestamp) : text.share.noPosition)));
}

function show({ name, expires, devices }) {
  document.title = name || text.share.title;
  document.getElementById("title").textContent = document.title;
  document.getElementById("until").textContent = text.share.until(formatDateTime(expires));
  const names = titles(devices);
  const found = devices.filter((device) => device.latitude !== undefined);
  setChildren(document.getElementById("devices"), devices.map((device) => deviceCard(device, names.get(device.id))));
  markers.clearLayers();
  for (const device of found) {
    const color = device.color ?? colors.value.device;
    const position = [device.latitude, device.longitude];
    if (device.horizontalAccuracy) {
      new Circle(position, { radius: device.horizontalAccuracy, color, weight: 1, pane: "shared" }).addTo(markers);
    }
    new CircleMarker(position, { radius: 8, color, fillColor: color, fillOpacity: 0.9, pane: "shared" })
      .bindTooltip(names.get(device.id).replace(/[&<>]/g, ""), { permanent: true })
      .addTo(markers);
  }
  const key = found.map((device) => device.id).join("\n");
  if (found.length && (isFirst || key !== shown)) {
    map.fitBounds(found.map((device) => [device.latitude, device.longitude]), {
      maxZoom: 15, padding: [40, 40], animate: false,
    });
    isFirst = false;
  }
  shown = key;
}

function showEnd() {
  markers.clearLayers();
  setChildren(document.getElementById("devices"));
  document.getElementById("until").textContent = text.share.ended;
}

addEventListener("hashchange", () => location.reload());
read();
