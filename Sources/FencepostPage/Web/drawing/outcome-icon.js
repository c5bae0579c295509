import { svgElement } from "../core/dom.js";

const sprite = new URL("outcomes.svg", import.meta.url);

/** The icon of an outcome; the text next to it says the same. */
export const outcomeIcon = (outcome) =>
  svgElement("svg", { class: "outcome-icon", viewBox: "0 0 20 20", "aria-hidden": "true" },
    svgElement("use", { href: `${sprite.pathname}#mark-${outcome}` }));
