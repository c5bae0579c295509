import { freshID, h } from "../core/dom.js";
import { zone } from "../core/time.js";

const zones = () => Intl.supportedValuesOf?.("timeZone") ?? [zone, "UTC"];
let zoneList = null;

/** One list of time zones for all forms; it is long. */
function zoneListID() {
  if (!zoneList) {
    zoneList = h("datalist", { id: freshID("zones") }, zones().map((value) => h("option", { value })));
    document.body.append(zoneList);
  }
  return zoneList.id;
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** A schedule: the time zone, openings of the week one to a line, and days on which none begins. */
export function scheduleField(id, set) {
  const weekly = h("textarea", { id, rows: 3, placeholder: "Mon-Fri 09:00-18:00\nSat 10:00-14:00", onChange: read });
  const timeZone = h("input", { id: `${id}-zone`, list: zoneListID(), placeholder: zone, autocomplete: "off",
    onChange: read });
  const except = h("textarea", { id: `${id}-except`, rows: 2, placeholder: "2026-12-25", onChange: read });

  function read() {
    const openings = lines(weekly.value);
    if (!openings.length) {
      set(undefined);
      return;
    }
    if (!timeZone.value) timeZone.value = zone;
    const value = { timeZone: timeZone.value, weekly: openings };
    if (lines(except.value).length) value.except = lines(except.value);
    set(value);
  }

  return {
    input: weekly,
    wrap: h("div.nested", {}, h("p.hint", {}, "Openings, one to a line. An end that is not after its start is on the ",
      "next day: 22:00-06:00."), weekly,
    h("label", { for: `${id}-zone` }, "Time zone"), timeZone,
    h("label", { for: `${id}-except` }, "Not on these days"), except),
    show(value) {
      if ([weekly, timeZone, except].includes(document.activeElement)) return;
      weekly.value = (value?.weekly ?? []).join("\n");
      timeZone.value = value?.timeZone ?? "";
      except.value = (value?.except ?? []).join("\n");
    },
  };
}
