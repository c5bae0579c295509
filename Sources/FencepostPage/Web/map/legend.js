// The legend: what the signs on the map mean, and which keys do what.

import { element } from "../core/dom.js";
import { text } from "../text/text.js";

const texts = text.map.legend;
/** The content of the signs that have one, by their class. */
const contents = { cluster: "24" };

/** Creates the legend of a map. Returns a function that shows or hides it. */
export function makeLegend(map) {
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
    legend.replaceChildren(...content());
    legend.hidden = false;
    legend.focus();
  };
}
