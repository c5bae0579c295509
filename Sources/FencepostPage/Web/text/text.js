// The texts of the page in the reader's language. What people read is in one folder for each language, nowhere else.

import { language } from "./choice.js";
import { languages } from "./languages.js";

/** The texts of a language, with the English ones where it has none. */
function completed(texts, translation = {}) {
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => {
    const isGroup = typeof value === "object" && !Array.isArray(value);
    return [name, isGroup ? completed(value, translation[name]) : translation[name] ?? value];
  }));
}

/** The texts, by the part of the page that shows them. A text with values in it is a function. */
export const text = completed(languages.en, languages[language]);

/** Gives the page its language, and the elements of the HTML file with `data-text` or `data-label` their texts. */
export function translateDocument() {
  document.documentElement.lang = language;
  const find = (path) => path.split(".").reduce((texts, name) => texts[name], text);
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = find(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", find(node.dataset.label));
  }
}
