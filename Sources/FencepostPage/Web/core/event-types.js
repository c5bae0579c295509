// The types of events: how the page words them, and which icon it draws.

import { text } from "../text/text.js";
import { formatDistance } from "./format.js";
import { profiles } from "./profiles.js";
import { formatDuration } from "./time.js";
import { convertValue } from "./units.js";

/** Every type of event, with the name of its icon. Each icon has its own shape, not only a colour. */
const icons = {
  "region.entered": "in",
  "region.exited": "out",
  "region.dwelled": "dwell",
  "visit.arrived": "arrive",
  "visit.departed": "depart",
  "device.stale": "stale",
  "device.recovered": "recover",
  "app.relaunched": "launch",
  "alert.speed": "alarm",
  "alert.battery": "alarm",
  "alert.accuracy": "alarm",
  "alert.jump": "alarm",
  "alert.unplugged": "alarm",
  "alert.absent": "alarm",
  "alert.present": "alarm",
  "alert.silent": "alarm",
  "fence.armed": "dwell",
  "fence.broken": "alarm",
  "fence.disarmed": "clear",
  "proximity.entered": "in",
  "proximity.exited": "out",
  "proximity.dwelled": "dwell",
  "proximity.unaccompanied": "alarm",
  "plan.visited": "arrive",
  "plan.late": "alarm",
  "plan.missed": "alarm",
  "plan.completed": "clear",
  "endpoint.disabled": "alarm",
  "delivery.exhausted": "alarm",
  "webhook.test": "test",
  "report.ready": "test",
};

export const eventTypes = Object.keys(icons);

/** What happened in events of a type, without the subject. */
export const eventVerb = (type) => text.common.events.verbs[type] ?? type;

/** The icon of an event: an alert that has ended looks otherwise than one that has started. */
export const iconOf = ({ type, alert }) => (alert?.state === "ended" ? "clear" : icons[type] ?? "test");

/** One sentence about an alert, such as “van drives too fast at Depot: 92 km/h, limit 80 km/h”. */
function alertSentence(subject, event, region) {
  const { alerts, alertsEnded, withLimit, withValue, withValueAndLimit } = text.common.events;
  const { state, value, limit, unit } = event.alert;
  const write = (state === "ended" && alertsEnded[event.type]) || alerts[event.type];
  if (unit === "s") return write(subject, region, formatDuration(state === "ended" ? value : limit));
  const sentence = write(subject, region);
  if (value !== undefined && limit !== undefined) {
    return withValueAndLimit(sentence, formatMeasure(value, unit), formatMeasure(limit, unit));
  }
  if (value !== undefined) return withValue(sentence, formatMeasure(value, unit));
  return limit === undefined ? sentence : withLimit(sentence, formatMeasure(limit, unit));
}

/** A value of an alert with its unit; one without a unit is a part of the whole. */
function formatMeasure(number, unit) {
  if (!unit) return `${Math.round(number * 100)} %`;
  const [value, name] = convertValue(number, unit);
  return `${value} ${text.common.units[name] ?? name}`;
}

/**
 * One sentence about an event, for lists and screen readers.
 * @param {import("../../Types/api").Event} event
 * @param {(id: string) => string} [nameOf] the name of a region.
 */
export function eventSentence(event, nameOf = (id) => id) {
  const texts = text.common.events;
  const { alerts, fenceBroken, inRegion, other, otherInRegion, pairs, sentences, service, visits } = texts;
  const { type } = event;
  const device = event.deviceId === undefined ? undefined : profiles.nameOf(event.deviceId);
  const subject = device ?? event.endpoint?.id ?? event.schedule?.name ?? service;
  const region = event.region && (event.region.name ?? nameOf(event.region.id));
  if (event.alert && alerts[type]) return alertSentence(subject, event, region);
  if (event.fence?.distance !== undefined) return fenceBroken(subject, formatDistance(event.fence.distance));
  if (event.proximity && pairs[type]) {
    const { distance, otherDeviceId } = event.proximity;
    return pairs[type](subject, profiles.nameOf(otherDeviceId), formatDistance(distance),
      formatDuration(event.dwell ?? 0));
  }
  if (event.plan?.visited !== undefined) {
    return texts.roundOver({ ...event.plan, device: subject, plan: event.plan.name ?? event.plan.id });
  }
  if (event.region) return inRegion[type]?.(subject, region) ?? otherInRegion(subject, eventVerb(type), region);
  if (event.visit?.regions?.length && visits[type]) {
    return visits[type](subject, event.visit.regions.map(nameOf).join(", "));
  }
  return sentences[type]?.(subject) ?? other(subject, eventVerb(type));
}
