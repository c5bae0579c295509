import { svgElement } from "../core/dom.js";
import { iconOf } from "../core/event-types.js";

// The icons of event types. Each has its own shape, for example an arrow towards a line or away from it.
const paths = {
  in: "M2 8h8M7 5l3 3-3 3M13 2v12",
  out: "M3 2v12M6 8h8M11 5l3 3-3 3",
  dwell: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.500l2.500 1.500",
  arrive: "M8 14s5-4.500 5-8A5 5 0 0 0 3 6c0 3.500 5 8 5 8zM6 6l1.500 1.500L10.200 5",
  depart: "M8 14s5-4.500 5-8A5 5 0 0 0 3 6c0 3.500 5 8 5 8zM6 6h4.500",
  stale: "M2 8h2M7 8h2M12 8h2",
  recover: "M1.500 8h3l2-4 3 8 2-4h3",
  launch: "M8 2v6M4.800 4.300a5 5 0 1 0 6.400 0",
  alarm: "M8 2 1.500 13.500h13zM8 6.500V10M8 12v.100",
  clear: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.200 8.200l2 2 3.600-4",
  test: "M3 8.500 6.500 12 13 4",
};

/** The icon of an event. @param {{type: string, alert?: {state: string}}} event */
export function eventIcon(event) {
  const kind = iconOf(event);
  return svgElement("svg", { class: `event-icon ${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    svgElement("path", { d: paths[kind] }));
}
