import { append, element } from "../core/dom.js";
import { session } from "../core/session.js";
import { theme } from "../core/theme.js";
import { timeZone } from "../core/time.js";
import { unitChoice } from "../core/units.js";

const themes = { system: "Same as system", light: "Light", dark: "Dark" };
const units = {
  language: "Those of the browser's language", metric: "Metres and kilometres", imperial: "Feet and miles",
};

/** A group of radio buttons for the value of an observable. */
const radioGroup = (title, name, texts, choice, changed = () => {}) => element("fieldset", {},
  element("legend", {}, title), Object.entries(texts).map(([value, text]) => element("label.check", {},
    element("input", { type: "radio", name, value, checked: choice.value === value, onChange: () => {
      choice.value = value;
      changed();
    } }), text)));

/** Adds the menu of the app bar: theme, units, time zone, API description, sign-out. */
export function makeMenu() {
  const menu = element("details.menu", { onKeydown: (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  } },
  element("summary.button.quiet", {}, "Menu"),
  element("div.menu-body", {},
    radioGroup("Theme", "theme", themes, theme),
    // All texts are written again, also those of the map.
    radioGroup("Units", "units", units, unitChoice, () => location.reload()),
    element("p.hint", {}, `All times are in the time zone ${timeZone}.`),
    element("p", {}, element("a", { href: "openapi.json" }, "API description (OpenAPI)")),
    element("button", { type: "button", onClick: () => session.signOut() }, "Sign out")));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  append(document.getElementById("menu"), [menu]);
}
