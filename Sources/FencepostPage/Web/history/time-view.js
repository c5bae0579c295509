import { Observable } from "../core/observable.js";

/** The shortest time that the time line shows, in milliseconds. */
const leastSpan = 120_000;
const minute = 60_000;
/** The slider of the playback has whole seconds. */
const second = 1000;

/** The part of a history that the time line shows. Times are in milliseconds. */
export class TimeView {
  /** Notifies when the part changes. */
  changes = new Observable(0);
  #day = null;
  #from = 0;
  #to = 1;

  get from() {
    return this.#from;
  }

  get to() {
    return this.#to;
  }

  get span() {
    return this.#to - this.#from;
  }

  /** Whether it is only a part. */
  get isPart() {
    return this.#day !== null && this.span < this.#day.to - this.#day.from;
  }

  get canZoomIn() {
    return this.#day !== null && this.span > leastSpan;
  }

  get canMove() {
    return { earlier: this.isPart && this.#from > this.#day.from, later: this.isPart && this.#to < this.#day.to };
  }

  /** Opens a history, or none, with the part that a text of `text` names. */
  open(day, text = null) {
    this.#day = day;
    if (!day) return;
    const [from, to] = partOf(text, day) ?? [day.from, day.to];
    this.#set(from, to - from);
    this.changes.notify();
  }

  /** Shows the part of a text in an open history. */
  show(text) {
    if (!this.#day || (text ?? null) === this.text) return;
    const [from, to] = partOf(text, this.#day) ?? [this.#day.from, this.#day.to];
    this.#change(from, to - from);
  }

  /** The part in minutes since the start of the history, such as `420-570`; null for the whole. */
  get text() {
    if (!this.isPart) return null;
    const minutes = (time) => Math.round((time - this.#day.from) / minute);
    return `${minutes(this.#from)}-${minutes(this.#to)}`;
  }

  /** Shows `factor` times the time, with `time` at the same position. */
  zoom(factor, time = (this.#from + this.#to) / 2) {
    if (!this.#day || !Number.isFinite(time)) return;
    const span = Math.min(this.#day.to - this.#day.from, Math.max(leastSpan, this.span * factor));
    const at = Math.min(this.#to, Math.max(this.#from, time));
    this.#change(at - ((at - this.#from) / this.span) * span, span);
  }

  /** Moves by a part of what is shown; to the earlier if it is negative. */
  move(part) {
    if (this.#day) this.#change(this.#from + part * this.span, this.span);
  }

  /** Shows the whole history. */
  reset() {
    if (this.#day) this.#change(this.#day.from, this.#day.to - this.#day.from);
  }

  /** Moves so that a time is visible. */
  reveal(time) {
    if (!this.#day || time === null || (time >= this.#from && time <= this.#to)) return;
    // The playback runs to the later, so more of that side is shown.
    this.#change(time - this.span * (time > this.#to ? 0.1 : 0.5), this.span);
  }

  #change(from, span) {
    const before = [this.#from, this.#to];
    this.#set(from, span);
    if (this.#from !== before[0] || this.#to !== before[1]) this.changes.notify();
  }

  #set(from, span) {
    const { from: start, to: end } = this.#day;
    const length = Math.min(Math.round(span / second) * second, end - start);
    this.#from = Math.min(Math.max(Math.round(from / second) * second, start), end - length);
    this.#to = this.#from + length;
  }
}

/** The times of a text within a history; null if it names none. */
function partOf(text, day) {
  const match = /^(\d{1,6})-(\d{1,6})$/.exec(text ?? "");
  if (!match) return null;
  const [from, to] = match.slice(1).map((minutes) => day.from + Number(minutes) * minute);
  return to - from >= leastSpan && to <= day.to + minute ? [from, to] : null;
}
