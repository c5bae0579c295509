// The state of all devices in columns: one typed array per number, so that 10,000 devices are drawn in one frame.

import { mercatorX, mercatorY } from "../core/geo.js";
import { Observable } from "../core/observable.js";

const columns = ["x", "y", "lon", "lat", "accuracy", "course", "speed", "battery", "time"];
const emptyColumn = () => new Float64Array(64).fill(NaN);

/** The devices by index. An index is valid until `retain` or `clear`. */
export class DeviceStore {
  /** The number of devices. */
  count = 0;
  ids = [];
  /** For each device the ids of the regions that it is inside. */
  regions = [];
  /** For each device its current visit, or null. */
  visits = [];
  /** For each device its alerts that have started and not ended. */
  alerts = [];
  /** For each device the state of its fence, or null. */
  fences = [];
  isStale = new Uint8Array(64);
  // NaN means unknown. x and y are Web Mercator coordinates.
  x = emptyColumn();
  y = emptyColumn();
  lon = emptyColumn();
  lat = emptyColumn();
  accuracy = emptyColumn();
  course = emptyColumn();
  speed = emptyColumn();
  battery = emptyColumn();
  /** In milliseconds. */
  time = emptyColumn();
  /** Notifies after every change; its value is the store itself. */
  changes = new Observable(this);
  #indexes = new Map();

  /** The index of a device in the columns, or -1. */
  indexOf(id) {
    return this.#indexes.get(id) ?? -1;
  }

  /**
   * Adds or updates devices as `GET /v1/devices` returns them.
   * @param {import("../../Types/api").Device[]} devices
   */
  update(devices) {
    for (const device of devices) this.#set(device);
    if (devices.length) this.changes.notify();
  }

  /**
   * Applies the locations and regions of events, because an event arrives before the next poll of its device.
   * @param {import("../../Types/api").Event[]} events
   * @returns {boolean} whether the store knows all devices of these events.
   */
  applyEvents(events) {
    const known = events.filter((event) => this.#applyEvent(event));
    if (known.length) this.changes.notify();
    return known.length === events.filter((event) => event.deviceId).length;
  }

  /** Removes all devices whose id is not in the list. */
  retain(ids) {
    const kept = new Set(ids);
    if (this.ids.every((id) => kept.has(id))) return;
    const devices = this.ids.filter((id) => kept.has(id)).map((id) => this.device(id));
    this.clear();
    this.update(devices);
    this.changes.notify();
  }

  clear() {
    this.count = 0;
    [this.ids, this.regions, this.visits, this.alerts, this.fences] = [[], [], [], [], []];
    this.#indexes.clear();
    this.changes.notify();
  }

  /** The devices with alerts, as of the last poll. */
  alerting() {
    return this.ids.map((id, index) => ({ id, alerts: this.alerts[index] })).filter(({ alerts }) => alerts.length > 0);
  }

  /** One device as an object, as the API returns it; null if the store does not know it. */
  device(id) {
    const index = this.indexOf(id);
    if (index < 0) return null;
    const known = (number) => (Number.isNaN(number) ? null : number);
    return {
      id,
      regions: this.regions[index],
      visit: this.visits[index],
      alerts: this.alerts[index],
      ...(this.fences[index] && { fence: this.fences[index] }),
      isStale: this.isStale[index] === 1,
      lastLocation: Number.isNaN(this.lat[index]) ? null : {
        deviceId: id,
        latitude: this.lat[index],
        longitude: this.lon[index],
        horizontalAccuracy: known(this.accuracy[index]),
        course: known(this.course[index]),
        speed: known(this.speed[index]),
        batteryLevel: known(this.battery[index]),
        timestamp: new Date(this.time[index]).toISOString(),
      },
    };
  }

  /** @param {import("../../Types/api").Event} event */
  #applyEvent(event) {
    const index = this.#indexes.get(event.deviceId);
    if (index === undefined) return false;
    if (event.region) {
      const inside = new Set(this.regions[index]);
      if (event.type === "region.entered") inside.add(event.region.id);
      if (event.type === "region.exited") inside.delete(event.region.id);
      this.regions[index] = [...inside].sort();
    }
    if (event.fence) this.#setFence(index, event);
    if (event.type === "device.stale") this.isStale[index] = 1;
    if (event.type === "device.recovered") this.isStale[index] = 0;
    const time = Date.parse(event.location?.timestamp);
    if (event.location && !(time < this.time[index])) this.#setLocation(index, event.location);
    return true;
  }

  /** @param {import("../../Types/api").Device} device */
  #set(device) {
    let index = this.#indexes.get(device.id);
    if (index === undefined) {
      index = this.count;
      if (index === this.x.length) this.#grow();
      this.count += 1;
      this.#indexes.set(device.id, index);
      this.ids[index] = device.id;
      for (const name of columns) this[name][index] = NaN;
    }
    this.regions[index] = device.regions ?? [];
    this.visits[index] = device.visit ?? null;
    this.alerts[index] = device.alerts ?? [];
    this.fences[index] = device.fence ?? null;
    this.isStale[index] = device.isStale ? 1 : 0;
    if (device.lastLocation) this.#setLocation(index, device.lastLocation);
  }

  /**
   * Takes an event of a fence; a schedule, which events do not have, stays.
   * @param {number} index
   * @param {import("../../Types/api").Event} event
   */
  #setFence(index, { type, timestamp, fence }) {
    const { schedule } = this.fences[index] ?? {};
    const rest = schedule && { schedule };
    if (type === "fence.armed") this.fences[index] = { ...fence, ...rest, state: "armed" };
    if (type === "fence.broken") this.fences[index] = { ...fence, ...rest, state: "broken", brokenAt: timestamp };
    if (type !== "fence.disarmed") return;
    this.fences[index] = schedule ? { radius: fence.radius, schedule, state: "scheduled" } : null;
  }

  /**
   * @param {number} index
   * @param {import("../../Types/api").Location} location
   */
  #setLocation(index, location) {
    this.lon[index] = location.longitude;
    this.lat[index] = location.latitude;
    this.x[index] = mercatorX(location.longitude);
    this.y[index] = mercatorY(location.latitude);
    this.accuracy[index] = location.horizontalAccuracy ?? NaN;
    this.course[index] = location.course ?? NaN;
    this.speed[index] = location.speed ?? NaN;
    this.battery[index] = location.batteryLevel ?? NaN;
    this.time[index] = Date.parse(location.timestamp);
  }

  #grow() {
    const size = this.x.length * 2;
    for (const name of [...columns, "isStale"]) {
      const larger = new this[name].constructor(size);
      larger.set(this[name]);
      this[name] = larger;
    }
  }
}
