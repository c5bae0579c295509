import { s } from "../core/dom.js";

const sprite = new URL("outcomes.svg", import.meta.url);

/** The shape of what became of an event, for a line that says the same in words. */
export const outcomeMark = (outcome) => s("svg", { class: "outcome", viewBox: "0 0 20 20", "aria-hidden": "true" },
  s("use", { href: `${sprite.pathname}#mark-${outcome}` }));
