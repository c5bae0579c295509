import { plural } from "./common.js";

/** The English texts of the explanation of an event. The sentences for its rule are in `why-rules.js`. */
export const drawing = {
  rule: (code) => ["Rule ", code],
  inside: "inside",
  outside: "outside",
  distanceInside: (distance) => `${distance} inside`,
  distanceOutside: (distance) => `${distance} outside`,
  sectionInside: (distance, accuracy) =>
    `Cross-section of the boundary: the position is ${distance} inside, ± ${accuracy}`,
  sectionOutside: (distance, accuracy) =>
    `Cross-section of the boundary: the position is ${distance} outside, ± ${accuracy}`,
  positionInside: (distance) => `The position is ${distance} inside the boundary.`,
  positionOutside: (distance) => `The position is ${distance} outside the boundary.`,
  positionInsideWithAccuracy: (distance, accuracy) =>
    `The position is ${distance} inside the boundary, with an accuracy of ± ${accuracy}.`,
  positionOutsideWithAccuracy: (distance, accuracy) =>
    `The position is ${distance} outside the boundary, with an accuracy of ± ${accuracy}.`,
  accuracy: (accuracy) => `The accuracy of the position is ± ${accuracy}.`,
  probabilityInside: (percentage) => `Probability that the device is inside, after this position: ${percentage}.`,
  probabilityOutside: (percentage) => `Probability that the device is outside, after this position: ${percentage}.`,
  probabilityOfVisit: (percentage) => `Probability of the visit: ${percentage}.`,
  pending: (duration, positions) =>
    `The decision was pending for ${duration}, over ${plural(positions, "earlier position")}.`,
};
