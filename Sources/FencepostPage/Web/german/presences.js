import { plural } from "./common.js";

/** The German texts of the question who was in an area. */
export const presences = {
  title: "Wer war hier",
  open: "Wer war hier?",
  about: "Zeichne ein Gebiet, und sieh, welche Geräte darin waren, als wäre es eine Region gewesen.",
  shape: "Form des Gebiets",
  shapes: { circle: "Kreis", polygon: "Polygon" },
  from: "Von",
  to: "Bis",
  endsBefore: "Das Ende muss nach dem Anfang liegen.",
  ask: "Fragen",
  asking: "Die gespeicherten Standorte werden gelesen …",
  close: "Schließen",
  notAnswered: "Es gibt keine Antwort",
  nobody: "Niemand war hier",
  nobodyHint: "Kein gespeicherter Standort zeigt ein Gerät in diesem Gebiet und dieser Zeit.",
  found: (count, isMore) => (isMore
    ? `Das sind die ersten ${plural(count, "Aufenthalt", "Aufenthalte")}.`
    : `${plural(count, "Aufenthalt", "Aufenthalte")}.`),
  showMore: "Mehr zeigen",
  presence: ({ arrival, departure, duration, sure }) => [
    arrival && departure ? `${arrival} bis ${departure}` : arrival ? `seit ${arrival}` : `bis ${departure}`,
    duration, sure && `zu ${sure} % sicher`,
  ].filter(Boolean).join(", "),
};
