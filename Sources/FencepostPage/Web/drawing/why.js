import { h } from "../core/dom.js";
import { moment } from "../core/time.js";
import { meters } from "../core/words.js";

/** Why an event was given, in words: the rule, the distance to the boundary, the accuracy, how sure. */
export function whyFigure(event) {
  const { why } = event;
  const lines = [];
  if (why.distance !== undefined && why.distance !== null) {
    const side = why.distance < 0 ? "inside" : "outside";
    lines.push(`${meters(Math.abs(why.distance))} ${side} the boundary`
      + (why.accuracy ? `, known to ± ${meters(why.accuracy)}` : ""));
  }
  if (typeof why.probability === "number") lines.push(`${Math.floor(why.probability * 100)} % sure`);
  if (why.heldBack?.length) {
    lines.push(`waited for more than one fix: ${why.heldBack.length} were held back, the first at `
      + moment(why.heldBack[0].timestamp ?? why.heldBack[0]));
  }
  return h("div.why", {}, h("p", {}, lines.join("; ") || "Nothing more is known."),
    why.rule && h("p.hint", {}, h("code", {}, why.rule)));
}
