/** The German texts of the page of a share link. */
export const share = {
  title: "Geteilte Positionen",
  loading: "Wird geladen …",
  map: "Karte. Die Liste darunter hat denselben Inhalt.",
  positions: "Positionen",
  until: (time) => `Bis ${time}`,
  noPosition: "noch keine Position",
  ended: "Dieser Link ist beendet oder wurde widerrufen.",
};
