import { Observable } from "../core/observable.js";
import { prefersReducedMotion } from "../core/theme.js";

/** The choices of the playback speed: seconds of history per second. */
export const speeds = [1, 10, 60, 300, 1800];

/** The playback of a history: a time that advances while it plays. */
export class Playback {
  /** The time in milliseconds, or null without a history. */
  time = new Observable(null);
  isPlaying = new Observable(false);
  speed = new Observable(300);
  #day = null;
  #last = 0;
  #frame = 0;

  get day() {
    return this.#day;
  }

  /** Opens a history, or none, at a time or at its first fix. */
  open(day, at = null) {
    this.pause();
    this.#day = day;
    this.time.value = day ? this.#within(at ?? day.fixes[0]?.time ?? day.events[0]?.time ?? day.from) : null;
    this.time.notify();
  }

  play() {
    if (!this.#day || this.isPlaying.value) return;
    if (this.time.value >= this.#end) this.time.value = this.#day.fixes[0]?.time ?? this.#day.from;
    this.isPlaying.value = true;
    this.#last = performance.now();
    this.#next();
  }

  pause() {
    this.isPlaying.value = false;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#frame);
  }

  toggle() {
    if (this.isPlaying.value) this.pause();
    else this.play();
  }

  seek(time) {
    if (this.#day) this.time.value = this.#within(time);
  }

  /** Moves to the previous (-1) or next (1) fix or event of a list, and returns it. */
  step(list, direction) {
    if (!this.#day) return null;
    const now = this.time.value;
    const next = direction > 0 ? list.find((item) => item.time > now) : list.findLast((item) => item.time < now);
    if (!next) return null;
    this.pause();
    this.seek(next.time);
    return next;
  }

  get #end() {
    return this.#day.fixes.at(-1)?.time ?? this.#day.until;
  }

  #within(time) {
    return Math.min(this.#day.until, Math.max(this.#day.from, time));
  }

  #next() {
    // With reduced motion, the display changes once per second instead of in every frame.
    if (prefersReducedMotion()) this.#frame = setTimeout(() => this.#advance(performance.now()), 1000);
    else this.#frame = requestAnimationFrame((now) => this.#advance(now));
  }

  #advance(now) {
    if (!this.isPlaying.value) return;
    const passed = Math.max(0, now - this.#last) * this.speed.value;
    this.#last = now;
    const time = Math.min(this.#end, this.time.value + passed);
    this.time.value = time;
    if (time >= this.#end) this.pause();
    else this.#next();
  }
}
