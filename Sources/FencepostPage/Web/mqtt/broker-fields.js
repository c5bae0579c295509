import { element, setChildren, uniqueID } from "../core/dom.js";

/**
 * The fields of a form by the places of their members in the body, such as `publishTo/host`, each with a line that says
 * what is wrong with it.
 */
export function brokerFields() {
  /** @type {Map<string, { control: HTMLInputElement|HTMLTextAreaElement, problem: HTMLElement }>} */
  const all = new Map();

  function make(tag, name, attributes) {
    const problem = element("p.field-problem", { id: uniqueID("problem") });
    const control = element(tag, { id: uniqueID("field"), name, autocomplete: "off", autocapitalize: "none",
      spellcheck: "false", "aria-describedby": problem.id, ...attributes });
    all.set(name, { control, problem });
    return control;
  }

  return {
    input: (name, attributes = {}) => make("input", name, attributes),
    area: (name, attributes = {}) => make("textarea", name, attributes),
    labelled: (control, label, hint = "") => [
      element("label", { for: control.id }, label, hint && element("span.hint", {}, ` ${hint}`)), control,
      all.get(control.name)?.problem],

    /** Forgets what was wrong. */
    clear() {
      for (const { control, problem } of all.values()) {
        problem.textContent = "";
        control.removeAttribute("aria-invalid");
      }
    },

    /**
     * Says at each field what is wrong with it.
     * @param {{ pointer?: string, detail: string }[]} errors
     * @returns the first of these fields, and the sentences for which there is none.
     */
    show(errors) {
      const rest = [];
      let first = null;
      for (const { pointer = "", detail } of errors) {
        const name = pointer.slice(1);
        const field = all.get(name) ?? all.get(name.split("/")[0]);
        if (!field) {
          rest.push(detail);
          continue;
        }
        setChildren(field.problem, detail);
        field.control.setAttribute("aria-invalid", "true");
        first ??= field.control;
      }
      return { first, rest };
    },
  };
}
