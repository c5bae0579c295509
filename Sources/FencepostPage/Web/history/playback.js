import { Observable } from "../core/observable.js";
import { calm } from "../core/theme.js";

/** Seconds of the day in one second of whoever looks. */
export const speeds = [1, 10, 60, 300, 1800];

/** A moment of a day that moves on by itself while it plays. */
export class Playback {
  /** Milliseconds, or null while there is no day. */
  time = new Observable(null);
  isPlaying = new Observable(false);
  speed = new Observable(300);
  #day = null;
  #last = 0;
  #frame = 0;

  get day() {
    return this.#day;
  }

  /** Takes another day, or none, and stands at its first fix. */
  open(day, at = null) {
    this.pause();
    this.#day = day;
    this.time.value = day ? this.#within(at ?? day.fixes[0]?.time ?? day.events[0]?.time ?? day.from) : null;
    this.time.tell();
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

  /** Goes to the fix or event before or after this moment. */
  step(list, way) {
    if (!this.#day) return null;
    const now = this.time.value;
    const next = way > 0 ? list.find((item) => item.time > now) : list.findLast((item) => item.time < now);
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
    // With less motion wanted, time goes on in steps of a second instead of in every frame.
    if (calm()) this.#frame = setTimeout(() => this.#advance(performance.now()), 1000);
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
