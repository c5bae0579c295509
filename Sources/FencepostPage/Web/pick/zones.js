import { element, uniqueID } from "../core/dom.js";
import { timeZone } from "../core/zone.js";

const zones = () => Intl.supportedValuesOf?.("timeZone") ?? [timeZone, "UTC"];
let zoneList = null;

/** The id of the list of time zones, which all forms share because it is long. */
export function zoneListID() {
  if (!zoneList) {
    zoneList = element("datalist", { id: uniqueID("zones") }, zones().map((value) => element("option", { value })));
    document.body.append(zoneList);
  }
  return zoneList.id;
}
