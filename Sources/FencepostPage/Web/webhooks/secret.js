import { h } from "../core/dom.js";

/** A secret that is shown this once, and a button that copies it. */
export function secretBox(secret, words) {
  const field = h("input.secret", { readonly: true, value: secret, "aria-label": "Secret", spellcheck: "false",
    onFocus: () => field.select() });
  const copy = h("button", { type: "button", onClick: async () => {
    field.select();
    // Without a secure context there is no clipboard; the text is then selected for the keys.
    await navigator.clipboard?.writeText(secret).then(() => {
      copy.textContent = "Copied";
    }, () => {});
  } }, "Copy");
  return h("div.secret-box", {},
    h("p", {}, h("strong", {}, words), " It is shown this once: keep it where the receiver checks signatures."),
    h("div.secret-row", {}, field, copy));
}
