import { append, h } from "../core/dom.js";
import { session } from "../core/session.js";
import { theme } from "../core/theme.js";

const choices = { system: "As the system", light: "Light", dark: "Dark" };

/** What the bar offers: the theme, all in view, signing out. */
export function showTools(app) {
  const select = h("select", { "aria-label": "Colours", onChange: () => {
    theme.value = select.value;
  } }, Object.entries(choices).map(([value, text]) => h("option", { value }, text)));
  select.value = theme.value;
  append(document.getElementById("tools"), [
    h("button.quiet", { type: "button", onClick: () => app.scene.showAll() }, "Fit all"),
    select,
    h("button.quiet", { type: "button", onClick: () => session.signOut() }, "Sign out"),
  ]);
}
