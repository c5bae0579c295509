// Which devices, regions and events the filters of Live show.

import { compareNaturally } from "../core/natural-order.js";

/**
 * What the filters say: a text, and the beginning of the types of events, or `service` for events of the service
 * itself.
 * @typedef {{find: string, kind: string}} Filter
 */

/**
 * What the filters look into.
 * @typedef {object} Data
 * @property {{ids: string[], regions: string[][]}} devices by index: their ids, and the regions that they are inside.
 * @property {{get: (id: string) => any, nameOf: (id: string) => string}} regions
 * @property {{nameOf: (id: string) => string}} profiles the names of devices.
 * @property {{all: {tag: string}[], has: (tag: string, id: string) => boolean}} [groups] the groups of devices.
 */

/**
 * A predicate of devices: whether the id, the name or a group of a device has a text, which is in lower case.
 * @param {Data} data
 * @param {string} wanted
 * @returns {(id: string) => boolean}
 */
function naming({ profiles, groups }, wanted) {
  const tags = groups?.all.map(({ tag }) => tag).filter((tag) => tag.toLowerCase().includes(wanted)) ?? [];
  return (id) => id.toLowerCase().includes(wanted) || profiles.nameOf(id).toLowerCase().includes(wanted)
    || tags.some((tag) => groups.has(tag, id));
}

/**
 * Shows the devices whose id, name or group matches, and those inside a region whose name matches.
 * @param {Filter} filter
 * @param {Data} data
 * @returns {(index: number) => boolean}
 */
export function deviceMatcher({ find }, data) {
  if (!find) return () => true;
  const wanted = find.toLowerCase();
  const isNamed = naming(data, wanted);
  return (index) => {
    const { ids, regions } = data.devices;
    return isNamed(ids[index] ?? "")
      || (regions[index] ?? []).some((id) => data.regions.nameOf(id).toLowerCase().includes(wanted));
  };
}

/**
 * Shows the regions whose name or tags match, and those with a device inside that matches.
 * @param {Filter} filter
 * @param {Data} data
 * @returns {(id: string) => boolean}
 */
export function regionMatcher({ find }, data) {
  if (!find) return () => true;
  const wanted = find.toLowerCase();
  const isNamed = naming(data, wanted);
  return (id) => {
    const { name = "", tags = "" } = data.regions.get(id)?.properties ?? {};
    if (`${id} ${name} ${tags}`.toLowerCase().includes(wanted)) return true;
    const { ids, regions } = data.devices;
    return ids.some((device, index) => regions[index].includes(id) && isNamed(device));
  };
}

/**
 * Whether an event is shown.
 * @param {Filter} filter
 * @param {import("../../Types/api").Event} event
 * @param {Data} data
 */
export function isEventShown({ find, kind }, event, data) {
  const fits = kind === "service" ? /^(endpoint|delivery|webhook)\./.test(event.type) : event.type.startsWith(kind);
  if (!fits) return false;
  if (!find) return true;
  const wanted = find.toLowerCase();
  if (event.deviceId && naming(data, wanted)(event.deviceId)) return true;
  const names = [event.region && (event.region.name ?? event.region.id),
    ...(event.visit?.regions ?? []).map(data.regions.nameOf)];
  return names.some((name) => name?.toLowerCase().includes(wanted));
}

/**
 * The regions and groups whose name, id or tag has a text: those that begin with it first.
 * @param {string} find
 * @param {{regions: {all: Map<string, any>, nameOf: (id: string) => string}, groups: {all: {tag: string}[]}}} data
 * @returns {{kind: "region" | "group", id: string, name: string}[]}
 */
export function findOnMap(find, { regions, groups }) {
  const wanted = find.trim().toLowerCase();
  if (!wanted) return [];
  const all = [
    ...groups.all.map(({ tag }) => ({ kind: /** @type {const} */ ("group"), id: tag, name: tag })),
    ...[...regions.all.keys()].map((id) => ({ kind: /** @type {const} */ ("region"), id, name: regions.nameOf(id) })),
  ].filter(({ id, name }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted));
  const begins = ({ name }) => Number(!name.toLowerCase().startsWith(wanted));
  return all.sort((a, b) => begins(a) - begins(b) || compareNaturally(a.name, b.name));
}
