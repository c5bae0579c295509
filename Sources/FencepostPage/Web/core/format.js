// Numbers and quantities as text.

import { locale } from "../text/choice.js";
import { text } from "../text/text.js";
import { measureDistance, measureSpeed } from "./units.js";

/** Formats by the number of decimals. @type {Map<number, Intl.NumberFormat>} */
const numbers = new Map();

/** A number with so many decimals, in the language of the page: `6.5`, in German `6,5`. */
export function formatNumber(value, decimals = 0) {
  let format = numbers.get(decimals);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false,
    });
    numbers.set(decimals, format);
  }
  return format.format(value);
}

/** A distance in metres, in the chosen units: `0 m`, `6.5 m`, `120 m`, `1.2 km`; `21 ft`, `394 ft`, `0.7 mi`. */
export function formatDistance(meters) {
  const [value, unit] = measureDistance(meters);
  return `${formatNumber(value, value >= 10 || value === 0 ? 0 : 1)} ${text.common.units[unit]}`;
}

/** A speed in metres per second, in the chosen units: `48 km/h`, `30 mph`. */
export function formatSpeed(metersPerSecond) {
  const [value, unit] = measureSpeed(metersPerSecond);
  return `${formatNumber(value, metersPerSecond < 3 ? 1 : 0)} ${text.common.units[unit]}`;
}

/** A size of a file: `480 kB`, `1.2 MB`. */
export function formatBytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${formatNumber(value, value >= 10 || unit === 0 ? 0 : 1)} ${text.common.units[units[unit]]}`;
}

const compassPoints = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/** A course in degrees clockwise from north: `SW 224°`. */
export const formatHeading = (degrees) =>
  `${text.common.compass[compassPoints[Math.round(degrees / 45) % 8]]} ${degrees.toFixed(0)}°`;
