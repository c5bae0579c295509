// The panel on a narrow screen: a bottom sheet over the map with three heights. On a wide screen the panel is next to
// the map and has no handle.

import { text } from "../text/text.js";

const heights = ["low", "half", "full"];

export function makeBottomSheet(app) {
  const panel = document.getElementById("panel");
  const handle = document.getElementById("sheet-handle");

  const set = (height) => {
    panel.dataset.height = height;
    handle.setAttribute("aria-expanded", String(height !== "low"));
    handle.setAttribute("aria-label", height === "full" ? text.shell.collapsePanel : text.shell.expandPanel);
  };
  set("half");
  /** Sets the height of the sheet: "low" shows the map, "half" shows both, "full" shows the panel. */
  app.setSheetHeight = set;

  handle.addEventListener("click", () => {
    if (wasDragged) return;
    set(heights[(heights.indexOf(panel.dataset.height) + 1) % heights.length]);
  });
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(heights[Math.max(0, Math.min(2, heights.indexOf(panel.dataset.height) + step))]);
  });

  let start = null;
  let wasDragged = false;
  handle.addEventListener("pointerdown", (event) => {
    start = { y: event.clientY, height: panel.getBoundingClientRect().height };
    wasDragged = false;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointermove", (event) => {
    if (!start) return;
    const moved = start.y - event.clientY;
    if (Math.abs(moved) > 6) wasDragged = true;
    if (wasDragged) {
      panel.classList.add("dragged");
      panel.style.setProperty("--sheet", `${start.height + moved}px`);
    }
  });
  const drop = () => {
    if (!start) return;
    start = null;
    if (!wasDragged) return;
    const fraction = panel.getBoundingClientRect().height / innerHeight;
    panel.classList.remove("dragged");
    panel.style.removeProperty("--sheet");
    set(fraction < 0.28 ? "low" : fraction < 0.68 ? "half" : "full");
  };
  handle.addEventListener("pointerup", drop);
  handle.addEventListener("pointercancel", drop);
}
