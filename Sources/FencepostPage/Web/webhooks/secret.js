import { element } from "../core/dom.js";
import { text } from "../text/text.js";

const texts = text.webhooks.secret;

/** A box with a signing secret and a button that copies it. The service returns a secret only once. */
export function secretBox(secret, label) {
  const field = element("input.secret", { readonly: true, value: secret, "aria-label": texts.label, spellcheck: "false",
    onFocus: () => field.select() });
  const copy = element("button", { type: "button", onClick: async () => {
    field.select();
    // An insecure context has no clipboard API; the selected text can be copied with the keyboard.
    await navigator.clipboard?.writeText(secret).then(() => {
      copy.textContent = texts.copied;
    }, () => {});
  } }, texts.copy);
  return element("div.secret-box", {},
    element("p", {}, element("strong", {}, label), " ", texts.hint),
    element("div.secret-row", {}, field, copy));
}
