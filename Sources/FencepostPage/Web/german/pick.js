import { number, plural } from "./common.js";

/** The German texts of fields that find devices, regions and tags. */
export const pick = {
  suggestions: "Vorschläge",
  more: (count) => `${number(count)} weitere: gib mehr Buchstaben ein.`,
  pattern: (count) => `Muster, jetzt ${count}`,
  regions: (count) => plural(count, "Region", "Regionen"),
  tags: (count) => plural(count, "Tag", "Tags"),
  group: (tag) => `Gruppe ${tag}`,
  separator: " · ",
  unknown: "noch nicht bekannt",
  added: (names) => `${names} hinzugefügt`,
  removed: (name) => `${name} entfernt`,
  remove: (name) => `${name} entfernen`,
};
