// What is good and what is wrong with the first location of a phone.

import { formatDistance } from "../core/format.js";
import { formatDuration } from "../core/time.js";
import { text } from "../text/text.js";

/** Metres; a larger accuracy makes entries late and visits vague. */
const poorAccuracy = 100;
/** Metres per second, on foot. */
const walkingSpeed = 1.4;

/**
 * The findings about a location.
 * @param {import("../../Types/api").Location} location the device's `lastLocation`
 * @param {object} context `now`: milliseconds; `interval`: seconds between two locations, or null; `regions`: features.
 * @returns {{tone: "good"|"warn", message: string}[]} the good one first; only it, when nothing is wrong.
 */
export function findingsAbout(location, { now, interval, regions }) {
  const texts = text.phones.check;
  /** @type {{tone: "good"|"warn", message: string}[]} */
  const findings = [{ tone: "good", message: texts.arrived }];
  const warn = (message) => findings.push({ tone: "warn", message });
  const accuracy = location.horizontalAccuracy;
  if (accuracy === undefined || accuracy === null) {
    warn(texts.noAccuracy);
  } else if (accuracy > poorAccuracy) {
    warn(texts.poorAccuracy(formatDistance(accuracy)));
  }
  const age = (now - Date.parse(location.timestamp)) / 1000;
  if (age > 300) {
    warn(texts.old(formatDuration(age)));
  } else if (age < -60) {
    warn(texts.inFuture(formatDuration(-age)));
  }
  const smallest = smallestCircle(regions);
  const crossing = smallest && 2 * smallest.radius / walkingSpeed;
  if (interval !== null && smallest && interval > crossing) {
    warn(texts.tooSeldom(smallest.name, formatDuration(crossing), formatDuration(interval)));
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
export const refusal = (record) => ({ tone: "warn", message: text.phones.check.refused(record.detail) });
