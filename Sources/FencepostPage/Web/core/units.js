// The units of distances and speeds: those of the browser's language, or the ones chosen in the menu. Data and the API
// keep metres and metres per second.

import { text } from "../text/text.js";
import { Observable } from "./observable.js";

const key = "fencepost.units";

/** Countries whose people measure the way to work in miles and a garden in feet. */
const imperialCountries = ["US", "LR", "MM"];

/** Metres of the international foot and mile. */
const [foot, mile] = [0.3048, 1609.344];

/** `language` (that of the browser), `metric` or `imperial`. */
export const unitChoice = new Observable(localStorage.getItem(key) ?? "language");

/**
 * Whether the browser's language is that of a country with feet and miles: `en-US`, not `en-GB` or `de`. Some systems
 * give what is no language tag, such as `en-US@posix`, at which `Intl.Locale` throws.
 */
const isLanguageImperial = () =>
  navigator.language.split(/[^A-Za-z0-9]/).some((part) => imperialCountries.includes(part));

/** Whether distances are written in feet and miles. */
export const isImperial = () =>
  (unitChoice.value === "language" ? isLanguageImperial() : unitChoice.value === "imperial");

/** Keeps the choice for the next visits. */
export function startUnits() {
  unitChoice.watch((choice) => {
    if (choice === "language") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  });
}

/** The name of the unit of fields for lengths. */
export const lengthUnit = () => text.common.lengthUnits[isImperial() ? "imperial" : "metric"];

/** A length in metres as a number for a field, in `lengthUnit`: feet to a hundredth. */
export const fieldLength = (meters) => (isImperial() ? Math.round((meters / foot) * 100) / 100 : meters);

/** The metres of a number in a field. */
export const metersOf = (length) => (isImperial() ? length * foot : length);

/**
 * A distance in metres as a value and its unit, a key of `text.common.units`. Below a fifth of a mile, feet are the
 * usual unit.
 * @returns {[number, string]}
 */
export function measureDistance(meters) {
  if (!isImperial()) return meters >= 1000 ? [meters / 1000, "km"] : [meters, "m"];
  return meters >= mile / 5 ? [meters / mile, "mi"] : [meters / foot, "ft"];
}

/**
 * A speed in metres per second as a value and its unit, a key of `text.common.units`.
 * @returns {[number, string]}
 */
export const measureSpeed = (speed) => (isImperial() ? [(speed * 3600) / mile, "mph"] : [speed * 3.6, "km/h"]);

/** A value of an alert with the unit of its rule, in the chosen units; other units stay as they are. */
export function convertValue(value, unit) {
  if (!isImperial()) return [value, unit];
  const tenths = (number) => Math.round(number * 10) / 10;
  switch (unit) {
    case "km/h": return [tenths((value * 1000) / mile), "mph"];
    case "m/s": return [tenths((value * 3600) / mile), "mph"];
    case "m": return [tenths(value / foot), "ft"];
    default: return [value, unit];
  }
}
