// The panel on a phone: a sheet over the map that is low, half or nearly the whole height. Beside the map it does not
// move, and the grip is not there.

const heights = ["low", "half", "full"];

export function makeSheet(app) {
  const panel = document.getElementById("panel");
  const grip = document.getElementById("grip");

  const set = (height) => {
    panel.dataset.height = height;
    grip.setAttribute("aria-expanded", String(height !== "low"));
    grip.setAttribute("aria-label", height === "full" ? "Make the panel lower" : "Make the panel higher");
  };
  set("half");
  /** Makes room: "low" to see the map, "half" to see both. */
  app.setSheet = set;

  grip.addEventListener("click", () => {
    if (wasDragged) return;
    set(heights[(heights.indexOf(panel.dataset.height) + 1) % heights.length]);
  });
  grip.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(heights[Math.max(0, Math.min(2, heights.indexOf(panel.dataset.height) + step))]);
  });

  let start = null;
  let wasDragged = false;
  grip.addEventListener("pointerdown", (event) => {
    start = { y: event.clientY, height: panel.getBoundingClientRect().height };
    wasDragged = false;
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointermove", (event) => {
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
    const share = panel.getBoundingClientRect().height / innerHeight;
    panel.classList.remove("dragged");
    panel.style.removeProperty("--sheet");
    set(share < 0.28 ? "low" : share < 0.68 ? "half" : "full");
  };
  grip.addEventListener("pointerup", drop);
  grip.addEventListener("pointercancel", drop);
}
