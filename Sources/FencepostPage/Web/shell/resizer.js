// The edge between the panel and the map, which can be dragged or moved with the arrow keys. On a narrow screen the
// panel is a bottom sheet, and there is no such edge.

import { element } from "../core/dom.js";
import { text } from "../text/text.js";

const key = "fencepost.panelWidth";
/** Pixels: the least width of the panel, the least one of the map, and what an arrow key moves. */
const [leastPanel, leastMap, step] = [320, 320, 24];

export function makeResizer(app) {
  const panel = document.getElementById("panel");
  const shell = document.getElementById("app");
  const edge = element("div.panel-edge", {
    role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": text.shell.panelWidth,
    "aria-controls": "panel", title: text.shell.panelWidth,
  });
  panel.append(edge);
  const widest = () => Math.max(leastPanel, innerWidth - leastMap);

  const set = (width) => {
    const pixels = Math.round(Math.min(widest(), Math.max(leastPanel, width)));
    shell.style.setProperty("--panel-width", `${pixels}px`);
    describe();
    app.map.invalidateSize({ animate: false });
    return pixels;
  };
  const describe = () => {
    edge.setAttribute("aria-valuemin", String(leastPanel));
    edge.setAttribute("aria-valuemax", String(widest()));
    edge.setAttribute("aria-valuenow", String(Math.round(panel.getBoundingClientRect().width)));
  };
  const keep = (width) => localStorage.setItem(key, String(width));
  const reset = () => {
    localStorage.removeItem(key);
    shell.style.removeProperty("--panel-width");
    describe();
    app.map.invalidateSize({ animate: false });
  };

  const kept = Number(localStorage.getItem(key));
  if (kept > 0) set(kept);
  else describe();

  edge.addEventListener("pointerdown", (event) => {
    edge.setPointerCapture(event.pointerId);
    event.preventDefault();
    edge.focus();
    const move = ({ clientX }) => set(clientX);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => {
      edge.removeEventListener("pointermove", move);
      keep(Math.round(panel.getBoundingClientRect().width));
    }, { once: true });
  });
  edge.addEventListener("dblclick", reset);
  edge.addEventListener("keydown", (event) => {
    const width = panel.getBoundingClientRect().width;
    const next = { ArrowLeft: width - step, ArrowRight: width + step, Home: leastPanel, End: widest() }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    keep(set(next));
  });
}
