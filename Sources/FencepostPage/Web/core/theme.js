// The light or dark theme: the system's, or the one chosen in the menu.

import { Observable } from "./observable.js";

const key = "fencepost.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** `system`, `light` or `dark`. */
export const theme = new Observable(localStorage.getItem(key) ?? "system");

/** The current colours by name, for canvas drawing; changes with the theme. */
export const colors = new Observable(/** @type {Record<string, string>} */ ({}));

function apply() {
  const choice = theme.value;
  document.documentElement.dataset.theme = choice === "system" ? (system.matches ? "dark" : "light") : choice;
  // A canvas cannot use CSS custom properties, so their values are read here.
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  colors.value = Object.fromEntries(canvasColors.map((name) => [name, read(name)]));
}

/** The CSS custom properties that canvases use. */
const canvasColors = [
  "sea", "land", "coast", "border", "graticule", "place", "region", "region-fill", "region-active-fill", "device",
  "device-old", "device-inside", "device-ring", "halo", "label", "accent", "mark", "track", "visit", "ground",
  "tile-green", "tile-built", "tile-building", "tile-road", "tile-road-major", "tile-road-motorway", "tile-path",
  "tile-rail", "muted", "cluster", "tag-0",
  "tag-1", "tag-2", "tag-3", "tag-4", "tag-5",
  "mode-still", "mode-walking", "mode-cycling", "mode-driving", "mode-rail", "mode-air",
];

export function startTheme() {
  system.addEventListener("change", apply);
  theme.watch((choice) => {
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
    apply();
  });
}

/** Whether the user asks for reduced motion. */
export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
