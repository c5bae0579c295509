// Polls the service for devices and regions.

import { get, getPages } from "../core/api.js";
import { Observable } from "../core/observable.js";

/**
 * Milliseconds between two polls for changes, and between two full reads. Full reads find deleted devices, which no
 * change reports.
 */
const pollInterval = 1500;
const fullReadInterval = 60_000;
/** The page loads at most so many regions. */
const maximumRegions = 20_000;
/** Up to this number, the regions are loaded again with each full read. */
const maximumPeriodicRegions = 2000;

export class Poller {
  /** `null` before the first poll, then `{problem}`: the error of the last poll, or null. */
  state = new Observable(null);
  #devices;
  #regions;
  #timer = 0;
  #abort = new AbortController();
  #isRunning = false;
  #failures = 0;
  /** The version of the last answer, for `changedSince`; "start" asks for all devices. */
  #version = "start";
  #fullReadAt = 0;
  #isPolling = false;
  /** Whether `poll` was called during a poll. */
  #isPollRequested = false;

  constructor(devices, regions) {
    this.#devices = devices;
    this.#regions = regions;
    const pollNow = () => {
      if (!document.hidden && this.#isRunning) this.poll();
    };
    document.addEventListener("visibilitychange", pollNow);
    addEventListener("online", pollNow);
  }

  start() {
    this.stop();
    this.#isRunning = true;
    this.#fullReadAt = 0;
    this.#abort = new AbortController();
    this.loadRegions();
    this.poll();
  }

  stop() {
    this.#isRunning = false;
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.state.value = null;
  }

  /** Polls for changes now, then periodically while the page is visible. */
  async poll() {
    if (this.#isPolling) {
      this.#isPollRequested = true;
      return;
    }
    clearTimeout(this.#timer);
    const { signal } = this.#abort;
    [this.#isPolling, this.#isPollRequested] = [true, false];
    try {
      const isFullRead = Date.now() - this.#fullReadAt > fullReadInterval;
      await this.#read(isFullRead ? "start" : this.#version, signal, isFullRead);
      if (isFullRead) {
        // The service reports no changes of regions either.
        if (this.#fullReadAt > 0 && this.#regions.all.size <= maximumPeriodicRegions) this.loadRegions();
        this.#fullReadAt = Date.now();
      }
      this.#failures = 0;
      if (this.state.value?.problem !== null) this.state.value = { problem: null };
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      this.#failures += 1;
      this.state.value = { problem };
    } finally {
      this.#isPolling = false;
      // The poller was stopped and started again during this poll.
      if (signal.aborted && this.#isRunning && this.#isPollRequested) this.poll();
    }
    const interval = this.#isPollRequested ? pollInterval / 4 : pollInterval;
    const wait = Math.min(fullReadInterval, interval * 2 ** Math.min(this.#failures, 6));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => document.hidden || this.poll(), wait);
  }

  async #read(changedSince, signal, isFullRead) {
    const seen = [];
    let version = null;
    let cursor = null;
    do {
      const page = await get("/v1/devices", { changedSince, limit: 500, cursor }, { signal });
      if (signal.aborted) return;
      this.#devices.update(page.data);
      if (isFullRead) for (const device of page.data) seen.push(device.id);
      // The version of the first page: later changes are part of the next poll.
      version ??= page.version;
      cursor = page.nextCursor;
    } while (cursor);
    if (isFullRead) this.#devices.retain(seen);
    this.#version = version;
  }

  /** Loads all regions again. */
  async loadRegions() {
    const { signal } = this.#abort;
    try {
      const features = [];
      const options = { accept: "application/geo+json", limit: maximumRegions, signal };
      for await (const page of getPages("/v1/regions", {}, options)) features.push(...page);
      if (!signal.aborted) this.#regions.replace(features, features.length >= maximumRegions);
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      this.#regions.problem.value = problem;
    }
  }
}
