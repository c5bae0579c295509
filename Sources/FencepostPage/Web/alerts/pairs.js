import { getAll, pathSegment, request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { fieldLength, lengthUnit, metersOf } from "../core/units.js";
import { Picker } from "../pick/picker.js";
import { deviceSource, tagSource } from "../pick/sources.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { hoursText, pairSentence } from "./pair-words.js";

const texts = text.alerts.pairs;
const listOf = (value) => (typeof value === "string" ? [value] : value ?? []);

/**
 * The part of the view Alerts about devices that are near each other: a form, and the rules.
 * @param {{device: (id: string) => string}} names
 */
export function pairRules(app, names) {
  /** The rules as they were read last. */
  let rules = null;
  const list = element("div.block");
  const read = async () => {
    try {
      rules = await getAll("/v1/proximity-rules", {}, { limit: 200 });
      draw();
    } catch (problem) {
      showError(list, problem, read);
    }
  };
  const form = pairForm(app, read);
  const draw = () => rules && setChildren(list, rules.map((rule) => pairCard(app, rule, { names, form, read })));
  return {
    element: element("section.block", { "aria-label": texts.title }, element("h3", {}, texts.title),
      element("p.hint", {}, texts.intro), element("div", { data: { needs: "write" } }, form.element), list),
    read, draw,
    clear() {
      rules = null;
      setChildren(list);
      form.reset();
    },
  };
}

function pairCard(app, rule, { names, form, read }) {
  const sentence = pairSentence(rule, names);
  const problem = element("p.field-problem", { role: "alert" });
  const path = `/v1/proximity-rules/${pathSegment(rule.id)}`;
  const remove = async (event) => {
    event.currentTarget.disabled = true;
    try {
      await request("DELETE", path);
      app.toast(text.alerts.card.removed(sentence), { action: { label: text.alerts.card.undo, run: async () => {
        await request("PUT", path, { json: rule });
        read();
      } } });
      read();
    } catch (error) {
      setChildren(problem, error.message);
    }
  };
  return element("article.card.alert-rule", { "aria-label": text.alerts.card.label(sentence) },
    element("header.card-head", {}, element("h3.card-title", {}, sentence)),
    rule.source === "configuration" ? element("p.hint", { title: texts.configuredHint }, text.alerts.card.configured)
      : element("div.row", { data: { needs: "write" } },
        element("button", { type: "button", onClick: () => form.edit(rule, sentence) }, text.alerts.card.change),
        element("button.danger", { type: "button", onClick: remove }, text.alerts.card.remove)),
    problem);
}

/** The form that adds a rule, or changes one after `edit(rule, sentence)`. */
function pairForm(app, changed) {
  const formTexts = text.alerts.form;
  let current = null;
  const number = (name, attributes) => element("input", {
    id: uniqueID(name), type: "number", step: "any", min: 0, inputmode: "decimal", ...attributes,
  });
  const distance = number("distance", { required: true });
  const dwell = number("dwell", { placeholder: texts.never });
  const leaves = element("input", { id: uniqueID("leaves"), type: "checkbox" });
  const hours = element("input", {
    id: uniqueID("hours"), autocomplete: "off", spellcheck: "false", placeholder: texts.always,
  });
  const picker = (placeholder) => new Picker({
    source: deviceSource(app), isMultiple: true, hasPatterns: true, placeholder,
  });
  const tags = () => new Picker({ source: tagSource(app), isMultiple: true, placeholder: formTexts.noGroup });
  const [devices, groups, others, otherGroups] = [
    picker(formTexts.everyDevice), tags(), picker(texts.eachOther), tags(),
  ];
  const message = element("p.field-problem", { role: "alert" });
  const result = element("p.hint", { role: "status" });
  const submit = element("button.primary", { type: "submit" }, formTexts.submit);
  const cancel = element("button", { type: "button", hidden: true, onClick: () => reset() }, formTexts.cancel);
  const summary = element("summary", {}, texts.add);
  const label = (input, name, hint) => element("label", { for: input.id }, name,
    hint && [" ", element("span.hint", {}, hint)]);

  function reset() {
    current = null;
    form.reset();
    distance.value = String(Math.round(fieldLength(100)));
    for (const each of [devices, groups, others, otherGroups]) each.values = [];
    show();
  }

  function show(sentence = "") {
    summary.textContent = current ? formTexts.changing(sentence) : texts.add;
    submit.textContent = current ? formTexts.save : formTexts.submit;
    cancel.hidden = !current;
    setChildren(message);
  }

  /** The rule as the form describes it. What it has no field for stays. */
  function json() {
    const named = (name, { values }) => (values.length ? { [name]: values } : {});
    const sameHours = current?.hours && hours.value.trim() === hoursText(current.hours);
    return {
      ...(current && { id: current.id }),
      distance: Math.round(metersOf(Number(distance.value)) * 10) / 10,
      ...(current && Number(distance.value) === fieldLength(current.distance) && { hysteresis: current.hysteresis }),
      ...(dwell.value && { dwell: Number(dwell.value) * 60 }), unaccompanied: leaves.checked,
      ...named("devices", devices), ...named("groups", groups), ...named("others", others),
      ...named("otherGroups", otherGroups),
      ...(hours.value.trim() && { hours: sameHours ? current.hours : hours.value.trim() }),
    };
  }

  function edit(rule, sentence) {
    reset();
    current = rule;
    distance.value = String(fieldLength(rule.distance));
    dwell.value = rule.dwell ? String(rule.dwell / 60) : "";
    leaves.checked = Boolean(rule.unaccompanied);
    hours.value = hoursText(rule.hours);
    devices.values = listOf(rule.devices);
    groups.values = listOf(rule.groups);
    others.values = listOf(rule.others);
    otherGroups.values = listOf(rule.otherGroups);
    show(sentence);
    tool.open = true;
    tool.scrollIntoView({ block: "nearest" });
    distance.focus();
  }

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(message);
    submit.disabled = true;
    try {
      if (current) await request("PUT", `/v1/proximity-rules/${pathSegment(current.id)}`, { json: json() });
      else await request("POST", "/v1/proximity-rules", { json: json() });
      reset();
      result.textContent = texts.added;
      changed();
    } catch (problem) {
      const details = problem.errors?.map(({ detail }) => detail) ?? [];
      setChildren(message, details.length ? details.join(" ") : problem.message);
    } finally {
      submit.disabled = false;
    }
  } },
  label(distance, texts.distance(lengthUnit())), distance,
  label(devices.input, formTexts.devices, formTexts.devicesHint), devices.element,
  label(groups.input, formTexts.groups), groups.element,
  label(others.input, texts.others, texts.othersHint), others.element,
  label(otherGroups.input, texts.otherGroups), otherGroups.element,
  label(dwell, texts.dwell, text.common.optional), dwell,
  element("label.check", { for: leaves.id }, leaves, " ", texts.unaccompanied),
  label(hours, texts.hours, texts.hoursHint), hours,
  message, element("div.row", {}, submit, cancel));
  const tool = element("details.tool", {}, summary, form, result);
  reset();
  return { element: tool, edit, reset };
}
