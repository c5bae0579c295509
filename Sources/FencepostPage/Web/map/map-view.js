import { boundingBox } from "../core/geo.js";
import { Observable, oncePerFrame } from "../core/observable.js";
import { text } from "../text/text.js";
import { BaseMap } from "./basemap.js";
import { DeviceLayer } from "./device-layer.js";
import { makeLegend } from "./legend.js";
import { addButton, hasViewInFragment, showBox as moveToBox, showPosition as moveToPosition } from "./map.js";
import { addStreets } from "./streets.js";
import { RegionLayer } from "./region-layer.js";

/**
 * Creates the layers of the map, and the functions that pan and zoom to an object.
 *
 * `deviceFilter` is an observable predicate of device indexes. `deviceCounts` maps the ids of regions to the number of
 * devices inside; regions without devices are missing. `onMapClick`, if set, receives the clicks on the map as
 * `[lon, lat]`, and clicks do not select anything. `onPick`, if set, receives the point of a click first, and answers
 * whether it selected something.
 */
export function makeMapView(app) {
  const { map, devices, regions, selection, tagColors } = app;
  const mapView = {
    /** Whether the device at an index is shown. */
    deviceFilter: new Observable(/** @type {(index: number) => boolean} */ (() => true)),
    deviceCounts: new Observable(new Map()),
    isFollowing: new Observable(false),
    onMapClick: null,
    onPick: null,
  };
  const deviceLayer = new DeviceLayer(devices, selection, (index) => mapView.deviceFilter.value(index));
  const regionLayer = new RegionLayer(regions, selection, mapView.deviceCounts, tagColors);
  new BaseMap().addTo(map);
  regionLayer.addTo(map);
  deviceLayer.addTo(map);
  mapView.deviceLayer = deviceLayer;
  mapView.regionLayer = regionLayer;
  mapView.deviceFilter.subscribe(() => deviceLayer.redraw());

  devices.changes.watch(oncePerFrame(() => {
    mapView.deviceCounts.value = devicesPerRegion(devices);
    const index = devices.indexOf(selection.value.device);
    if (mapView.isFollowing.value && index >= 0 && !Number.isNaN(devices.lat[index])) {
      moveToPosition(map, [devices.lon[index], devices.lat[index]], map.getZoom());
    }
  }));

  map.on("click", (event) => {
    if (mapView.onMapClick) {
      mapView.onMapClick([event.latlng.lng, event.latlng.lat], event);
      return;
    }
    if (mapView.onPick?.(event.containerPoint)) return;
    const device = deviceLayer.deviceAt(event.containerPoint);
    const cluster = device ? null : deviceLayer.clusterAt(event.containerPoint);
    if (cluster) {
      zoomTo(map, cluster);
      return;
    }
    const region = device ? null : regionLayer.regionAt(event.latlng);
    const tab = device ? { tab: "live" } : region ? { tab: "regions" } : {};
    app.select({ device, region, event: null, ...tab });
  });
  map.on("mousemove", (event) => {
    if (mapView.onMapClick) return;
    const point = event.containerPoint;
    const isOver = deviceLayer.deviceAt(point) !== null || deviceLayer.clusterAt(point) !== null
      || regionLayer.regionAt(event.latlng) !== null;
    map.getContainer().classList.toggle("clickable", isOver);
  });
  map.on("dragstart", () => {
    mapView.isFollowing.value = false;
  });

  // What is shown on the map would be below a wide panel.
  const showBox = (box, zoom = undefined) => {
    uncover();
    moveToBox(map, box, zoom);
  };
  const showPosition = (position, zoom = undefined) => {
    uncover();
    moveToPosition(map, position, zoom);
  };
  mapView.showRegion = (id) => {
    const feature = regions.get(id);
    if (feature) showBox(boundingBox(feature));
  };
  mapView.showDevice = (id) => {
    const index = devices.indexOf(id);
    if (index >= 0 && !Number.isNaN(devices.lat[index])) showPosition([devices.lon[index], devices.lat[index]]);
  };
  /** Shows all of some devices, by their ids. */
  mapView.showDevices = (ids) => {
    const boxes = ids.map((id) => devices.indexOf(id)).filter((index) => !Number.isNaN(devices.lat[index] ?? NaN))
      .map((index) => [devices.lon[index], devices.lat[index], devices.lon[index], devices.lat[index]]);
    const box = unionOf(boxes);
    if (box) showBox(box, 16);
  };
  mapView.showPosition = showPosition;
  mapView.showBox = showBox;
  mapView.showAll = () => {
    const box = boxOfAll(devices, regions, mapView.deviceFilter.value);
    if (box) showBox(box, 16);
  };

  addButton(map, text.map.showAll, "⤢", mapView.showAll);
  addButton(map, text.map.legend.title, "?", makeLegend(map, tagColors));
  addStreets(map);
  // Browsers give the position to pages with TLS, and to those of the same machine.
  if (window.isSecureContext && navigator.geolocation) {
    addButton(map, text.map.myLocation, "◎", () => navigator.geolocation.getCurrentPosition(
      ({ coords }) => moveToPosition(map, [coords.longitude, coords.latitude], 16),
      () => app.toast(text.map.noLocation, { tone: "bad" }), { timeout: 10_000 }));
  }

  // Without a view in the fragment, the map shows the first regions and devices that are loaded.
  if (!hasViewInFragment()) {
    const stop = regions.changes.subscribe(() => {
      if (!regions.isLoaded) return;
      stop();
      const { region, device } = selection.value;
      const box = boxOfMost(devices, regions);
      if (box) moveToBox(map, box, 16);
      if (region) mapView.showRegion(region);
      if (device) mapView.showDevice(device);
    });
  }
  return mapView;
}

/** Makes a panel as wide as the page narrow again. */
const uncover = () => document.getElementById("app").classList.remove("wide");

/** Zooms in by two levels at least, so that a group whose devices are at one position opens in the end. */
function zoomTo(map, [left, top, right, bottom]) {
  const corners = [map.containerPointToLatLng([left, bottom]), map.containerPointToLatLng([right, top])];
  const zoom = Math.min(map.getMaxZoom(), Math.max(map.getZoom() + 2, Math.floor(map.getBoundsZoom(corners)) - 1));
  map.setView(map.containerPointToLatLng([(left + right) / 2, (top + bottom) / 2]), zoom);
}

function devicesPerRegion(devices) {
  const counts = new Map();
  for (let index = 0; index < devices.count; index += 1) {
    for (const id of devices.regions[index]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** A box around all regions and all devices that match the filter. */
function boxOfAll(devices, regions, isIncluded) {
  return unionOf(boxesOf(devices, regions, isIncluded));
}

/** A box around the objects within 5 degrees of the median position, so that distant ones do not zoom the map out. */
function boxOfMost(devices, regions) {
  const boxes = boxesOf(devices, regions, () => true);
  if (!boxes.length) return null;
  const centers = (axis) => boxes.map((box) => (box[axis] + box[axis + 2]) / 2).sort((a, b) => a - b);
  const [lon, lat] = [centers(0)[boxes.length >> 1], centers(1)[boxes.length >> 1]];
  const isNear = (box) => Math.abs(box[0] - lon) < 5 && Math.abs(box[1] - lat) < 5 && box[2] - box[0] < 10;
  return unionOf(boxes.filter(isNear)) ?? unionOf(boxes);
}

function boxesOf(devices, regions, isIncluded) {
  const boxes = [...regions.all.values()].map(boundingBox);
  for (let index = 0; index < devices.count; index += 1) {
    const [lon, lat] = [devices.lon[index], devices.lat[index]];
    if (!Number.isNaN(lat) && isIncluded(index)) boxes.push([lon, lat, lon, lat]);
  }
  return boxes;
}

function unionOf(boxes) {
  if (!boxes.length) return null;
  return boxes.reduce((all, box) => [
    Math.min(all[0], box[0]), Math.min(all[1], box[1]), Math.max(all[2], box[2]), Math.max(all[3], box[3]),
  ]);
}
