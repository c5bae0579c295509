// Alert rules in words.

import { convertValue, isImperial, measureDistance } from "../core/units.js";
import { formatDuration } from "../core/time.js";
import { text } from "../text/text.js";

/** @typedef {import("../../Types/api").AlertRule} AlertRule */

/**
 * What the names of devices and regions are.
 * @typedef {{device: (id: string) => string, region: (id: string) => string}} Names
 */

const listOf = (value) => (typeof value === "string" ? [value] : value ?? []);
const rounded = (value) => String(Math.round(value * 10) / 10);

/**
 * A speed as the API writes it, such as `90 km/h`, as its value and its unit.
 * @returns {[number, string]}
 */
export function speedParts(speed) {
  if (typeof speed === "number") return [speed, "km/h"];
  const [value, unit = "km/h"] = String(speed).split(" ");
  return [Number(value), unit];
}

/** Metres per second of each unit of speeds. */
const inMetersPerSecond = { "km/h": 1 / 3.6, "mph": 0.44704, knots: 1852 / 3600, "m/s": 1 };

/** A speed as a field in km/h or mph has it. */
export function fieldSpeed(speed) {
  const [value, unit] = speedParts(speed);
  const fieldUnit = isImperial() ? "mph" : "km/h";
  return rounded((value * inMetersPerSecond[unit]) / inMetersPerSecond[fieldUnit]);
}

function speedText(speed) {
  const [value, unit] = convertValue(...speedParts(speed));
  return `${rounded(value)} ${text.common.units[unit] ?? unit}`;
}

function distanceText(meters) {
  const [value, unit] = measureDistance(meters);
  return `${rounded(value)} ${text.common.units[unit] ?? unit}`;
}

/** Who a rule watches. A rule with an empty list and no group watches nobody. */
function whoOf(rule, names) {
  const texts = text.alerts;
  if (!rule.devices && !rule.groups) return texts.everyDevice;
  const watched = [...listOf(rule.groups).map(texts.group), ...listOf(rule.devices).map(names.device)];
  return watched.length ? texts.devices(watched) : texts.noDevice;
}

function aboveOf(rule) {
  switch (rule.type) {
    case "speed": case "jump": return speedText(rule.above);
    case "accuracy": return distanceText(rule.above);
    case "silent": return rule.above ? formatDuration(rule.above) : "";
    default: return "";
  }
}

/**
 * A rule in a sentence, such as “Group vans faster than 90 km/h for 10 s”.
 * @param {AlertRule} rule
 * @param {Names} names
 */
export const ruleSentence = (rule, names) => text.alerts.sentences[rule.type]({
  who: whoOf(rule, names), above: aboveOf(rule), below: `${Math.round((rule.below ?? 0) * 100)} %`,
  duration: rule.for ? formatDuration(rule.for) : "", region: rule.region ? names.region(rule.region) : "",
  time: rule.by ?? rule.at ?? "", zone: rule.timeZone ?? "",
  days: daysOf(rule.days) ? text.alerts.days(daysOf(rule.days)) : "",
});

/** Days as the form offers them: those of every day are an empty text. */
export function daysOf(days) {
  const known = { "Mon,Tue,Wed,Thu,Fri,Sat,Sun": "", "Mon,Tue,Wed,Thu,Fri": "Mon-Fri" };
  return known[days ?? ""] ?? days ?? "";
}

/**
 * The devices that alert now, by the id of their rule.
 * @param {{id: string, alerts: {rule: string, regionId?: string, since: string}[]}[]} devices
 */
export function alertsByRule(devices) {
  const byRule = new Map();
  for (const { id, alerts } of devices) {
    for (const alert of alerts) byRule.set(alert.rule, [...(byRule.get(alert.rule) ?? []), { ...alert, device: id }]);
  }
  return byRule;
}
