// The groups of devices that the user sees: their tags and the devices that have them.

import { get } from "./api.js";
import { Observable } from "./observable.js";
import { isPattern, patternMatcher } from "./patterns.js";

class Groups {
  /** Changes with every group. */
  changes = new Observable(0);
  /** @type {import("../../Types/api").Group[]} */
  all = [];
  /** Predicates of ids by tag. */
  #matchers = new Map();

  /** Loads the groups; who may not read them has none. */
  async load() {
    try {
      this.replace((await get("/v1/groups")).data);
    } catch {
      this.replace([]);
    }
  }

  /** @param {import("../../Types/api").Group[]} all */
  replace(all) {
    this.all = [...all].sort((a, b) => (a.tag < b.tag ? -1 : 1));
    this.#matchers = new Map(all.map(({ tag, devices }) => {
      const ids = new Set(devices.filter((device) => !isPattern(device)));
      const patterns = devices.filter(isPattern).map(patternMatcher);
      return [tag, (id) => ids.has(id) || patterns.some((matches) => matches(id))];
    }));
    this.changes.value += 1;
  }

  /** Whether a device is in the group with a tag. */
  has = (tag, id) => this.#matchers.get(tag)?.(id) ?? false;

  /** The tags of the groups of a device. */
  tagsOf = (id) => this.all.map(({ tag }) => tag).filter((tag) => this.has(tag, id));
}

export const groups = new Groups();
