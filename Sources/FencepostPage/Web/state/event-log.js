import { Observable } from "../core/observable.js";

/** The number of events that the page keeps. Older events are in the history. */
const maximumEvents = 500;

/** @typedef {import("../../Types/api").Event} Event */

/** @param {Event} event */
const time = (event) => Date.parse(event.timestamp);

/** The latest events without duplicates, sorted by the time that lists show, the newest first. */
export class EventLog {
  changes = new Observable(/** @type {Event[]} */ ([]));
  /** Whether the page has loaded the first events. */
  isLoaded = false;
  #ids = new Set();

  /**
   * Adds events in any order; events that are known already are ignored.
   * @param {Event[]} events
   */
  add(events) {
    // A batch of the stream may have an event twice, after a reconnect.
    const fresh = events.filter((event) => !this.#ids.has(event.id) && this.#ids.add(event.id));
    this.isLoaded = true;
    if (!fresh.length) return this.changes.notify();
    const all = [...this.changes.value, ...fresh]
      .sort((a, b) => time(b) - time(a) || (b.sequence ?? 0) - (a.sequence ?? 0));
    for (const event of all.slice(maximumEvents)) this.#ids.delete(event.id);
    this.changes.value = all.slice(0, maximumEvents);
  }

  /**
   * Removes the events of a device that was erased.
   * @param {string} device
   */
  removeDevice(device) {
    const kept = this.changes.value.filter(({ deviceId }) => deviceId !== device);
    this.#ids = new Set(kept.map(({ id }) => id));
    this.changes.value = kept;
  }

  /** @param {string} id */
  get(id) {
    return this.changes.value.find((event) => event.id === id);
  }

  clear() {
    this.#ids.clear();
    this.isLoaded = false;
    this.changes.value = [];
  }
}
