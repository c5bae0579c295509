// Live events as server-sent events. Each connection uses its own ticket: an EventSource cannot send an Authorization
// header, and an access token must not appear in a URL.

import { post, urlOf } from "./api.js";
import { eventTypes } from "./event-types.js";
import { Observable } from "./observable.js";

/** The longest delay before a reconnect, in milliseconds. */
const maximumDelay = 30_000;

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
   * @param {(event: object) => void} onEvent receives an event.
   * @param {() => void} onGap is called when the stream may have skipped events.
   */
  constructor(onEvent, onGap) {
    this.#onEvent = onEvent;
    this.#onGap = onGap;
    addEventListener("online", () => this.#reconnectNow());
    document.addEventListener("visibilitychange", () => document.hidden || this.#reconnectNow());
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

  /** Reconnects now instead of after the delay. */
  #reconnectNow() {
    if (this.state.value !== "reconnecting" || this.#source) return;
    clearTimeout(this.#timer);
    this.#connect(this.#generation);
  }

  async #connect(generation) {
    try {
      const { ticket } = await post("/v1/stream/tickets");
      if (generation !== this.#generation) return;
      const url = urlOf("/v1/stream");
      url.searchParams.set("ticket", ticket);
      url.searchParams.set("explain", "true");
      if (this.#lastID !== null) url.searchParams.set("lastEventId", this.#lastID);
      this.#listen(new EventSource(url), generation);
    } catch (problem) {
      if (generation !== this.#generation || problem.status === 401) return;
      this.#scheduleReconnect(generation);
    }
  }

  #listen(source, generation) {
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.state.value = "live";
    };
    // A ticket is valid once, so the browser's own reconnect would fail.
    source.onerror = () => {
      source.close();
      if (generation !== this.#generation) return;
      this.#source = null;
      this.#scheduleReconnect(generation);
    };
    source.addEventListener("gap", () => this.#onGap());
    for (const type of eventTypes) {
      source.addEventListener(type, (message) => {
        this.#lastID = message.lastEventId;
        this.#onEvent(JSON.parse(message.data));
      });
    }
  }

  #scheduleReconnect(generation) {
    this.state.value = "reconnecting";
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#connect(generation), reconnectDelay(this.#failures, Math.random()));
  }
}

/**
 * The delay in milliseconds after a number of failures in a row. It doubles with each one, and is shorter by up to a
 * half at random, so that open pages do not reconnect at the same moment.
 * @param {number} random from 0 to 1.
 */
export const reconnectDelay = (failures, random) =>
  Math.min(1000 * 2 ** (failures - 1), maximumDelay) * (0.5 + random / 2);
