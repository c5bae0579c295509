// What is being looked at, in the address: `#map=12/48.85/2.29&device=jane&tab=live`. A link to it shows the same.

import { Observable } from "./observable.js";

/** The parts of the address, by name; `map` is written as people know it from other maps. */
export const place = new Observable(read());

function read() {
  const parts = {};
  for (const item of location.hash.slice(1).split("&")) {
    const mark = item.indexOf("=");
    if (mark > 0) {
      try {
        parts[item.slice(0, mark)] = decodeURIComponent(item.slice(mark + 1).replaceAll("+", " "));
      } catch {
        // Not percent-encoded text: as if it were not there.
      }
    }
  }
  return parts;
}

/** Slashes and the like are harmless behind the hash, and a link is nicer to read with them. */
const written = (value) =>
  encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");

const address = (parts) =>
  `#${Object.entries(parts).filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${written(value)}`).join("&")}`;

/**
 * Changes parts of the address; `null` takes one out.
 * @param {boolean} [leavesTrace] whether the browser's Back comes back to what was before.
 */
export function go(parts, leavesTrace = false) {
  const next = { ...place.value, ...parts };
  for (const [name, value] of Object.entries(next)) if (value === null || value === undefined) delete next[name];
  const hash = address(next);
  if (hash === address(place.value)) return;
  history[leavesTrace ? "pushState" : "replaceState"](null, "", hash);
  place.value = next;
}

/** A link to what is chosen now but for these parts. The view is left out, or following it would move the map back. */
export const link = (parts) => address({ ...place.value, map: null, ...parts });

addEventListener("hashchange", () => {
  if (location.hash !== address(place.value)) place.value = read();
});
addEventListener("popstate", () => {
  place.value = read();
});

/** The view of `map=zoom/latitude/longitude`, or `null`. */
export function viewOf(parts) {
  const numbers = (parts.map ?? "").split("/").map(Number);
  if (numbers.length !== 3 || !parts.map || numbers.some((number) => !Number.isFinite(number))) return null;
  const [zoom, lat, lon] = numbers;
  return Math.abs(lat) <= 90 && zoom >= 0 && zoom <= 22 ? { zoom, center: [lat, lon] } : null;
}
