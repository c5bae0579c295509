import { element, fact, setChildren, uniqueID } from "../core/dom.js";
import { text } from "../text/text.js";
import { knownProperties, nameProperty, propertyGroups } from "./fields.js";
import { scheduleField } from "./schedule-field.js";

/**
 * The form of a draft's properties.
 * @returns {{nameField, element, showErrors(errors), update()}} `nameField` is that of the name, for the top of the
 *   form, with its input; `element` has all others. `showErrors` shows errors `{pointer, detail}` at their fields and
 *   returns those without a field.
 */
export function propertyForm(draft) {
  const fields = new Map();
  const nameField = makeField(draft, nameProperty);
  fields.set(nameProperty.name, nameField);
  const others = element("div");
  const groups = propertyGroups.map((group) => element("details.group", { open: group.isOpen ?? false },
    element("summary", {}, group.title),
    group.fields.map((field) => {
      const made = makeField(draft, field);
      fields.set(field.name, made);
      return made.element;
    })));

  const update = () => {
    for (const [name, field] of fields) field.show(draft.state.properties[name]);
    const rest = Object.entries(draft.state.properties).filter(([name]) => !knownProperties.has(name));
    setChildren(others, rest.length > 0 && element("details.group", {},
      element("summary", {}, text.regions.form.otherProperties(rest.length)),
      element("dl.facts", {}, rest.map(([name, value]) => fact(name, element("code", {}, JSON.stringify(value)))))));
  };
  const showErrors = (errors) => {
    for (const field of fields.values()) field.showError("");
    return errors.filter((error) => {
      const name = error.pointer?.match(/\/properties\/([^/]+)/)?.[1];
      const field = fields.get(name);
      if (!field) return true;
      field.showError(error.detail);
      const group = field.element.closest("details");
      if (group) group.open = true;
      return false;
    });
  };
  update();
  return { nameField, element: element("div", {}, groups, others), showErrors, update };
}

function makeField(draft, field) {
  const id = uniqueID("field");
  const problem = element("p.field-problem", { id: `${id}-problem`, role: "alert" });
  const help = field.help ? element("p.hint", { id: `${id}-help` }, field.help) : null;
  const described = `${help ? `${id}-help ` : ""}${id}-problem`;
  const { input, show, wrap } = control(draft, field, id, (message) => {
    problem.textContent = message;
  });
  input.setAttribute("aria-describedby", described);
  const label = element("label", { for: id }, field.label);
  const container = field.kind === "switch"
    ? element("div.field", {}, element("label.check", { for: id }, input, field.label), help, problem)
    : element("div.field", {}, label, wrap ?? input, help, problem);
  return {
    element: container,
    input,
    show,
    showError(message) {
      problem.textContent = message;
      input.setAttribute("aria-invalid", String(message !== ""));
    },
  };
}

/** The input of a field, and a function that shows a value in it. */
function control(draft, field, id, showError) {
  const set = (value) => draft.setProperty(field.name, value);
  switch (field.kind) {
    case "schedule": return scheduleField(id, set);
    case "switch": return switchControl(field, id, set);
    case "choice": return choiceControl(field, id, set);
    default: return textControl(field, id, set, showError);
  }
}

function switchControl(field, id, set) {
  const input = element("input", { id, type: "checkbox", onChange: () => {
    set(input.checked === field.standard ? undefined : input.checked);
  } });
  return { input, show: (value) => {
    input.checked = value ?? field.standard;
  } };
}

function choiceControl(field, id, set) {
  const input = element("select", { id, onChange: () => set(input.value || undefined) },
    field.choices.map(([value, label]) => element("option", { value }, label)));
  return { input, show: (value) => {
    input.value = field.choices.some(([choice]) => choice === value) ? value : "";
  } };
}

function textControl(field, id, set, showError) {
  const read = () => {
    try {
      const value = field.read(input.value);
      if (typeof value === "number" && Number.isNaN(value)) throw new Error(text.regions.form.notNumber);
      showError("");
      set(value);
    } catch (error) {
      showError(field.kind === "json" ? text.regions.form.notJSON(error.message) : error.message);
    }
  };
  const properties = { id, placeholder: field.placeholder, onChange: read, spellcheck: "false", autocomplete: "off" };
  const types = { number: "number", time: "datetime-local", text: "text" };
  const input = field.kind === "json" ? element("textarea", { ...properties, rows: 3 })
    : element("input", { ...properties, type: types[field.kind], step: field.kind === "time" ? 1 : "any" });
  return { input, show: (value) => {
    const written = value === undefined || value === null ? "" : field.write(value);
    if (document.activeElement !== input) input.value = written;
  } };
}
