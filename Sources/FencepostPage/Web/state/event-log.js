import { Observable } from "../core/observable.js";

/** The number of events that the page keeps. Older events are in the history. */
const maximumEvents = 500;

/** @typedef {import("../../Types/api").Event} Event */

/**
 * When the service detected an event. A visit is detected long after its arrival.
 * @param {Event} event
 */
const detectionTime = (event) => Date.parse(event.detectedAt ?? event.timestamp);

/** The latest events without duplicates, sorted by detection time, the newest first. */
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
    const all = [...this.changes.value, ...fresh].sort((a, b) => detectionTime(b) - detectionTime(a));
    for (const event of all.slice(maximumEvents)) this.#ids.delete(event.id);
    this.changes.value = all.slice(0, maximumEvents);
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
