// What the compiler's own description of browsers lacks.

/** Nearly all elements that the page looks for are HTML elements. Where a script needs a narrower type, it says so. */
interface ParentNode {
  querySelector<Found extends Element = HTMLElement>(selectors: string): Found | null;
  querySelectorAll<Found extends Element = HTMLElement>(selectors: string): NodeListOf<Found>;
}

// Newer than Debian's compiler; all browsers of 2024 have them.
interface MapConstructor {
  groupBy<Key, Value>(items: Iterable<Value>, keyOf: (item: Value, index: number) => Key): Map<Key, Value[]>;
}
declare namespace Intl {
  function supportedValuesOf(key: "timeZone"): string[];
}

// Debian's libraries, which have no types.
declare module "*/leaflet/leaflet.js";
declare module "*/qrcode/qrcode.js";
