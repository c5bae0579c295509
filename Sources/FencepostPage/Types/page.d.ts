// Types of the page's own modules that comments in JavaScript cannot say.

import type { Get } from "./api";

/** An element of the list at a path. */
export type Row<Path extends string> = Get<Path> extends { data: (infer Element)[] } ? Element : any;

/** The name of an element in `tag.class#id`; without one it is a `div`. */
type TagOf<Selector extends string> =
  Selector extends `${infer Start}.${string}` ? TagOf<Start> :
  Selector extends `${infer Start}#${string}` ? TagOf<Start> :
  Selector extends "" ? "div" : Selector;

/** The element that `element` of `core/dom.js` creates: `input#name.wide` is an `HTMLInputElement`. */
export type ElementOf<Selector extends string> =
  TagOf<Selector> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagOf<Selector>] : HTMLElement;

/** What an element may have as a child: `null`, `undefined` and `false` are left out. */
export type Child = Node | string | number | boolean | null | undefined | Child[];
