// The legend: what the signs on the map mean, and which keys do what.

import { element } from "../core/dom.js";

const signs = [
  ["outside", "device outside all regions"],
  ["inside", "device inside a region"],
  ["old", "no location for 15 minutes"],
  ["moving", "device that moves, and where to"],
  ["accuracy", "accuracy of the location"],
  ["cluster", "number of devices close together; a click zooms in", "24"],
  ["region", "region"],
];

const keys = [
  ["Arrows", "move the map that has the focus"],
  ["+ and −", "zoom"],
  ["Tab", "go on to the next button or field"],
  ["Arrows on a corner", "move the corner of a region that is drawn"],
  ["Delete on a corner", "remove it"],
  ["Space", "start or stop the playback of History"],
  ["+, − and 0", "zoom the time line of History that has the focus; 0 shows all"],
  ["Esc", "close this list"],
];

/** Creates the legend of a map. Returns a function that shows or hides it. */
export function makeLegend(map) {
  const rows = (entries, cell) => entries.flatMap((entry) => [
    element("dt", {}, cell(entry)), element("dd", {}, entry[1]),
  ]);
  const sign = ([name, , text]) => element(`span.sign.${name}`, { "aria-hidden": true }, text ?? null);
  // Empty while it is hidden. It stays in the map, because Leaflet looks for the parent of what had the focus.
  const close = () => {
    legend.hidden = true;
    legend.replaceChildren();
  };
  const legend = element("section.legend", {
    hidden: true, tabindex: "-1", "aria-label": "Legend", onKeydown: (event) => event.key === "Escape" && close(),
  });
  const content = () => [
    element("header", {}, element("h2", {}, "Legend"),
      element("button.quiet", { type: "button", "aria-label": "Close the legend", onClick: close }, "✕")),
    element("dl", {}, rows(signs, sign)),
    element("h3", {}, "Keys"),
    element("dl", {}, rows(keys, ([key]) => element("kbd", {}, key))),
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
