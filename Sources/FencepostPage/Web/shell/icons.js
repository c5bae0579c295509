import { svgElement } from "../core/dom.js";

/** The icons of the tabs. */
const paths = {
  live: "M8 8.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.500 14a5.500 5.500 0 0 1 11 0",
  regions: "M8 14.500s5-4.800 5-8.500A5 5 0 0 0 3 6c0 3.700 5 8.500 5 8.500z"
    + "M8 7.700a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400z",
  history: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.500V8l2.500 1.500",
  reports: "M2.500 14h11M4 14V9M8 14V3M12 14V6.500",
};

/** The icon of a tab. */
export const tabIcon = (id) => svgElement("svg", { class: "tab-icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
  svgElement("path", { d: paths[id] }));
