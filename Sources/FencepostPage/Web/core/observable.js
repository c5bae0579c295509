/** A value that tells when it changes. */
export class Observable {
  #value;
  #listeners = new Set();

  constructor(value) {
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.tell();
  }

  /** Tells everybody, for values that are changed in place. */
  tell() {
    for (const listener of [...this.#listeners]) listener(this.#value);
  }

  /** Calls with the value now and whenever it changes. Returns what ends it. */
  watch(listener) {
    listener(this.#value);
    return this.follow(listener);
  }

  /** As `watch`, but for changes alone. */
  follow(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Does something once in the next frame, however often it is asked for until then. */
export function perFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
