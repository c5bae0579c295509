// What pickers offer: devices, regions and tags, by name and id.

import { groups } from "../core/groups.js";
import { compareNaturally } from "../core/natural-order.js";
import { isPattern, patternMatcher } from "../core/patterns.js";
import { profiles } from "../core/profiles.js";
import { tagsOf } from "../state/tag-colors.js";
import { text } from "../text/text.js";

const texts = text.pick;
const sorted = (choices) => choices.sort((a, b) => compareNaturally(a.name, b.name));
const different = (value, name) => (value === name ? undefined : value);

/**
 * Where a picker gets its choices, and what a pattern matches there.
 * @typedef {object} Source
 * @property {() => import("./choices.js").Choice[]} choices
 * @property {(count: number) => string} count the number of what a pattern matches, in words.
 */

/**
 * The devices; with `groups` also the groups, each of which stands for its devices: for their patterns, or without
 * `patterns` for the ids that exist now.
 * @returns {Source}
 */
export function deviceSource(app, options = { groups: false, patterns: false }) {
  const devices = () => sorted(app.devices.ids.map((id) => {
    const name = profiles.labelOf(id);
    return { value: id, name, note: different(id, name) };
  }));
  const group = ({ tag, devices: members }) => ({
    value: texts.group(tag), name: texts.group(tag), note: members.join(", "),
    expands: options.patterns ? members : app.devices.ids.filter((id) => groups.has(tag, id)).sort(compareNaturally),
  });
  return {
    choices: () => [...devices(), ...(options.groups ? groups.all.map(group) : [])],
    count: text.common.devices,
  };
}

/** The regions. @returns {Source} */
export const regionSource = (app) => ({
  choices: () => sorted([...app.regions.all.keys()].map((id) => {
    const name = app.regions.nameOf(id);
    return { value: id, name, note: different(id, name) };
  })),
  count: texts.regions,
});

/** The tags of groups and regions. @returns {Source} */
export const tagSource = (app) => ({
  choices: () => {
    const regions = new Map();
    for (const { properties } of app.regions.all.values()) {
      for (const tag of tagsOf(properties)) regions.set(tag, (regions.get(tag) ?? 0) + 1);
    }
    const tags = new Set([...regions.keys(), ...groups.all.map(({ tag }) => tag)]);
    return sorted([...tags].map((tag) => {
      const group = groups.all.find((one) => one.tag === tag);
      const notes = [group?.devices.join(", "), regions.has(tag) && texts.regions(regions.get(tag))];
      return { value: tag, name: tag, note: notes.filter(Boolean).join(texts.separator) };
    }));
  },
  count: texts.tags,
});

/** The number of choices that a pattern matches. */
export function countMatches(choices, pattern) {
  if (!isPattern(pattern)) return 0;
  const matches = patternMatcher(pattern);
  return choices.filter(({ value, expands }) => !expands && matches(value)).length;
}
