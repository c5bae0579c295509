import { plural } from "./common.js";

/** The English texts of fields that find devices, regions and tags. */
export const pick = {
  suggestions: "Suggestions",
  more: (count) => `${count.toLocaleString("en")} more: type more letters.`,
  /** `count` is a number of devices, regions or tags in words. */
  pattern: (count) => `pattern, ${count} now`,
  regions: (count) => plural(count, "region"),
  tags: (count) => plural(count, "tag"),
  group: (tag) => `Group ${tag}`,
  separator: " · ",
  unknown: "not known yet",
  added: (names) => `${names} added`,
  removed: (name) => `${name} removed`,
  remove: (name) => `Remove ${name}`,
};
