// Keeps the fleet and the regions as the service has them.

import { pages } from "../core/api.js";
import { Observable } from "../core/observable.js";

/** How long to wait between two looks, and how much longer for each page of devices. */
const pause = 2000;
const pausePerPage = 500;
const longestPause = 60_000;
/** Regions that are drawn at most; with more, only what is in view would be of use. */
const mostRegions = 20_000;

export class Follower {
  /** `null` while nothing was read yet, else `{problem}`: what went wrong the last time, or null. */
  state = new Observable(null);
  #fleet;
  #book;
  #timer = 0;
  #abort = new AbortController();
  #isRunning = false;
  #failures = 0;

  constructor(fleet, book) {
    this.#fleet = fleet;
    this.#book = book;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#isRunning) this.look();
    });
  }

  start() {
    this.stop();
    this.#isRunning = true;
    this.#abort = new AbortController();
    this.loadRegions();
    this.look();
  }

  stop() {
    this.#isRunning = false;
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.state.value = null;
  }

  /** Looks at all devices now, and again after a pause for as long as somebody sees the page. */
  async look() {
    clearTimeout(this.#timer);
    const { signal } = this.#abort;
    let [seen, count] = [[], 0];
    try {
      for await (const page of pages("/v1/devices", {}, { signal })) {
        if (signal.aborted) return;
        this.#fleet.take(page);
        seen = seen.concat(page.map((device) => device.id));
        count += 1;
      }
      this.#fleet.keep(seen);
      this.#failures = 0;
      this.state.value = { problem: null };
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      this.#failures += 1;
      this.state.value = { problem };
    }
    const wait = Math.min(longestPause, (pause + count * pausePerPage) * 2 ** Math.min(this.#failures, 5));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => document.hidden || this.look(), wait);
  }

  /** Reads all regions anew. */
  async loadRegions() {
    const { signal } = this.#abort;
    try {
      const features = [];
      const options = { accept: "application/geo+json", limit: mostRegions, signal };
      for await (const page of pages("/v1/regions", {}, options)) features.push(...page);
      if (!signal.aborted) this.#book.replace(features, features.length >= mostRegions);
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      this.#book.problem.value = problem;
    }
  }
}
