// Where all devices are: numbers in arrays, so that ten thousand of them are drawn in one frame.

import { mercatorX, mercatorY } from "../core/geo.js";
import { Observable } from "../core/observable.js";

const numbers = ["x", "y", "lon", "lat", "accuracy", "course", "speed", "battery", "time"];

export class Fleet {
  /** How many there are. */
  count = 0;
  ids = [];
  /** Ids of the regions that each is inside. */
  regions = [];
  /** The visit that each is on, or null. */
  visits = [];
  isStale = new Uint8Array(64);
  /** Tells after every change; its value is the fleet itself. */
  changes = new Observable(this);
  #places = new Map();

  constructor() {
    // x and y are in the square of Web Mercator; time is in milliseconds; NaN is unknown.
    for (const name of numbers) this[name] = new Float64Array(64).fill(NaN);
  }

  /** The place of a device in the arrays, or -1. */
  place(id) {
    return this.#places.get(id) ?? -1;
  }

  /** Takes what `GET /v1/devices` says of some devices. */
  take(devices) {
    for (const device of devices) this.#set(device);
    if (devices.length) this.changes.tell();
  }

  /**
   * Takes the locations and regions of events, for devices whose next report is still to come.
   * @returns {boolean} whether all of their devices are known.
   */
  takeEvents(events) {
    const known = events.filter((event) => this.#takeEvent(event));
    if (known.length) this.changes.tell();
    return known.length === events.filter((event) => event.deviceId).length;
  }

  /** Drops those that are not among these. */
  keep(ids) {
    const kept = new Set(ids);
    if (this.ids.every((id) => kept.has(id))) return;
    const devices = this.ids.filter((id) => kept.has(id)).map((id) => this.device(id));
    this.clear();
    this.take(devices);
    this.changes.tell();
  }

  clear() {
    this.count = 0;
    [this.ids, this.regions, this.visits] = [[], [], []];
    this.#places.clear();
    this.changes.tell();
  }

  /** One device as an object, for what shows it in words. */
  device(id) {
    const place = this.place(id);
    if (place < 0) return null;
    const known = (number) => (Number.isNaN(number) ? null : number);
    return {
      id,
      regions: this.regions[place],
      visit: this.visits[place],
      isStale: this.isStale[place] === 1,
      lastLocation: Number.isNaN(this.lat[place]) ? null : {
        latitude: this.lat[place],
        longitude: this.lon[place],
        horizontalAccuracy: known(this.accuracy[place]),
        course: known(this.course[place]),
        speed: known(this.speed[place]),
        batteryLevel: known(this.battery[place]),
        timestamp: new Date(this.time[place]).toISOString(),
      },
    };
  }

  #takeEvent(event) {
    const place = this.#places.get(event.deviceId);
    if (place === undefined) return false;
    if (event.region) {
      const inside = new Set(this.regions[place]);
      if (event.type === "region.entered") inside.add(event.region.id);
      if (event.type === "region.exited") inside.delete(event.region.id);
      this.regions[place] = [...inside].sort();
    }
    if (event.type === "device.stale") this.isStale[place] = 1;
    if (event.type === "device.recovered") this.isStale[place] = 0;
    const time = Date.parse(event.location?.timestamp);
    if (event.location && !(time < this.time[place])) this.#locate(place, event.location);
    return true;
  }

  #set(device) {
    let place = this.#places.get(device.id);
    if (place === undefined) {
      place = this.count;
      if (place === this.x.length) this.#grow();
      this.count += 1;
      this.#places.set(device.id, place);
      this.ids[place] = device.id;
      for (const name of numbers) this[name][place] = NaN;
    }
    this.regions[place] = device.regions ?? [];
    this.visits[place] = device.visit ?? null;
    this.isStale[place] = device.isStale ? 1 : 0;
    if (device.lastLocation) this.#locate(place, device.lastLocation);
  }

  #locate(place, location) {
    this.lon[place] = location.longitude;
    this.lat[place] = location.latitude;
    this.x[place] = mercatorX(location.longitude);
    this.y[place] = mercatorY(location.latitude);
    this.accuracy[place] = location.horizontalAccuracy ?? NaN;
    this.course[place] = location.course ?? NaN;
    this.speed[place] = location.speed ?? NaN;
    this.battery[place] = location.batteryLevel ?? NaN;
    this.time[place] = Date.parse(location.timestamp);
  }

  #grow() {
    const size = this.x.length * 2;
    for (const name of [...numbers, "isStale"]) {
      const larger = new this[name].constructor(size);
      larger.set(this[name]);
      this[name] = larger;
    }
  }
}
