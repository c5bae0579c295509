import { plural } from "./common.js";

/** The German texts of the explanation of an event. The sentences for its rule are in `why-rules.js`. */
export const drawing = {
  rule: (code) => ["Regel ", code],
  inside: "innen",
  outside: "außen",
  distanceInside: (distance) => `${distance} innen`,
  distanceOutside: (distance) => `${distance} außen`,
  sectionInside: (distance, accuracy) =>
    `Querschnitt der Grenze: die Position liegt ${distance} innen, ± ${accuracy}`,
  sectionOutside: (distance, accuracy) =>
    `Querschnitt der Grenze: die Position liegt ${distance} außen, ± ${accuracy}`,
  positionInside: (distance) => `Die Position liegt ${distance} innerhalb der Grenze.`,
  positionOutside: (distance) => `Die Position liegt ${distance} außerhalb der Grenze.`,
  positionInsideWithAccuracy: (distance, accuracy) =>
    `Die Position liegt ${distance} innerhalb der Grenze, mit einer Genauigkeit von ± ${accuracy}.`,
  positionOutsideWithAccuracy: (distance, accuracy) =>
    `Die Position liegt ${distance} außerhalb der Grenze, mit einer Genauigkeit von ± ${accuracy}.`,
  accuracy: (accuracy) => `Die Genauigkeit der Position ist ± ${accuracy}.`,
  probabilityInside: (percentage) =>
    `Wahrscheinlichkeit, dass das Gerät nach dieser Position innen ist: ${percentage}.`,
  probabilityOutside: (percentage) =>
    `Wahrscheinlichkeit, dass das Gerät nach dieser Position außen ist: ${percentage}.`,
  probabilityOfVisit: (percentage) => `Wahrscheinlichkeit des Besuchs: ${percentage}.`,
  pending: (duration, positions) =>
    `Die Entscheidung war ${duration} offen, über ${plural(positions, "frühere Position", "frühere Positionen")}.`,
};
