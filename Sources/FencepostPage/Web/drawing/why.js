// Why an event was told, as a section across the boundary and in words.

import { h, s } from "../core/dom.js";
import { span } from "../core/time.js";
import { count, meters } from "../core/words.js";

/** What decided, by the name that the service gives to it. */
const rules = {
  clear_fix: "One fix was enough: it lies further from the boundary than it can be wrong.",
  fixes_agree: "Several fixes agreed, each taken for as much as its accuracy is worth.",
  fixes: "Its fixes were at one place over most of the shortest stay.",
  hole: "Between two fixes at one place it can only have stayed there.",
  silence: "It was last seen at one place, and has been silent since.",
  containment: "The position is inside, or outside, and accuracy is not taken into account.",
  cushion_and_stay: "As Core Location does it: beyond a cushion around the boundary, and there for a while.",
  passed_between_fixes: "Two fixes lie on two sides of the region: the way between them led through it.",
  dwell_deadline: "It was still inside when the time was up.",
  initial_state: "It was the first that was known of the device here.",
  departure: "It went further from the place than a visit allows.",
  departure_held_back: "The departure was held back for a while, in case it came back.",
  next_stay: "It settled at another place.",
  maximum_gap: "Nothing was heard for longer than a visit may be silent.",
  schedule_closed: "The region’s hours ended.",
  schedule_opened: "The region’s hours began.",
  region_deleted: "The region was deleted.",
  region_expired: "The region expired.",
};

/** The rule, the distance to the boundary, the accuracy, and how sure: as a drawing and in words. */
export function whyFigure(event) {
  const { why } = event;
  return h("figure.why", {},
    typeof why.distance === "number" && section(event),
    h("figcaption", {}, sentencesOf(event).map((text) => h("p", {}, text)),
      why.rule && h("p.hint", {}, "Rule ", h("code", {}, why.rule))));
}

/** The reasons as sentences. */
export function sentencesOf({ why, type, detectedAt }) {
  const texts = [rules[why.rule] ?? ""];
  if (typeof why.distance === "number") {
    const side = why.distance < 0 ? "inside" : "outside";
    texts.push(`The fix lies ${meters(Math.abs(why.distance))} ${side} the boundary`
      + (why.accuracy ? `, known to ± ${meters(why.accuracy)}.` : "."));
  } else if (why.accuracy) {
    texts.push(`The position is known to ± ${meters(why.accuracy)}.`);
  }
  if (typeof why.probability === "number") {
    const isExit = type === "region.exited";
    const percent = Math.floor((isExit ? 1 - why.probability : why.probability) * 100);
    const side = isExit ? "outside" : type.startsWith("visit.") ? "so" : "inside";
    texts.push(`That makes it ${side} with ${percent} %.`);
  }
  if (why.heldBack?.length) {
    const settled = Date.parse(why.fix?.timestamp ?? detectedAt);
    texts.push(`It waited for more: ${count(why.heldBack.length, "fix was", "fixes were")} held back before, the `
      + `first of them ${span((settled - Date.parse(why.heldBack[0])) / 1000)} earlier.`);
  }
  return texts.filter(Boolean);
}

const [width, height, middle] = [340, 92, 46];

/** A section across the boundary: inside on the left, the fix where it lies, its accuracy as a bar and a circle. */
function section({ why }) {
  const accuracy = why.accuracy ?? 0;
  const reach = Math.max(Math.abs(why.distance) + accuracy, 5) * 1.15;
  const x = (value) => width / 2 + (value / reach) * (width / 2 - 10);
  const fix = x(why.distance);
  const radius = Math.max(3, x(accuracy) - x(0));
  const words = `${meters(Math.abs(why.distance))} ${why.distance < 0 ? "inside" : "outside"}`;
  return s("svg", { class: "why-section", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Section across the boundary: the fix ${words}, known to ± ${meters(accuracy)}` },
  s("rect", { class: "why-inside", x: 0, y: 16, width: width / 2, height: height - 32 }),
  s("path", { class: "why-boundary", d: `M${width / 2} 8V${height - 8}` }),
  s("text", { x: 6, y: 12 }, "inside"),
  s("text", { x: width - 6, y: 12, "text-anchor": "end" }, "outside"),
  // As high as the section at most: beyond, the bar alone says how far it reaches.
  s("ellipse", { class: "why-accuracy", cx: fix, cy: middle, rx: radius, ry: Math.min(radius, middle - 18) }),
  s("path", { class: "why-reach", d: `M${fix - radius} ${middle - 5}v10M${fix - radius} ${middle}H${fix + radius}`
    + `M${fix + radius} ${middle - 5}v10` }),
  s("path", { class: "why-distance", d: `M${width / 2} ${height - 18}H${fix}` }),
  s("circle", { class: "why-fix", cx: fix, cy: middle, r: 4.5 }),
  s("text", { x: Math.max(34, Math.min(width - 34, (fix + width / 2) / 2)), y: height - 4, "text-anchor": "middle" },
    words));
}
