/**
 * A value with listeners that are called when it changes.
 * @template Value
 */
export class Observable {
  /** @type {Value} */
  #value;
  /** @type {Set<(value: Value) => void>} */
  #listeners = new Set();

  /** @param {Value} value */
  constructor(value) {
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.notify();
  }

  /** Calls all listeners; needed after a change in place, which the setter does not see. */
  notify() {
    for (const listener of [...this.#listeners]) listener(this.#value);
  }

  /**
   * Calls the listener with the current value, and after every change. Returns a function that unsubscribes.
   * @param {(value: Value) => void} listener
   */
  watch(listener) {
    listener(this.#value);
    return this.subscribe(listener);
  }

  /**
   * Calls the listener after every change. Returns a function that unsubscribes.
   * @param {(value: Value) => void} listener
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A function that runs `work` in the next frame, once for all calls until then. */
export function oncePerFrame(work) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      work();
    });
  };
}
