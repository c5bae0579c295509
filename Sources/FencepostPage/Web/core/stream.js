// Events as they happen, by server-sent events. Each connection has a ticket of its own, since a browser can send no
// header with it and a token has no place in an address.

import { address, post } from "./api.js";
import { Observable } from "./observable.js";
import { eventTypes } from "./words.js";

const longestPause = 30_000;

export class Stream {
  /** `connecting`, `live`, `reconnecting`, `closed`. */
  state = new Observable("closed");
  #onEvent;
  #onGap;
  #source = null;
  #lastID = null;
  #failures = 0;
  #timer = 0;
  #generation = 0;

  /**
   * @param {(event: object) => void} onEvent an event of the service, with `number`, its place in the stream.
   * @param {() => void} onGap events were missed for good, or may have been.
   */
  constructor(onEvent, onGap) {
    this.#onEvent = onEvent;
    this.#onGap = onGap;
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  open() {
    this.close();
    this.state.value = "connecting";
    this.#connect(this.#generation);
  }

  close() {
    this.#generation += 1;
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
    this.state.value = "closed";
  }

  /** Goes on at once instead of after the pause. */
  #hurry() {
    if (this.state.value !== "reconnecting" || this.#source) return;
    clearTimeout(this.#timer);
    this.#connect(this.#generation);
  }

  async #connect(generation) {
    try {
      const { ticket } = await post("/v1/stream/tickets");
      if (generation !== this.#generation) return;
      const url = address("/v1/stream");
      url.searchParams.set("ticket", ticket);
      url.searchParams.set("explain", "true");
      if (this.#lastID !== null) url.searchParams.set("lastEventId", this.#lastID);
      this.#listen(new EventSource(url), generation);
    } catch (problem) {
      if (generation !== this.#generation || problem.status === 401) return;
      this.#again(generation);
    }
  }

  #listen(source, generation) {
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.state.value = "live";
    };
    // The browser would come back with a ticket that is used up: this connection is over.
    source.onerror = () => {
      source.close();
      if (generation !== this.#generation) return;
      this.#source = null;
      this.#again(generation);
    };
    source.addEventListener("gap", () => this.#onGap());
    for (const type of eventTypes) {
      source.addEventListener(type, (message) => {
        this.#lastID = message.lastEventId;
        this.#onEvent({ ...JSON.parse(message.data), number: Number(message.lastEventId) });
      });
    }
  }

  #again(generation) {
    this.state.value = "reconnecting";
    this.#failures += 1;
    // Twice as long each time, and not at the same moment as all other pages.
    const pause = Math.min(1000 * 2 ** (this.#failures - 1), longestPause) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#connect(generation), pause);
  }
}
