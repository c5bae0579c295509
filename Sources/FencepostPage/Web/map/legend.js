// The legend: what the signs on the map mean, and which keys do what.

import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";

const texts = text.map.legend;
/** The colours of a region's sign. */
const colorOf = (name) => ({ "--region": `var(--${name})`, "--region-fill": `rgb(from var(--${name}) r g b / 15%)` });
/** The content of the signs that have one, by their class. */
const contents = { cluster: "24" };

/**
 * Creates the legend of a map. Returns a function that shows or hides it.
 * @param {any} map
 * @param {import("../state/tag-colors.js").TagColors} tagColors
 */
export function makeLegend(map, tagColors) {
  const row = (node, meaning) => [element("dt", {}, node), element("dd", {}, meaning)];
  const sign = (name) => element(`span.sign.${name}`, { "aria-hidden": true }, contents[name]);
  // Empty while it is hidden. It stays in the map, because Leaflet looks for the parent of what had the focus.
  const close = () => {
    legend.hidden = true;
    legend.replaceChildren();
  };
  const legend = element("section.legend", {
    hidden: true, tabindex: "-1", "aria-label": texts.title, onKeydown: (event) => event.key === "Escape" && close(),
  });
  const content = () => [
    element("header", {}, element("h2", {}, texts.title),
      element("button.quiet", { type: "button", "aria-label": texts.close, onClick: close }, "✕")),
    element("dl", {}, Object.entries(texts.signs).map(([name, meaning]) => row(sign(name), meaning))),
    tagColors.all.length > 0 && [element("h3", {}, texts.tagsTitle), element("dl", {}, tagColors.all.map(
      ({ tag, color }) => row(element("span.sign.region", { "aria-hidden": true, style: colorOf(color) }), tag)))],
    element("h3", {}, texts.keysTitle),
    element("dl", {}, Object.values(texts.keys).map(({ keys, use }) => row(element("kbd", {}, keys), use))),
  ];
  // Clicks and turns of the wheel are not for the map below.
  for (const name of ["click", "dblclick", "mousedown", "pointerdown", "wheel"]) {
    legend.addEventListener(name, (event) => event.stopPropagation());
  }
  map.getContainer().append(legend);
  return () => {
    if (!legend.hidden) {
      close();
      return;
    }
    setChildren(legend, content());
    legend.hidden = false;
    legend.focus();
  };
}
