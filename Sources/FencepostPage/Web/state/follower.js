// Keeps the fleet and the regions as the service has them.

import { get, pages } from "../core/api.js";
import { Observable } from "../core/observable.js";

/** Between two looks at what changed, and at everything: that a device was forgotten is told nowhere. */
const pause = 1500;
const longPause = 60_000;
/** Regions that are drawn at most; with more, only what is in view would be of use. */
const mostRegions = 20_000;
/** So many are read anew each minute. */
const fewRegions = 2000;

export class Follower {
  /** `null` while nothing was read yet, else `{problem}`: what went wrong the last time, or null. */
  state = new Observable(null);
  #fleet;
  #book;
  #timer = 0;
  #abort = new AbortController();
  #isRunning = false;
  #failures = 0;
  /** What the service called the state that is known; "start" asks for everything. */
  #version = "start";
  #wholeAt = 0;
  #isLooking = false;
  /** Whether somebody asked for a look while one was under way. */
  #isAsked = false;

  constructor(fleet, book) {
    this.#fleet = fleet;
    this.#book = book;
    const hurry = () => {
      if (!document.hidden && this.#isRunning) this.look();
    };
    document.addEventListener("visibilitychange", hurry);
    addEventListener("online", hurry);
  }

  start() {
    this.stop();
    this.#isRunning = true;
    this.#wholeAt = 0;
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

  /** Looks at what has changed now, and again after a pause for as long as somebody sees the page. */
  async look() {
    if (this.#isLooking) {
      this.#isAsked = true;
      return;
    }
    clearTimeout(this.#timer);
    const { signal } = this.#abort;
    [this.#isLooking, this.#isAsked] = [true, false];
    try {
      const isWhole = Date.now() - this.#wholeAt > longPause;
      await this.#read(isWhole ? "start" : this.#version, signal, isWhole);
      if (isWhole) {
        // Regions that others draw are told nowhere either.
        if (this.#wholeAt > 0 && this.#book.all.size <= fewRegions) this.loadRegions();
        this.#wholeAt = Date.now();
      }
      this.#failures = 0;
      if (this.state.value?.problem !== null) this.state.value = { problem: null };
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      this.#failures += 1;
      this.state.value = { problem };
    } finally {
      this.#isLooking = false;
      // Begun anew while the look of before was under way.
      if (signal.aborted && this.#isRunning && this.#isAsked) this.look();
    }
    const rest = this.#isAsked ? pause / 4 : pause;
    const wait = Math.min(longPause, rest * 2 ** Math.min(this.#failures, 6));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => document.hidden || this.look(), wait);
  }

  async #read(changedSince, signal, isWhole) {
    const seen = [];
    let version = null;
    let cursor = null;
    do {
      const page = await get("/v1/devices", { changedSince, limit: 500, cursor }, { signal });
      if (signal.aborted) return;
      this.#fleet.take(page.data);
      if (isWhole) for (const device of page.data) seen.push(device.id);
      // What changes while pages are read is told with the next look.
      version ??= page.version;
      cursor = page.nextCursor;
    } while (cursor);
    if (isWhole) this.#fleet.keep(seen);
    this.#version = version;
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
