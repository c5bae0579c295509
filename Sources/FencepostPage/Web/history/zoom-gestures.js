/** The wheel doubles the time that is shown after so many pixels. */
const pixelsPerDoubling = 240;
/** Pixels of a line, for wheels that report lines. */
const lineHeight = 18;

/**
 * Zooms a time line with the wheel and with two fingers, and seeks with one.
 * @param {(clientX: number) => number} timeAt the time at a position of the screen; NaN without one.
 */
export function addZoomGestures(lanes, view, timeAt, { onSeek }) {
  lanes.addEventListener("wheel", (event) => {
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? lineHeight : 1;
    const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      if (!view.isPart) return;
      event.preventDefault();
      view.move((sideways * scale) / lanes.clientWidth);
      return;
    }
    // Where the lanes or the panel scroll, the wheel does that; with Ctrl, as for a gesture on a touch pad, it zooms.
    if (!event.ctrlKey && scrolls(lanes)) return;
    event.preventDefault();
    view.zoom(2 ** ((event.deltaY * scale) / pixelsPerDoubling), timeAt(event.clientX));
  }, { passive: false });

  /** The positions of the fingers or of the pressed pointer by id. */
  const pointers = new Map();
  let isPinch = false;
  lanes.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button, .lane-title") || event.button !== 0) return;
    if (!pointers.size) isPinch = false;
    pointers.set(event.pointerId, event.clientX);
    lanes.setPointerCapture(event.pointerId);
    if (pointers.size === 1) onSeek(event.clientX);
    else isPinch = true;
  });
  lanes.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    // The second finger leaves the time where the first one has put it.
    if (!isPinch) {
      pointers.set(event.pointerId, event.clientX);
      onSeek(event.clientX);
      return;
    }
    const before = [...pointers.values()];
    pointers.set(event.pointerId, event.clientX);
    if (pointers.size !== 2) return;
    const now = [...pointers.values()];
    const [was, is] = [before, now].map(([a, b]) => Math.max(24, Math.abs(a - b)));
    const middle = (now[0] + now[1]) / 2;
    const time = timeAt((before[0] + before[1]) / 2);
    view.zoom(was / is, time);
    view.move((time - timeAt(middle)) / view.span);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    lanes.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
}

/** Whether the wheel can scroll a part of the page around an element. */
function scrolls(node) {
  for (let parent = node; parent && parent !== document.body; parent = parent.parentElement) {
    if (parent.scrollHeight > parent.clientHeight + 1 && getComputedStyle(parent).overflowY !== "visible") return true;
  }
  return false;
}
