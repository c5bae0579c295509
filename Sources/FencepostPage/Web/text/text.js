// The texts of the page in the reader's language. Every text that people read is in `text/`, one folder for a language.

import { english } from "./en/english.js";
import { languages } from "./languages.js";

/** The first of the browser's languages that the page has texts in, as the first part of its tag; otherwise `en`. */
const language = navigator.languages.map((tag) => tag.split(/[^A-Za-z]/)[0].toLowerCase())
  .find((name) => Object.hasOwn(languages, name)) ?? "en";

/** The texts of a language, with the English ones where it has none. */
const completed = (texts, translation = {}) => Object.fromEntries(Object.entries(texts).map(([name, value]) => [
  name, typeof value === "object" ? completed(value, translation[name]) : translation[name] ?? value,
]));

/** The texts, by the part of the page that shows them. A text with values in it is a function. */
export const text = completed(english, languages[language]);

/** Gives the page its language, and the elements of the HTML file with `data-text` or `data-label` their texts. */
export function translateDocument() {
  document.documentElement.lang = language;
  const find = (path) => path.split(".").reduce((texts, name) => texts[name], text);
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = find(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", find(node.dataset.label));
  }
}
