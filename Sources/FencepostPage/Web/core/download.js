import { element } from "./dom.js";

/** Saves a content as a file. @param {string} name @param {Blob} content */
export function download(name, content) {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
