// What people call a device: a name for lists, and the letter of its sign.

import { text } from "../text/text.js";

/** The first letter of a name, or of the part of an id before its slash. */
export const initialOf = (name) => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "?").toLocaleUpperCase();

/** The part of an id after its last slash. */
const lastPart = (id) => id.split("/").at(-1);

/**
 * A name with what distinguishes its device from others of that name: the last part of its id, or the whole id where
 * others have the same last part.
 * @param {string} id
 * @param {string} name
 * @param {string[]} namesakes the ids of all devices of that name.
 */
export function labelAmong(id, name, namesakes) {
  if (namesakes.length < 2) return name;
  const isPartUnique = new Set(namesakes.map(lastPart)).size === namesakes.length;
  return text.common.namesake(name, isPartUnique ? lastPart(id) : id);
}
