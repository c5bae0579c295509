// The colours of regions: that of their first tag. Without a tag a region has the colour of all regions.

import { compareNaturally } from "../core/natural-order.js";

/** The number of colours, `--tag-0` and so on; with more tags, several share one. */
const count = 6;

/** The tags of a region, which its property has as a list or as one text. */
export const tagsOf = ({ tags = [] } = {}) =>
  (Array.isArray(tags) ? tags : String(tags).split(",")).map((tag) => String(tag).trim()).filter(Boolean);

/**
 * The number of the colour of each tag. It follows from the tags alone, so that all see the same; another tag changes
 * it only where two would have had the same.
 * @param {Iterable<string>} tags
 * @returns {Map<string, number>}
 */
export function colorNumbers(tags) {
  const numbers = new Map();
  const taken = new Set();
  for (const tag of [...new Set(tags)].sort()) {
    let number = hashOf(tag) % count;
    if (taken.size < count) while (taken.has(number)) number = (number + 1) % count;
    taken.add(number);
    numbers.set(tag, number);
  }
  return numbers;
}

/** FNV-1a of the code points, in 32 bits. */
function hashOf(tag) {
  let hash = 0x811c9dc5;
  for (const sign of tag) hash = Math.imul(hash ^ sign.codePointAt(0), 0x01000193) >>> 0;
  return hash;
}

/** The colours of the regions of a store. */
export class TagColors {
  #numbers = new Map();

  /** @param {Pick<import("./region-store.js").RegionStore, "changes">} regions */
  constructor(regions) {
    regions.changes.watch((all) => {
      const tags = [...all.values()].map(({ properties }) => tagsOf(properties)[0]).filter(Boolean);
      this.#numbers = colorNumbers(tags);
    });
  }

  /** The name of the colour of a region, such as `tag-3`; null without a tag. */
  nameOf(feature) {
    const number = this.#numbers.get(tagsOf(feature?.properties)[0]);
    return number === undefined ? null : `tag-${number}`;
  }

  /** The tags that give colours, with the names of these, as people sort them. */
  get all() {
    return [...this.#numbers].map(([tag, number]) => ({ tag, color: `tag-${number}` }))
      .sort((a, b) => compareNaturally(a.tag, b.tag));
  }
}
