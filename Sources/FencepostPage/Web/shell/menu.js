import { append, element } from "../core/dom.js";
import { session } from "../core/session.js";
import { theme } from "../core/theme.js";
import { timeZone } from "../core/time.js";

const choices = { system: "Same as system", light: "Light", dark: "Dark" };

/** Adds the menu of the app bar: theme, time zone, API description, sign-out. */
export function makeMenu() {
  const radios = Object.entries(choices).map(([value, text]) => element("label.check", {},
    element("input", { type: "radio", name: "theme", value, checked: theme.value === value, onChange: () => {
      theme.value = value;
    } }), text));
  const menu = element("details.menu", { onKeydown: (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  } },
  element("summary.button.quiet", {}, "Menu"),
  element("div.menu-body", {},
    element("fieldset", {}, element("legend", {}, "Theme"), radios),
    element("p.hint", {}, `All times are in the time zone ${timeZone}.`),
    element("p", {}, element("a", { href: "openapi.json" }, "API description (OpenAPI)")),
    element("button", { type: "button", onClick: () => session.signOut() }, "Sign out")));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  append(document.getElementById("menu"), [menu]);
}
