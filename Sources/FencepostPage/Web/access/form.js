// Parts that the forms of the Access tab share.

import { element, setChildren, uniqueID } from "../core/dom.js";
import { text } from "../text/text.js";

/** A labelled field. @param {string} label @param {any} control an element, or a picker. @param {string} [hint] */
export function field(label, control, hint) {
  const input = control.input ?? control;
  input.id = uniqueID("field");
  return [element("label", { for: input.id }, label, hint && element("span.hint", {}, ` ${hint}`)),
    control.element ?? control];
}

/** A form with a submit button that shows the problem of its work. */
export function actionForm(label, fields, work) {
  const problem = element("p.field-problem", { role: "alert" });
  const submit = element("button.primary", { type: "submit" }, label);
  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    setChildren(problem);
    try {
      await work();
      form.reset();
    } catch (error) {
      const details = error.errors?.map(({ detail }) => detail) ?? [];
      setChildren(problem, details.length ? details.join(" ") : error.message);
    } finally {
      submit.disabled = false;
    }
  } }, fields, problem, element("div.row", {}, submit));
  return form;
}

/** A button for an action that cannot be undone; it needs a second press. */
export function confirmButton(label, name, work) {
  const fullName = text.access.actionOn(label, name);
  const button = element("button.small.danger", { type: "button", "aria-label": fullName, onClick: () => {
    if (button.dataset.armed) work();
    else {
      button.dataset.armed = "yes";
      button.textContent = text.access.pressAgain;
    }
  }, onBlur: () => {
    delete button.dataset.armed;
    button.textContent = label;
  } }, label);
  return button;
}

/** One line of a list: a title, a sentence, and actions. */
export const line = (title, sentence, ...actions) => element("li.access-line", {},
  element("div", {}, element("strong", {}, title), element("small", {}, sentence)),
  element("div.row", {}, actions));

/** A field with a value that is shown once, and a button that copies it. */
export function copyBox(value, label) {
  const input = element("input.secret", { readonly: true, value, "aria-label": label, spellcheck: "false",
    onFocus: () => input.select() });
  const copy = element("button", { type: "button", onClick: async () => {
    input.select();
    // An insecure context has no clipboard API; the selected text can be copied with the keyboard.
    await navigator.clipboard?.writeText(value).then(() => {
      copy.textContent = text.access.copied;
    }, () => {});
  } }, text.access.copy);
  return element("div.secret-box", {},
    element("p", {}, element("strong", {}, text.access.secretTitle(label)), " ", text.access.notShownAgain),
    element("div.secret-row", {}, input, copy));
}
