import { pathSegment, request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { timeZone } from "../core/zone.js";
import { fieldLength, isImperial, lengthUnit, metersOf } from "../core/units.js";
import { Picker } from "../pick/picker.js";
import { deviceSource, regionSource, tagSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { daysOf, fieldSpeed } from "./rule-words.js";

const texts = text.alerts.form;

/** The types whose condition may count in one region only, and those that are about one. */
const regionTypes = ["speed", "battery", "accuracy", "unplugged"];
const timeTypes = ["absent", "present"];
const holdTypes = ["speed", "battery", "accuracy", "unplugged"];

const listOf = (value) => (typeof value === "string" ? [value] : value ?? []);

/** The form that adds a rule, or changes one after `edit(rule, sentence)`. `changed` is called after either. */
export function ruleForm(app, { changed }) {
  /** The rule that is changed, or null. */
  let current = null;
  /** The limit of that rule as the field had it. */
  let shownLimit = "";
  const type = element("select", { id: uniqueID("alert-type"), onChange: () => showType() },
    Object.entries(texts.types).map(([value, label]) => element("option", { value }, label)));
  const number = (name, attributes) => element("input", {
    id: uniqueID(name), name, type: "number", step: "any", min: 0, inputmode: "decimal", ...attributes,
  });
  const limit = number("above", { required: true });
  const hold = number("for", { placeholder: texts.usual });
  const time = element("input", { id: uniqueID("time"), type: "time", required: true });
  const days = element("select", { id: uniqueID("days") },
    Object.entries(texts.dayChoices).map(([value, label]) => element("option", { value }, label)));
  const zone = element("input", { id: uniqueID("zone"), required: true, autocomplete: "off", spellcheck: "false" });
  zone.value = timeZone;
  const region = new Picker({ source: regionSource(app), placeholder: texts.everywhere });
  const devices = new Picker({
    source: deviceSource(app), isMultiple: true, hasPatterns: true, placeholder: texts.everyDevice,
  });
  const groups = new Picker({ source: tagSource(app), isMultiple: true, placeholder: texts.noGroup });
  const message = element("p.field-problem", { id: uniqueID("message"), role: "alert" });
  const fields = element("div.form-part");
  const submit = element("button.primary", { type: "submit" }, texts.submit);
  const cancel = element("button", { type: "button", hidden: true, onClick: () => reset() }, texts.cancel);
  const result = element("p.hint", { role: "status" });
  const summary = element("summary", {}, texts.title);
  const label = (input, name, hint) => element("label", { for: input.id }, name,
    hint && [" ", element("span.hint", {}, hint)]);

  function showType() {
    const kind = type.value;
    const isSpeed = kind === "speed" || kind === "jump";
    const names = {
      speed: texts.speed(isImperial() ? text.common.units.mph ?? "mph" : "km/h"), battery: texts.battery,
      accuracy: texts.accuracy(lengthUnit()), silent: texts.silent,
    };
    names.jump = names.speed;
    limit.required = kind !== "silent";
    region.input.required = timeTypes.includes(kind);
    setChildren(fields,
      names[kind] && [label(limit, names[kind], kind === "silent" ? texts.silentHint : undefined), limit],
      timeTypes.includes(kind) && [label(time, kind === "absent" ? texts.by : texts.at), time,
        label(days, texts.days), days, label(zone, texts.zone), zone],
      (regionTypes.includes(kind) || timeTypes.includes(kind))
        && [label(region.input, texts.region, timeTypes.includes(kind) ? undefined : texts.regionOptional),
          region.element],
      holdTypes.includes(kind) && [label(hold, texts.hold, text.common.optional), hold]);
    if (!current) limit.value = { battery: "20", accuracy: String(Math.round(fieldLength(200))) }[kind] ?? "";
    if (!current && isSpeed && kind === "jump") limit.value = isImperial() ? "250" : "400";
    setChildren(message);
  }

  /** The rule as the form describes it. */
  function json() {
    const kind = type.value;
    const value = Number(limit.value);
    const above = {
      speed: `${value} ${isImperial() ? "mph" : "km/h"}`, accuracy: Math.round(metersOf(value) * 10) / 10,
      silent: limit.value ? value * 60 : null,
    };
    above.jump = above.speed;
    // What was not touched keeps its unit and its decimals.
    if (current?.type === kind && limit.value === shownLimit) above[kind] = current.above;
    const [chosen, tags] = [devices.values, groups.values];
    return {
      ...(current && { id: current.id }),
      ...(current?.tolerance && kind === "speed" && { tolerance: current.tolerance }),
      type: kind, ...(above[kind] !== undefined && { above: above[kind] }),
      ...(kind === "battery" && { below: value / 100 }),
      ...(timeTypes.includes(kind) && {
        [kind === "absent" ? "by" : "at"]: time.value, timeZone: zone.value.trim(),
        ...(days.value && { days: days.value }),
      }),
      ...((regionTypes.includes(kind) || timeTypes.includes(kind)) && region.value && { region: region.value }),
      ...(holdTypes.includes(kind) && hold.value !== "" && { for: Number(hold.value) }),
      ...(!holdTypes.includes(kind) && current?.type === kind && { for: current.for }),
      ...(chosen.length && { devices: chosen }), ...(tags.length && { groups: tags }),
    };
  }

  function reset() {
    current = null;
    form.reset();
    region.value = "";
    zone.value = timeZone;
    showForm();
    showType();
  }

  function showForm(sentence = "") {
    summary.textContent = current ? texts.changing(sentence) : texts.title;
    submit.textContent = current ? texts.save : texts.submit;
    cancel.hidden = !current;
  }

  /** Fills the fields with a rule. */
  function edit(rule, sentence) {
    reset();
    current = rule;
    type.value = rule.type;
    const speed = () => fieldSpeed(rule.above);
    limit.value = {
      speed, jump: speed, battery: () => String(Math.round(rule.below * 1000) / 10),
      accuracy: () => String(fieldLength(rule.above)), silent: () => (rule.above ? String(rule.above / 60) : ""),
    }[rule.type]?.() ?? "";
    shownLimit = limit.value;
    hold.value = holdTypes.includes(rule.type) ? String(rule.for) : "";
    time.value = rule.by ?? rule.at ?? "";
    const chosen = daysOf(rule.days);
    if (![...days.options].some(({ value }) => value === chosen)) {
      days.append(element("option", { value: chosen }, chosen));
    }
    days.value = chosen;
    zone.value = rule.timeZone ?? timeZone;
    region.value = rule.region ?? "";
    devices.values = listOf(rule.devices);
    groups.values = listOf(rule.groups);
    showForm(sentence);
    showType();
    tool.open = true;
    tool.scrollIntoView({ block: "nearest" });
    type.focus();
  }

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(message);
    setChildren(result);
    submit.disabled = true;
    try {
      if (current) await request("PUT", `/v1/alert-rules/${pathSegment(current.id)}`, { json: json() });
      else await request("POST", "/v1/alert-rules", { json: json() });
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
  label(type, texts.type), type, fields,
  label(devices.input, texts.devices, texts.devicesHint), devices.element,
  label(groups.input, texts.groups, texts.groupsHint), groups.element,
  message, element("div.row", {}, submit, cancel));
  const tool = element("details.tool", {}, summary, form, result);
  showType();
  return { element: tool, edit, reset };
}
