// How each way to travel is drawn, on the map and as a sample in lists: by its colour and by its pattern.

import { svgElement } from "../core/dom.js";

/** Dashes in pixels, with round ends: `[0, 6]` are dots. Driving, and what no trip has, is a solid line. */
const dashes = {
  still: [0, 8], walking: [0, 6], cycling: [7, 6], driving: [], rail: [12, 6, 0, 6], air: [18, 9],
};

/** Time without positions. */
export const unknownDash = [2, 7];

/** The modes in the order in which they are drawn. */
export const modes = Object.keys(dashes);

/** The pattern of a mode; a mode that this page does not know is solid. */
export const dashOf = (mode) => dashes[mode] ?? [];

/** The CSS custom property with the colour of a mode, without the dashes before it. */
export const colorNameOf = (mode) => (mode in dashes ? `mode-${mode}` : "track");

/** A sample of the line of a mode, or of time without data. */
export function lineSample(mode) {
  const dash = mode === "unknown" ? unknownDash : dashOf(mode);
  return svgElement("svg", { class: `line-sample mode-${mode}`, viewBox: "0 0 24 24", "aria-hidden": "true" },
    svgElement("path", { d: "M3 12h18", "stroke-dasharray": dash.length ? dash.join(" ") : null }));
}
