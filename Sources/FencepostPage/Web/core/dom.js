// Elements without a template language: text stays text, so nothing that a device or a region says becomes markup.

/**
 * Makes an element.
 * @param {string} tag a name with classes and an id behind it: "button.primary", "div#map".
 * @param {object} [props] attributes; `onX` listens to `x`, `data` sets data attributes, `style` custom properties.
 * @param {...(Node|string|number|null|false|Array)} children
 */
export function h(tag, props = {}, ...children) {
  const [, name, rest] = tag.match(/^([a-z0-9-]*)(.*)$/i);
  const element = document.createElement(name || "div");
  for (const part of rest.match(/[.#][^.#]+/g) ?? []) {
    if (part[0] === ".") element.classList.add(part.slice(1));
    else element.id = part.slice(1);
  }
  set(element, props);
  append(element, children);
  return element;
}

const svgSpace = "http://www.w3.org/2000/svg";

/** Makes an element of SVG; `class` and the rest are attributes. */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS(svgSpace, tag);
  set(element, props);
  append(element, children);
  return element;
}

export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Puts these children in the place of those that are there. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/**
 * Makes the children of a list those of `items`, and moves, adds and removes only what has to be: focus and open
 * details outlive it.
 * @param {(item) => string} key what stays the same for an item.
 * @param {(item, element: Element|null) => Element} make a new element, or the old one brought up to date.
 */
export function keyed(list, items, key, make) {
  const known = new Map([...list.children].map((element) => [element.dataset.key, element]));
  let place = list.firstElementChild;
  for (const item of items) {
    const name = key(item);
    const old = known.get(name) ?? null;
    known.delete(name);
    const element = make(item, old);
    element.dataset.key = name;
    if (element === place) place = place.nextElementSibling;
    else list.insertBefore(element, place);
    if (old && old !== element) {
      if (old === place) place = old.nextElementSibling;
      old.remove();
    }
  }
  for (const element of known.values()) element.remove();
}

let lastID = 0;

/** An id that no other element has, for labels and what they belong to. */
export const freshID = (word = "id") => `${word}-${(lastID += 1)}`;

/** The shortest time between two announcements, so that a busy hour does not talk without end. */
const quiet = 4000;
let waiting = [];
let timer = 0;

/** Says something to a screen reader when it has nothing else to say; of many things, the last and how many more. */
export function announce(text) {
  waiting.push(text);
  if (timer) return;
  const say = () => {
    const place = document.getElementById("announcer");
    const more = waiting.length > 1 ? `, and ${waiting.length - 1} more` : "";
    if (place) place.textContent = waiting.at(-1) + more;
    waiting = [];
    timer = setTimeout(() => {
      timer = 0;
      if (waiting.length) announce(waiting.pop());
    }, quiet);
  };
  say();
}
