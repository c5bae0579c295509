// What modules of the page find in a browser when they are loaded, so that node can load them. A test imports this file
// first. There are no elements: what needs them is tested in Chromium by Tests/Browser.

const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** A storage as those of browsers. */
class Storage {
  #items = new Map();
  getItem = (key) => this.#items.get(key) ?? null;
  setItem = (key, value) => this.#items.set(key, String(value));
  removeItem = (key) => this.#items.delete(key);
}

const listeners = new Map();
const listen = (type, listener) => listeners.set(type, [...(listeners.get(type) ?? []), listener]);

/** Sends an event to the listeners of the window and of the document. */
export const dispatch = (type) => {
  for (const listener of listeners.get(type) ?? []) listener();
};

define("navigator", { language: "en-GB", languages: ["en-GB", "de"] });
define("localStorage", new Storage());
define("sessionStorage", new Storage());
define("addEventListener", listen);
define("document", {
  hidden: false, documentElement: { dataset: {} }, addEventListener: listen, querySelector: () => null,
});
define("matchMedia", () => ({ matches: false, addEventListener() {} }));

define("location", { hash: "" });
/** The fragments that were set, each with `pushState` or `replaceState`. */
export const visited = [];
const visit = (method) => (_state, _title, hash) => {
  globalThis.location.hash = hash;
  visited.push([method, hash]);
};
define("history", { pushState: visit("pushState"), replaceState: visit("replaceState") });

/** The frames that were asked for, and a clock that only `passFrame` moves. */
const frames = new Map();
let lastFrame = 0;
let clock = 0;
define("requestAnimationFrame", (callback) => frames.set(lastFrame += 1, callback) && lastFrame);
define("cancelAnimationFrame", (id) => frames.delete(id));
define("performance", { now: () => clock });

/** Lets milliseconds pass and draws a frame. Returns whether one was asked for. */
export function passFrame(milliseconds = 16) {
  clock += milliseconds;
  const asked = [...frames.values()];
  frames.clear();
  for (const callback of asked) callback(clock);
  return asked.length > 0;
}
