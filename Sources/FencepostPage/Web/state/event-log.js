import { Observable } from "../core/observable.js";

/** How many events are kept; older ones are in the history. */
const most = 500;

/** When an event was settled: visits are told long after they began. */
const settled = (event) => Date.parse(event.detectedAt ?? event.timestamp);

/** The latest events, those first that were settled last, each once. */
export class EventLog {
  changes = new Observable([]);
  /** Whether the first of them have been read. */
  isLoaded = false;
  #ids = new Set();

  /** Takes events, in whatever order they come. */
  take(events) {
    const fresh = events.filter((event) => !this.#ids.has(event.id));
    this.isLoaded = true;
    if (!fresh.length) return this.changes.tell();
    for (const event of fresh) this.#ids.add(event.id);
    const all = [...this.changes.value, ...fresh].sort((a, b) => settled(b) - settled(a));
    for (const event of all.slice(most)) this.#ids.delete(event.id);
    this.changes.value = all.slice(0, most);
  }

  get(id) {
    return this.changes.value.find((event) => event.id === id);
  }

  clear() {
    this.#ids.clear();
    this.isLoaded = false;
    this.changes.value = [];
  }
}
