// The language of the page: the one that somebody chose in the menu, or the first of the browser's that has texts.

import { languages } from "./languages.js";

const key = "fencepost.language";

/** The first part of a language tag: `de` of `de-AT`. */
const nameOf = (tag) => tag.split(/[^A-Za-z]/)[0].toLowerCase();

/** The language that somebody chose for this browser; null for the browser's own. */
export function chosenLanguage() {
  const chosen = localStorage.getItem(key);
  return chosen !== null && Object.hasOwn(languages, chosen) ? chosen : null;
}

/** Keeps a language for the next visits; null for the browser's own. */
export function chooseLanguage(name) {
  if (name === null) localStorage.removeItem(key);
  else localStorage.setItem(key, name);
}

/** The language of the texts, as the first part of its tag. */
export const language = chosenLanguage()
  ?? navigator.languages.map(nameOf).find((name) => Object.hasOwn(languages, name)) ?? "en";

/**
 * The tag by which numbers and times are written: that of the browser with the same language, such as `de-AT`, or the
 * language alone.
 */
export const locale = navigator.languages.find((tag) => nameOf(tag) === language && isTag(tag)) ?? language;

/** Some systems give what is no language tag, such as `en-US@posix`. */
function isTag(tag) {
  try {
    return new Intl.Locale(tag).language !== undefined;
  } catch {
    return false;
  }
}
