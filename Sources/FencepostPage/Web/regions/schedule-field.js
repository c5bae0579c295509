import { element } from "../core/dom.js";
import { timeZone } from "../core/zone.js";
import { zoneListID } from "../pick/zones.js";
import { text } from "../text/text.js";

const texts = text.regions.fields.schedule;

const lines = (content) => content.split("\n").map((line) => line.trim()).filter(Boolean);

/** The field of a schedule: time zone, weekly openings, and excluded dates. */
export function scheduleField(id, set) {
  const weekly = element("textarea", {
    id, rows: 3, placeholder: "Mon-Fri 09:00-18:00\nSat 10:00-14:00", onChange: read,
  });
  const zoneInput = element("input", { id: `${id}-zone`, list: zoneListID(), placeholder: timeZone, autocomplete: "off",
    onChange: read });
  const except = element("textarea", { id: `${id}-except`, rows: 2, placeholder: "2026-12-25", onChange: read });

  function read() {
    const openings = lines(weekly.value);
    if (!openings.length) {
      set(undefined);
      return;
    }
    if (!zoneInput.value) zoneInput.value = timeZone;
    const value = { timeZone: zoneInput.value, weekly: openings };
    if (lines(except.value).length) value.except = lines(except.value);
    set(value);
  }

  return {
    input: weekly,
    wrap: element("div.nested", {},
      element("p.hint", {}, texts.weeklyHint), weekly,
      element("label", { for: `${id}-zone` }, texts.timeZone), zoneInput,
      element("label", { for: `${id}-except` }, texts.excludedDates), except),
    show(value) {
      if ([weekly, zoneInput, except].some((field) => field === document.activeElement)) return;
      weekly.value = (value?.weekly ?? []).join("\n");
      zoneInput.value = value?.timeZone ?? "";
      except.value = (value?.except ?? []).join("\n");
    },
  };
}
