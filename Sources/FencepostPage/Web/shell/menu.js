import { append, element } from "../core/dom.js";
import { session } from "../core/session.js";
import { theme } from "../core/theme.js";
import { zoneLabel } from "../core/time.js";
import { unitChoice } from "../core/units.js";
import { chooseLanguage, chosenLanguage } from "../text/choice.js";
import { languages } from "../text/languages.js";
import { text } from "../text/text.js";

/** A group of radio buttons for the value of an observable. */
const radioGroup = (title, name, labels, choice, changed = () => {}) => element("fieldset", {},
  element("legend", {}, title), Object.entries(labels).map(([value, label]) => element("label.check", {},
    element("input", { type: "radio", name, value, checked: choice.value === value, onChange: () => {
      choice.value = value;
      changed();
    } }), label)));

/** The choice of the language, `browser` for the browser's own. */
const languageChoice = {
  get value() {
    return chosenLanguage() ?? "browser";
  },
  set value(name) {
    chooseLanguage(name === "browser" ? null : name);
  },
};

/** Adds the menu of the app bar: the views that are no tabs, theme, language, units, time zone, sign-out. */
export function makeMenu(views) {
  const texts = text.shell.menu;
  const changeTimeZone = element("p.hint", {}, texts.changeTimeZone);
  session.access.watch(({ user }) => {
    changeTimeZone.hidden = !user;
  });
  const menu = element("details.menu", { onKeydown: (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  } },
  element("summary.button.quiet", {}, texts.menu),
  element("div.menu-body", {},
    element("nav.menu-views", { "aria-label": texts.more, onClick: () => {
      menu.open = false;
    } }, views),
    radioGroup(texts.theme, "theme", texts.themes, theme),
    // All texts are written again, also those of the map.
    radioGroup(texts.language, "language", {
      browser: texts.browserLanguage,
      ...Object.fromEntries(Object.entries(languages).map(([name, { language }]) => [name, language])),
    }, languageChoice, () => location.reload()),
    radioGroup(texts.units, "units", texts.unitChoices, unitChoice, () => location.reload()),
    element("p.hint", {}, texts.timeZone(zoneLabel())),
    changeTimeZone,
    element("p", {}, element("a", { href: "openapi.json" }, texts.description)),
    element("button", { type: "button", onClick: () => session.signOut() }, texts.signOut)));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
  append(document.getElementById("menu"), [menu]);
}
