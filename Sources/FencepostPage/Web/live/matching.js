// Which devices, regions and events the filters of Live show.

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
 */

/** Whether the id or the name of a device has a text, which is in lower case. */
const isNamed = (profiles, id, wanted) =>
  id.toLowerCase().includes(wanted) || profiles.nameOf(id).toLowerCase().includes(wanted);

/**
 * Shows the devices whose id or name matches, and those inside a region whose name matches.
 * @param {Filter} filter
 * @param {Data} data
 * @returns {(index: number) => boolean}
 */
export function deviceMatcher({ find }, data) {
  if (!find) return () => true;
  const wanted = find.toLowerCase();
  return (index) => {
    const { ids, regions } = data.devices;
    return isNamed(data.profiles, ids[index] ?? "", wanted)
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
  return (id) => {
    const { name = "", tags = "" } = data.regions.get(id)?.properties ?? {};
    if (`${id} ${name} ${tags}`.toLowerCase().includes(wanted)) return true;
    const { ids, regions } = data.devices;
    return ids.some((device, index) => isNamed(data.profiles, device, wanted) && regions[index].includes(id));
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
  const names = [event.deviceId, event.deviceId && data.profiles.nameOf(event.deviceId),
    event.region && (event.region.name ?? event.region.id), ...(event.visit?.regions ?? []).map(data.regions.nameOf)];
  return names.some((name) => name?.toLowerCase().includes(wanted));
}
