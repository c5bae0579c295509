// Creates and updates elements without a template language. Text stays text: nothing that a device or a region is
// called becomes markup.

import { text } from "../text/text.js";

/**
 * Creates an HTML element.
 * @template {string} Selector
 * @param {Selector} tag the element's name, followed by classes and an id: "button.primary", "div#map".
 * @param {Record<string, any>} [properties] attributes; `onX` adds a listener for `x`, `data` sets data attributes,
 *   `style` sets CSS custom properties.
 * @param {...import("../../Types/page").Child} children
 * @returns {import("../../Types/page").ElementOf<Selector>}
 */
export function element(tag, properties = {}, ...children) {
  const [, name, rest] = tag.match(/^([a-z0-9-]*)(.*)$/i);
  const node = document.createElement(name || "div");
  for (const part of rest.match(/[.#][^.#]+/g) ?? []) {
    if (part[0] === ".") node.classList.add(part.slice(1));
    else node.id = part.slice(1);
  }
  setProperties(node, properties);
  append(node, children);
  return /** @type {any} */ (node);
}

const svgNamespace = "http://www.w3.org/2000/svg";

/** Creates an SVG element; all properties, `class` too, are attributes. */
export function svgElement(tag, properties = {}, ...children) {
  const node = document.createElementNS(svgNamespace, tag);
  setProperties(node, properties);
  append(node, children);
  return node;
}

function setProperties(node, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "style") for (const [key, content] of Object.entries(value)) node.style.setProperty(key, content);
    else if (name === "value" || name === "checked") setInitialValue(node, name, value);
    else if (name === "disabled" || name === "hidden") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Sets a form value, also as the default value to which `form.reset()` returns. */
function setInitialValue(node, name, value) {
  node[name] = value;
  if (name === "checked") node.defaultChecked = value;
  else if ("defaultValue" in node) node.defaultValue = value;
}

/** Appends children; null, undefined and false are left out. */
export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces all children of a node. */
export function setChildren(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/**
 * Updates the children of a list to match `items`. It moves, adds and removes only what changed, so that the focus and
 * open details stay as they are.
 * @template Item
 * @param {Element} list
 * @param {Item[]} items
 * @param {(item: Item) => string} keyOf the identity of an item.
 * @param {(item: Item, old: any) => HTMLElement} make creates an element, or updates the old one of this item, if it is
 *   not null.
 */
export function updateKeyedChildren(list, items, keyOf, make) {
  const known = new Map([...list.children].map((node) => [/** @type {HTMLElement} */ (node).dataset.key, node]));
  let next = list.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const old = known.get(key) ?? null;
    known.delete(key);
    const node = make(item, old);
    node.dataset.key = key;
    if (node === next) next = next.nextElementSibling;
    else list.insertBefore(node, next);
    if (old && old !== node) {
      if (old === next) next = old.nextElementSibling;
      old.remove();
    }
  }
  for (const node of known.values()) node.remove();
}

let lastID = 0;

/** An id that no other element of the page has, for labels and descriptions. */
export const uniqueID = (prefix = "id") => `${prefix}-${(lastID += 1)}`;

/** A term and its description for a `dl`, with an optional note behind the description. */
export const fact = (term, description, note) => element("div", {},
  element("dt", {}, term), element("dd", {}, description, note && element("small", {}, note)));

/** The shortest time between two announcements, in milliseconds. It keeps a screen reader from talking all the time. */
const announcementInterval = 4000;
let pendingAnnouncements = [];
let announcementTimer = 0;

/** Announces a text to screen readers; of several pending texts, the last one and the number of the others. */
export function announce(announcement) {
  pendingAnnouncements.push(announcement);
  if (announcementTimer) return;
  const region = document.getElementById("announcer");
  const last = pendingAnnouncements.at(-1);
  const others = pendingAnnouncements.length - 1;
  if (region) region.textContent = others ? text.common.andMore(last, others) : last;
  pendingAnnouncements = [];
  announcementTimer = setTimeout(() => {
    announcementTimer = 0;
    if (pendingAnnouncements.length) announce(pendingAnnouncements.pop());
  }, announcementInterval);
}
