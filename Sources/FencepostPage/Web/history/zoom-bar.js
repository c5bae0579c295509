import { element } from "../core/dom.js";
import { formatHourMinute } from "../core/time.js";
import { zonedFormat } from "../core/zone.js";
import { text } from "../text/text.js";

const texts = text.history.zoom;
const weekday = zonedFormat({ weekday: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
/** A press on a button or a key shows half as much, or twice as much. */
const factor = 0.5;

/** The buttons that zoom and move the time line, with the time that it shows. */
export function zoomBar(playback, view) {
  const button = (label, sign, onClick) =>
    element("button.icon-only.quiet", { type: "button", "aria-label": label, title: label, onClick }, sign);
  // Around the playback time, so that it stays visible.
  const zoom = (by) => view.zoom(by, isVisible() ? playback.time.value : undefined);
  const isVisible = () => playback.time.value >= view.from && playback.time.value <= view.to;
  const earlier = button(texts.earlier, "‹", () => view.move(-0.5));
  const later = button(texts.later, "›", () => view.move(0.5));
  const out = button(texts.out, "−", () => zoom(1 / factor));
  const into = button(texts.in, "+", () => zoom(factor));
  const whole = element("button.quiet", { type: "button", onClick: () => view.reset() }, texts.showAll);
  const shown = element("output.shown-time");
  const root = element("div.zoom-bar", { role: "group", "aria-label": texts.label },
    shown, earlier, later, out, into, whole);
  const disable = (node, isDisabled) => {
    // A disabled button would lose the focus, and with it the keys.
    node.setAttribute("aria-disabled", String(isDisabled));
  };
  view.changes.watch(() => {
    disable(earlier, !view.canMove.earlier);
    disable(later, !view.canMove.later);
    disable(out, !view.isPart);
    disable(whole, !view.isPart);
    disable(into, !view.canZoomIn);
    const day = playback.day;
    const format = (time) => (day && day.to - day.from > 100_000_000 ? weekday(time) : formatHourMinute(time));
    shown.textContent = view.isPart ? text.history.span(format(view.from), format(view.to)) : "";
  });
  return {
    element: root,
    /** The keys +, − and 0 for an element that has the focus within. */
    addKeysTo(node) {
      node.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select")) return;
        if (event.key === "+" || event.key === "=") zoom(factor);
        else if (event.key === "-" || event.key === "−") zoom(1 / factor);
        else if (event.key === "0") view.reset();
        else return;
        event.preventDefault();
      });
    },
  };
}
