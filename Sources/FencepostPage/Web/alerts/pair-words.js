// Proximity rules in words.

import { formatDistance } from "../core/format.js";
import { formatDuration } from "../core/time.js";
import { text } from "../text/text.js";

/** @typedef {import("../../Types/api").ProximityRule} ProximityRule */

const listOf = (value) => (typeof value === "string" ? [value] : value ?? []);

/** Devices of one side, or undefined where none are named. */
function sideOf(devices, groups, names) {
  if (!devices && !groups) return undefined;
  const named = [...listOf(groups).map(text.alerts.group), ...listOf(devices).map(names.device)];
  return named.length ? text.alerts.devices(named) : text.alerts.noDevice;
}

/** The hours of a rule as the form has them, such as `Mon-Fri 08:00-18:00`. */
export const hoursText = (hours) => (typeof hours === "string" ? hours : (hours?.weekly ?? []).join(", "));

/**
 * A rule in a sentence, such as “Jane within 100 m of Rex”.
 * @param {ProximityRule} rule
 * @param {{device: (id: string) => string}} names
 */
export function pairSentence(rule, names) {
  const texts = text.alerts.pairs;
  const [who, others] = [
    sideOf(rule.devices, rule.groups, names), sideOf(rule.others, rule.otherGroups, names),
  ];
  const parts = [texts.sentence(who ?? text.alerts.everyDevice, others, formatDistance(rule.distance))];
  if (rule.dwell) parts.push(texts.dwells(formatDuration(rule.dwell)));
  if (rule.unaccompanied) parts.push(texts.leaves);
  if (rule.hours) parts.push(hoursText(rule.hours));
  return parts.join(", ");
}
