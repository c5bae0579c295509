import { fill, freshID, h } from "../core/dom.js";
import { groups, known } from "./fields.js";
import { scheduleField } from "./schedule-field.js";

/**
 * The properties of a draft as a form.
 * @returns {{element, mark(faults), update()}} `mark` shows faults `{pointer, detail}` at their fields and gives back
 *   those that have none here.
 */
export function propertyForm(draft) {
  const fields = new Map();
  const others = h("div");
  const element = h("div", {}, groups.map((group) => h("details.group", { open: group.isOpen ?? false },
    h("summary", {}, group.title),
    group.fields.map((field) => {
      const made = makeField(draft, field);
      fields.set(field.name, made);
      return made.element;
    }))), others);

  const update = () => {
    for (const [name, field] of fields) field.show(draft.state.properties[name]);
    const rest = Object.entries(draft.state.properties).filter(([name]) => !known.has(name));
    fill(others, rest.length ? h("details.group", {}, h("summary", {}, `Kept as they are: ${rest.length}`),
      h("dl.facts", {}, rest.map(([name, value]) => h("div", {}, h("dt", {}, name),
        h("dd", {}, h("code", {}, JSON.stringify(value))))))) : null);
  };
  const mark = (faults) => {
    for (const field of fields.values()) field.blame("");
    return faults.filter((fault) => {
      const name = fault.pointer?.match(/\/properties\/([^/]+)/)?.[1];
      const field = fields.get(name);
      if (!field) return true;
      field.blame(fault.detail);
      const group = field.element.closest("details");
      if (group) group.open = true;
      return false;
    });
  };
  update();
  return { element, mark, update };
}

function makeField(draft, field) {
  const id = freshID("field");
  const problem = h("p.field-problem", { id: `${id}-problem`, role: "alert" });
  const help = field.help ? h("p.hint", { id: `${id}-help` }, field.help) : null;
  const described = `${help ? `${id}-help ` : ""}${id}-problem`;
  const { input, show, wrap } = control(draft, field, id, (text) => {
    problem.textContent = text;
  });
  input.setAttribute("aria-describedby", described);
  const label = h("label", { for: id }, field.label);
  const element = field.kind === "switch"
    ? h("div.field", {}, h("label.check", { for: id }, input, field.label), help, problem)
    : h("div.field", {}, label, wrap ?? input, help, problem);
  return {
    element,
    show,
    blame(text) {
      problem.textContent = text;
      input.setAttribute("aria-invalid", String(text !== ""));
    },
  };
}

/** The control of a kind of field: an element, and how it shows a value. */
function control(draft, field, id, complain) {
  const set = (value) => draft.setProperty(field.name, value);
  if (field.kind === "schedule") return scheduleField(id, set);
  if (field.kind === "switch") {
    const input = h("input", { id, type: "checkbox", onChange: () => {
      set(input.checked === field.standard ? undefined : input.checked);
    } });
    return { input, show: (value) => {
      input.checked = value ?? field.standard;
    } };
  }
  if (field.kind === "choice") {
    const input = h("select", { id, onChange: () => set(input.value || undefined) },
      field.choices.map(([value, text]) => h("option", { value }, text)));
    return { input, show: (value) => {
      input.value = field.choices.some(([choice]) => choice === value) ? value : "";
    } };
  }
  const read = () => {
    try {
      const value = field.read(input.value);
      if (typeof value === "number" && Number.isNaN(value)) throw new Error("This is no number.");
      complain("");
      set(value);
    } catch (error) {
      complain(field.kind === "json" ? `This is no JSON: ${error.message}` : error.message);
    }
  };
  const props = { id, placeholder: field.placeholder, onChange: read, spellcheck: "false", autocomplete: "off" };
  const types = { number: "number", time: "datetime-local", text: "text" };
  const input = field.kind === "json" ? h("textarea", { ...props, rows: 3 })
    : h("input", { ...props, type: types[field.kind], step: field.kind === "time" ? 1 : "any" });
  return { input, show: (value) => {
    const text = value === undefined || value === null ? "" : field.write(value);
    if (document.activeElement !== input) input.value = text;
  } };
}
