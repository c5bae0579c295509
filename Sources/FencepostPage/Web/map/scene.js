import { Observable, perFrame } from "../core/observable.js";
import { extent } from "../core/geo.js";
import { BaseMap } from "./basemap.js";
import { DeviceLayer } from "./device-layer.js";
import { RegionLayer } from "./region-layer.js";
import { addButton, hasChosenView, showBox, showPlace } from "./map.js";

/**
 * What is drawn on the map, and what is brought into view.
 *
 * `isShown` is an observable filter `(place in the fleet) => boolean`. `occupied` holds the ids of regions that
 * somebody is inside, with how many. While `capture` is a function, it gets the clicks of the map (as `[lon, lat]`)
 * instead of the selection.
 */
export function makeScene(app) {
  const { map, fleet, book, selection } = app;
  const scene = {
    isShown: new Observable(() => true),
    occupied: new Observable(new Map()),
    follows: new Observable(false),
    capture: null,
  };
  const devices = new DeviceLayer(fleet, selection, (place) => scene.isShown.value(place));
  const regions = new RegionLayer(book, selection, scene.occupied);
  new BaseMap().addTo(map);
  regions.addTo(map);
  devices.addTo(map);
  scene.devices = devices;
  scene.regions = regions;
  scene.isShown.follow(() => devices.redraw());

  fleet.changes.watch(perFrame(() => {
    scene.occupied.value = countInside(fleet);
    const place = fleet.place(selection.value.device);
    if (scene.follows.value && place >= 0 && !Number.isNaN(fleet.lat[place])) {
      showPlace(map, [fleet.lon[place], fleet.lat[place]], map.getZoom());
    }
  }));

  map.on("click", (event) => {
    if (scene.capture) {
      scene.capture([event.latlng.lng, event.latlng.lat], event);
      return;
    }
    const device = devices.deviceAt(event.containerPoint);
    const region = device ? null : regions.regionAt(event.latlng);
    const tab = device ? { tab: "live" } : region ? { tab: "regions" } : {};
    app.select({ device, region, event: null, ...tab });
  });
  map.on("mousemove", (event) => {
    if (scene.capture) return;
    const isOver = devices.deviceAt(event.containerPoint) !== null || regions.regionAt(event.latlng) !== null;
    map.getContainer().classList.toggle("points", isOver);
  });
  map.on("dragstart", () => {
    scene.follows.value = false;
  });

  scene.showRegion = (id) => {
    const feature = book.get(id);
    if (feature) showBox(map, extent(feature));
  };
  scene.showDevice = (id) => {
    const place = fleet.place(id);
    if (place >= 0 && !Number.isNaN(fleet.lat[place])) showPlace(map, [fleet.lon[place], fleet.lat[place]]);
  };
  scene.showPlace = (position, zoom) => showPlace(map, position, zoom);
  scene.showBox = (box, zoom) => showBox(map, box, zoom);
  scene.showAll = () => {
    const box = boxOfAll(fleet, book, scene.isShown.value);
    if (box) showBox(map, box, 16);
  };

  addButton(map, "Show everything", "⤢", scene.showAll);

  // The first things that are known decide where the map looks, unless the address did.
  if (!hasChosenView()) {
    const stop = book.changes.follow(() => {
      if (!book.isLoaded) return;
      stop();
      const { region, device } = selection.value;
      const box = boxOfMost(fleet, book);
      if (box) showBox(map, box, 16);
      if (region) scene.showRegion(region);
      if (device) scene.showDevice(device);
    });
  }
  return scene;
}

function countInside(fleet) {
  const counts = new Map();
  for (let place = 0; place < fleet.count; place += 1) {
    for (const id of fleet.regions[place]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** A box around all that is shown. */
function boxOfAll(fleet, book, isShown) {
  return around(boxesOf(fleet, book, isShown));
}

/** A box around where most is: what lies across the world from the rest does not make the first view the world. */
function boxOfMost(fleet, book) {
  const boxes = boxesOf(fleet, book, () => true);
  if (!boxes.length) return null;
  const middles = (index) => boxes.map((box) => (box[index] + box[index + 2]) / 2).sort((a, b) => a - b);
  const [lon, lat] = [middles(0)[boxes.length >> 1], middles(1)[boxes.length >> 1]];
  const isNear = (box) => Math.abs(box[0] - lon) < 5 && Math.abs(box[1] - lat) < 5 && box[2] - box[0] < 10;
  return around(boxes.filter(isNear)) ?? around(boxes);
}

function boxesOf(fleet, book, isShown) {
  const boxes = [...book.all.values()].map(extent);
  for (let place = 0; place < fleet.count; place += 1) {
    const [lon, lat] = [fleet.lon[place], fleet.lat[place]];
    if (!Number.isNaN(lat) && isShown(place)) boxes.push([lon, lat, lon, lat]);
  }
  return boxes;
}

function around(boxes) {
  if (!boxes.length) return null;
  return boxes.reduce((all, box) => [
    Math.min(all[0], box[0]), Math.min(all[1], box[1]), Math.max(all[2], box[2]), Math.max(all[3], box[3]),
  ]);
}
