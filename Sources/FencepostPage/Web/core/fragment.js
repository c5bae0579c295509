// The page's state in the fragment of its URL: `#map=12/48.85/2.29&device=jane&tab=live`. A link opens the same view.

import { Observable } from "./observable.js";

/** The parts of the fragment by name. `map` has the usual form of web maps: zoom/latitude/longitude. */
export const fragment = new Observable(read());

function read() {
  const parts = {};
  for (const item of location.hash.slice(1).split("&")) {
    const separator = item.indexOf("=");
    if (separator < 1) continue;
    try {
      parts[item.slice(0, separator)] = decodeURIComponent(item.slice(separator + 1).replaceAll("+", " "));
    } catch {
      // Invalid percent-encoding: the part is ignored.
    }
  }
  return parts;
}

/** A fragment may contain slashes, commas and colons. They stay, because links are easier to read with them. */
const encoded = (value) =>
  encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");

const format = (parts) =>
  `#${Object.entries(parts).filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`;

/**
 * Changes parts of the fragment; `null` removes a part.
 * @param {boolean} [addsHistoryEntry] whether the browser's Back button returns to the previous state.
 */
export function navigate(parts, addsHistoryEntry = false) {
  const next = { ...fragment.value, ...parts };
  for (const [name, value] of Object.entries(next)) if (value === null || value === undefined) delete next[name];
  const hash = format(next);
  if (hash === format(fragment.value)) return;
  history[addsHistoryEntry ? "pushState" : "replaceState"](null, "", hash);
  fragment.value = next;
}

/** A link to the current state with these parts changed. It omits the map view, so that the map does not jump back. */
export const linkTo = (parts) => format({ ...fragment.value, map: null, ...parts });

addEventListener("hashchange", () => {
  if (location.hash !== format(fragment.value)) fragment.value = read();
});
addEventListener("popstate", () => {
  fragment.value = read();
});

/** The map view in `map=zoom/latitude/longitude`; `null` if there is none or it is invalid. */
export function mapViewOf(parts) {
  const numbers = (parts.map ?? "").split("/").map(Number);
  if (numbers.length !== 3 || !parts.map || numbers.some((number) => !Number.isFinite(number))) return null;
  const [zoom, lat, lon] = numbers;
  return Math.abs(lat) <= 90 && zoom >= 0 && zoom <= 22 ? { zoom, center: [lat, lon] } : null;
}
