import { pathSegment, request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { fieldLength, lengthUnit, metersOf } from "../core/units.js";
import { timeZone } from "../core/zone.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { fenceState, openingOf } from "./fence-words.js";

/** The radius of a fence where nobody has chosen one, in metres. */
const usualRadius = 50;

/**
 * The part of a device's card that arms and disarms its fence, now or by the clock. `show(id, fence)` shows that of a
 * device.
 */
export function fenceForm(app) {
  const texts = text.live.fence;
  /** @type {string | null} */
  let shownID = null;
  /** @type {import("../../Types/api").FenceState | null} */
  let shown = null;
  const field = (name, attributes) => element("input", { id: uniqueID(name), name, ...attributes });
  const label = (input, name, hint) => element("label", { for: input.id }, name,
    hint && [" ", element("span.hint", {}, hint)]);
  const radius = field("radius", { type: "number", min: 0, step: "any", inputmode: "decimal", required: true });
  const owner = new Picker({ source: deviceSource(app), placeholder: texts.noOwner });
  const byTime = element("input", { type: "checkbox", onChange: () => showTimes() });
  const from = field("from", { type: "time", required: true });
  const to = field("to", { type: "time", required: true });
  const days = element("select", { id: uniqueID("days") },
    Object.entries(text.alerts.form.dayChoices).map(([value, name]) => element("option", { value }, name)));
  const zone = field("zone", { required: true, autocomplete: "off", spellcheck: "false" });
  const times = element("div.form-part", {}, label(from, texts.from), from, label(to, texts.to), to,
    label(days, texts.days), days, label(zone, texts.zone), zone);
  const state = element("p", { role: "status" });
  const problem = element("p.field-problem", { role: "alert" });
  const arm = element("button.primary", {
    type: "button", onClick: () => change("PUT", { ...json(), now: true }),
  }, texts.arm);
  const disarm = element("button", { type: "button", onClick: () => change("DELETE") }, texts.disarm);
  const save = element("button", { type: "submit" }, texts.save);
  const remove = element("button.danger", {
    type: "button", onClick: () => change("DELETE", null, false),
  }, texts.remove);

  function showTimes() {
    times.hidden = !byTime.checked;
    save.hidden = !byTime.checked;
    for (const input of [from, to, zone]) input.disabled = !byTime.checked;
  }

  /** The fence as the form describes it. */
  const json = () => ({
    radius: Math.round(metersOf(Number(radius.value)) * 10) / 10,
    ...(owner.value && { owner: owner.value }),
    ...(byTime.checked && {
      schedule: {
        timeZone: zone.value.trim(), weekly: [`${days.value && `${days.value} `}${from.value}-${to.value}`],
        ...(shown?.schedule?.except && { except: shown.schedule.except }),
      },
    }),
  });

  async function change(method, body = null, keepsSchedule = true) {
    const id = shownID;
    setChildren(problem);
    if (body && !form.reportValidity()) return;
    const path = `/v1/devices/${pathSegment(id)}/fence`;
    try {
      const { data } = body ? await request(method, path, { json: body })
        : await request(method, path, { query: { keepSchedule: keepsSchedule && shown?.schedule ? true : null } });
      const device = app.devices.device(id);
      const { radius: meters, schedule } = shown ?? {};
      const rest = schedule && keepsSchedule ? { state: "scheduled", radius: meters, schedule } : null;
      if (device) app.devices.update([{ ...device, fence: body ? data : rest }]);
      state.append(` ${texts.saved}`);
    } catch (error) {
      setChildren(problem, error.errors?.map(({ detail }) => detail).join(" ") || error.message);
    }
  }

  const form = element("form.form", { onSubmit: (event) => {
    event.preventDefault();
    change("PUT", json());
  } },
  state, element("div.row", {}, arm, disarm),
  label(radius, texts.radius(lengthUnit())), radius,
  label(owner.input, texts.owner, texts.ownerHint), owner.element,
  element("label.check", {}, byTime, texts.byTime), times,
  problem, element("div.row", {}, save, remove));
  const details = element("details.tool", { data: { needs: "write" } }, element("summary", {}, texts.title), form);

  function fill() {
    radius.value = String(fieldLength(shown?.radius ?? usualRadius));
    owner.value = shown?.owner ?? "";
    byTime.checked = Boolean(shown?.schedule);
    const opening = openingOf(shown?.schedule);
    [from.value, to.value, zone.value] = [opening.from, opening.to, shown?.schedule?.timeZone ?? timeZone];
    if (![...days.options].some(({ value }) => value === opening.days)) {
      days.append(element("option", { value: opening.days }, opening.days));
    }
    days.value = opening.days;
    showTimes();
  }

  return {
    element: details,
    /**
     * @param {string} id
     * @param {import("../../Types/api").FenceState | null | undefined} fence
     */
    show(id, fence) {
      const isOther = id !== shownID;
      const isChanged = isOther || JSON.stringify(fence ?? null) !== JSON.stringify(shown);
      if (!isChanged) return;
      if (isOther) details.open = false;
      [shownID, shown] = [id, fence ?? null];
      const words = fenceState(shown);
      if (state.textContent !== words) state.textContent = words;
      const isArmed = shown?.state === "armed" || shown?.state === "broken";
      disarm.hidden = !isArmed;
      remove.hidden = !shown;
      setChildren(problem);
      // What somebody types stays.
      if (isOther || !form.contains(document.activeElement)) fill();
    },
  };
}
