// What the card of a device says about its fence.

import { formatDistance } from "../core/format.js";
import { formatDateTime } from "../core/time.js";
import { text } from "../text/text.js";

/**
 * The state of a fence in words.
 * @param {import("../../Types/api").FenceState | null | undefined} fence
 */
export function fenceState(fence) {
  const { none, obstacles, states } = text.live.fence;
  if (!fence) return none;
  if (fence.state === "armed") return states.armed(formatDateTime(fence.armedAt), formatDistance(fence.radius));
  if (fence.state === "broken") return states.broken(formatDateTime(fence.brokenAt));
  const reason = obstacles[fence.obstacle];
  return reason ? `${states[fence.state]}: ${reason}` : states[fence.state];
}

/**
 * The first opening of a schedule, as the form has it: days, from and to. The default is each night.
 * @param {{weekly: string[]} | null | undefined} schedule
 */
export function openingOf(schedule) {
  const [, days = "", from = "22:00", to = "06:00"] =
    schedule?.weekly[0]?.match(/^(?:(\S+) )?(\d\d:\d\d)-(\d\d:\d\d)$/) ?? [];
  return { days, from, to };
}
