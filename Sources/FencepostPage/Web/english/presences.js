import { plural } from "./common.js";

/** The English texts of the question who was in an area. */
export const presences = {
  title: "Who was here",
  open: "Who was here?",
  about: "Draw an area, and see which devices were in it, as if it had been a region.",
  shape: "Shape of the area",
  shapes: { circle: "Circle", polygon: "Polygon" },
  from: "From",
  to: "To",
  endsBefore: "The end has to be after the beginning.",
  ask: "Ask",
  asking: "Reading the stored locations …",
  close: "Close",
  notAnswered: "There is no answer",
  nobody: "Nobody was here",
  nobodyHint: "No stored location shows a device in this area in this time.",
  found: (count, isMore) => (isMore ? `These are the first ${plural(count, "stay")}.` : `${plural(count, "stay")}.`),
  showMore: "Show more",
  /** When a device was there, and with which certainty in per cent, as far as that is known. */
  presence: ({ arrival, departure, duration, sure }) => [
    arrival && departure ? `${arrival} to ${departure}` : arrival ? `since ${arrival}` : `until ${departure}`,
    duration, sure && `${sure} % sure`,
  ].filter(Boolean).join(", "),
};
