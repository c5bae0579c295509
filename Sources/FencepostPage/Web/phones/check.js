// What is good and what is wrong with the first location of a phone.

import { formatDistance } from "../core/format.js";
import { formatDuration } from "../core/time.js";

/** Metres; a larger accuracy makes entries late and visits vague. */
const poorAccuracy = 100;
/** Metres per second, on foot. */
const walkingSpeed = 1.4;

/**
 * The findings about a location.
 * @param {object} location the device's `lastLocation`
 * @param {object} context `now`: milliseconds; `interval`: seconds between two locations, or null; `regions`: features.
 * @returns {{tone: "good"|"warn", text: string}[]} the good one first; only it, when nothing is wrong.
 */
export function findingsAbout(location, { now, interval, regions }) {
  const findings = [{ tone: "good", text: "The first location has arrived." }];
  const warn = (text) => findings.push({ tone: "warn", text });
  const accuracy = location.horizontalAccuracy;
  if (accuracy === undefined || accuracy === null) {
    warn("It has no accuracy, so its distance to a boundary is uncertain. Let the app send the accuracy.");
  } else if (accuracy > poorAccuracy) {
    warn(`Its accuracy is ${formatDistance(accuracy)}. Allow the app the precise location, and try it outdoors.`);
  }
  const age = (now - Date.parse(location.timestamp)) / 1000;
  if (age > 300) {
    warn(`It is ${formatDuration(age)} old. Either the phone's clock is wrong, or it sent what it had kept; `
      + "then the next one is newer.");
  } else if (age < -60) {
    warn(`It is ${formatDuration(-age)} in the future: the clock of the phone or of this computer is wrong.`);
  }
  const smallest = smallestCircle(regions);
  const crossing = smallest && 2 * smallest.radius / walkingSpeed;
  if (interval !== null && smallest && interval > crossing) {
    warn(`A walker crosses ${smallest.name} in ${formatDuration(crossing)}, and the app sends every `
      + `${formatDuration(interval)}: an entry can be missed. Choose a shorter interval or a larger region.`);
  }
  return findings;
}

function smallestCircle(regions) {
  let smallest = null;
  for (const { id, properties } of regions) {
    const radius = properties?.radius;
    if (radius > 0 && (!smallest || radius < smallest.radius)) smallest = { radius, name: properties.name ?? id };
  }
  return smallest;
}

/** What a record says that the service did not store. */
export const refusal = (record) => ({ tone: "warn", text: `A location was refused: ${record.detail}.` });
