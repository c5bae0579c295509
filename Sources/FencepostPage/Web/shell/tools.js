import { append, h } from "../core/dom.js";
import { session } from "../core/session.js";
import { theme } from "../core/theme.js";
import { zone } from "../core/time.js";

const choices = { system: "As the system", light: "Light", dark: "Dark" };

/** What the bar offers beside the status: the colours, and signing out. */
export function showTools() {
  const radios = Object.entries(choices).map(([value, text]) => h("label.check", {},
    h("input", { type: "radio", name: "theme", value, checked: theme.value === value, onChange: () => {
      theme.value = value;
    } }), text));
  const menu = h("details.menu", { onKeydown: (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  } },
  h("summary.button.quiet", {}, "Menu"),
  h("div.menu-body", {},
    h("fieldset", {}, h("legend", {}, "Colours"), radios),
    h("p.hint", {}, `Times are those of ${zone}.`),
    h("p", {}, h("a", { href: "openapi.json" }, "The API's description")),
    h("button", { type: "button", onClick: () => session.signOut() }, "Sign out")));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  append(document.getElementById("tools"), [menu]);
}
