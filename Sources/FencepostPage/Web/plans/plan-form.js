import { pathSegment, request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { timeZone } from "../core/zone.js";
import { Picker } from "../pick/picker.js";
import { deviceSource, tagSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { placeFields } from "./place-fields.js";

const texts = text.plans.form;
const listOf = (value) => (typeof value === "string" ? [value] : value ?? []);
const datesIn = (value) => value.split(/[\s,;]+/u).filter(Boolean);

/** The form that adds a plan, or changes one after `edit(plan)`. `changed` is called after either. */
export function planForm(app, { changed }) {
  /** The plan that is changed, or null. */
  let current = null;
  const field = (name, attributes) => element("input", { id: uniqueID(name), autocomplete: "off", ...attributes });
  const name = field("plan-name", { maxlength: 200 });
  const zone = field("plan-zone", { required: true, spellcheck: "false" });
  const days = field("plan-days", { placeholder: texts.everyDay, spellcheck: "false" });
  const dates = field("plan-dates", { placeholder: "2026-03-07", spellcheck: "false" });
  const except = field("plan-except", { placeholder: "2026-12-25", spellcheck: "false" });
  const grace = field("plan-grace", {
    type: "number", min: 0, max: 720, step: "any", inputmode: "decimal", placeholder: "30",
  });
  const isOrdered = field("plan-ordered", { type: "checkbox" });
  const devices = new Picker({
    source: deviceSource(app), isMultiple: true, hasPatterns: true, placeholder: texts.devicesHint,
  });
  const groups = new Picker({ source: tagSource(app), isMultiple: true, placeholder: texts.noGroup });
  const places = placeFields(app);
  const message = element("p.field-problem", { id: uniqueID("message"), role: "alert" });
  const submit = element("button.primary", { type: "submit" }, texts.submit);
  const cancel = element("button", { type: "button", hidden: true, onClick: () => reset() }, texts.cancel);
  const result = element("p.hint", { role: "status" });
  const summary = element("summary", {}, texts.title);
  const label = (input, words, hint) => element("label", { for: input.id }, words,
    hint && [" ", element("span.hint", {}, hint)]);

  /** The plan as the form describes it. */
  function json() {
    const [chosen, tags] = [devices.values, groups.values];
    const [extra, without] = [datesIn(dates.value), datesIn(except.value)];
    return {
      ...(current && { id: current.id }),
      ...(current?.first && { first: current.first }), ...(current?.last && { last: current.last }),
      ...(name.value.trim() && { name: name.value.trim() }),
      timeZone: zone.value.trim(), places: places.json(), ordered: isOrdered.checked,
      ...(grace.value !== "" && { grace: Number(grace.value) * 60 }),
      ...(days.value.trim() && { days: days.value.trim() }),
      ...(extra.length && { dates: extra }), ...(without.length && { except: without }),
      ...(chosen.length && { devices: chosen }), ...(tags.length && { groups: tags }),
    };
  }

  function reset() {
    current = null;
    form.reset();
    zone.value = timeZone;
    devices.values = [];
    groups.values = [];
    places.fill();
    show();
  }

  function show() {
    summary.textContent = current ? texts.changing(current.name ?? current.id) : texts.title;
    submit.textContent = current ? texts.save : texts.submit;
    cancel.hidden = !current;
    setChildren(message);
  }

  /** Fills the fields with a plan. */
  function edit(plan) {
    reset();
    current = plan;
    name.value = plan.name ?? "";
    zone.value = plan.timeZone;
    days.value = plan.days ?? "";
    dates.value = listOf(plan.dates).join(", ");
    except.value = listOf(plan.except).join(", ");
    grace.value = String(plan.grace / 60);
    isOrdered.checked = plan.ordered;
    devices.values = listOf(plan.devices);
    groups.values = listOf(plan.groups);
    places.fill(plan.places);
    show();
    tool.open = true;
    tool.scrollIntoView({ block: "nearest" });
    name.focus();
  }

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(message);
    setChildren(result);
    submit.disabled = true;
    try {
      if (current) await request("PUT", `/v1/plans/${pathSegment(current.id)}`, { json: json() });
      else await request("POST", "/v1/plans", { json: json() });
      result.textContent = texts.added;
      reset();
      changed();
    } catch (problem) {
      const details = problem.errors?.map(({ detail }) => detail) ?? [];
      setChildren(message, details.length ? details.join(" ") : problem.message);
      message.scrollIntoView({ block: "nearest" });
    } finally {
      submit.disabled = false;
    }
  } },
  label(name, texts.name, text.common.optional), name,
  label(devices.input, texts.devices), devices.element,
  label(groups.input, texts.groups), groups.element,
  places.element,
  label(days, texts.days, texts.daysHint), days,
  label(dates, texts.dates, texts.datesHint), dates,
  label(except, texts.except), except,
  label(zone, texts.zone), zone,
  label(grace, texts.grace), grace,
  element("label", { for: isOrdered.id }, isOrdered, " ", texts.ordered),
  message, element("div.row", {}, submit, cancel));
  const tool = element("details.tool", {}, summary, form, result);
  reset();
  return { element: tool, edit, reset };
}
