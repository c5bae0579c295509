// Light or dark: as the system is, or as the switch says.

import { Observable } from "./observable.js";

const key = "fencepost.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** `system`, `light` or `dark`. */
export const theme = new Observable(localStorage.getItem(key) ?? "system");

/** Tells when the colours have changed, for what draws with them. */
export const colors = new Observable({});

function apply() {
  const choice = theme.value;
  document.documentElement.dataset.theme = choice === "system" ? (system.matches ? "dark" : "light") : choice;
  // Canvas cannot read custom properties by itself.
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  colors.value = Object.fromEntries(canvasColors.map((name) => [name, read(name)]));
}

const canvasColors = [
  "sea", "land", "coast", "border", "graticule", "place", "region", "region-fill", "region-lit", "region-lit-fill",
  "region-shut", "device", "device-old", "device-inside", "device-ring", "halo", "label", "accent", "signal", "track",
  "visit", "ground",
];

export function startTheme() {
  system.addEventListener("change", apply);
  theme.watch((choice) => {
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
    apply();
  });
}

/** Whether things may move by themselves. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
