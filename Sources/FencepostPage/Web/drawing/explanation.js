// The explanation of an event: a cross-section of the region's boundary, and sentences.

import { element, svgElement } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { formatDuration } from "../core/time.js";
import { text } from "../text/text.js";

/** A figure of the rule, the distance to the boundary, the accuracy and the probability of an event. */
export function explanationFigure(event) {
  const { why } = event;
  return element("figure.explanation", {},
    typeof why.distance === "number" && boundarySection(event),
    element("figcaption", {}, explanationSentences(event).map((sentence) => element("p", {}, sentence)),
      why.rule && element("p.hint", {}, text.drawing.rule(element("code", {}, why.rule)))));
}

/** The explanation in sentences. */
function explanationSentences({ why, type, detectedAt }) {
  const texts = text.drawing;
  const sentences = [text.whyRules[why.rule] ?? ""];
  if (typeof why.distance === "number") sentences.push(positionSentence(why));
  else if (why.accuracy) sentences.push(texts.accuracy(formatDistance(why.accuracy)));
  if (typeof why.probability === "number") {
    const isExit = type === "region.exited";
    const percentage = `${Math.floor((isExit ? 1 - why.probability : why.probability) * 100)}\u00a0%`;
    sentences.push(isExit ? texts.probabilityOutside(percentage)
      : type.startsWith("visit.") ? texts.probabilityOfVisit(percentage) : texts.probabilityInside(percentage));
  }
  if (why.heldBack?.length) {
    const decided = Date.parse(why.fix?.timestamp ?? detectedAt);
    const duration = formatDuration((decided - Date.parse(why.heldBack[0])) / 1000);
    sentences.push(texts.pending(duration, why.heldBack.length));
  }
  return sentences.filter(Boolean);
}

function positionSentence(why) {
  const texts = text.drawing;
  const distance = formatDistance(Math.abs(why.distance));
  const isInside = why.distance < 0;
  if (!why.accuracy) return isInside ? texts.positionInside(distance) : texts.positionOutside(distance);
  const accuracy = formatDistance(why.accuracy);
  return isInside ? texts.positionInsideWithAccuracy(distance, accuracy)
    : texts.positionOutsideWithAccuracy(distance, accuracy);
}

const [width, height, middle] = [340, 92, 46];

/** A cross-section of the boundary: inside on the left, the position, its accuracy as a bar and an ellipse. */
function boundarySection({ why }) {
  const texts = text.drawing;
  const accuracy = why.accuracy ?? 0;
  const halfWidth = Math.max(Math.abs(why.distance) + accuracy, 5) * 1.15;
  const x = (value) => width / 2 + (value / halfWidth) * (width / 2 - 10);
  const fix = x(why.distance);
  const radius = Math.max(3, x(accuracy) - x(0));
  const isInside = why.distance < 0;
  const distance = formatDistance(Math.abs(why.distance));
  const describe = isInside ? texts.sectionInside : texts.sectionOutside;
  return svgElement("svg", { class: "boundary-section", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": describe(distance, formatDistance(accuracy)) },
  svgElement("rect", { class: "section-inside", x: 0, y: 16, width: width / 2, height: height - 32 }),
  svgElement("path", { class: "section-boundary", d: `M${width / 2} 8V${height - 8}` }),
  svgElement("text", { x: 6, y: 12 }, texts.inside),
  svgElement("text", { x: width - 6, y: 12, "text-anchor": "end" }, texts.outside),
  // The ellipse is not higher than the drawing; the bar shows the full accuracy.
  svgElement("ellipse", {
    class: "section-accuracy", cx: fix, cy: middle, rx: radius, ry: Math.min(radius, middle - 18),
  }),
  svgElement("path", { class: "section-accuracy-bar",
    d: `M${fix - radius} ${middle - 5}v10m0 -5H${fix + radius}m0 -5v10` }),
  svgElement("path", { class: "section-distance", d: `M${width / 2} ${height - 18}H${fix}` }),
  svgElement("circle", { class: "section-fix", cx: fix, cy: middle, r: 4.5 }),
  svgElement("text", {
    x: Math.max(34, Math.min(width - 34, (fix + width / 2) / 2)), y: height - 4, "text-anchor": "middle",
  }, isInside ? texts.distanceInside(distance) : texts.distanceOutside(distance)));
}
