import { element } from "../core/dom.js";
import { fragment, navigate } from "../core/fragment.js";
import { session } from "../core/session.js";
import { text } from "../text/text.js";
import { tabIcon } from "./icons.js";

/**
 * The `{show, hide}` of a panel that loads its data whenever it is shown, and clears them at sign-out, because the next
 * user must not see them.
 */
export function sessionPanel({ load, clear }) {
  let isShown = false;
  session.token.subscribe((token) => {
    if (token === null) clear();
    else if (isShown) load();
  });
  return {
    show() {
      isShown = true;
      load();
    },
    hide() {
      isShown = false;
    },
  };
}

/**
 * Creates the views of the panel: tabs for the panels of every day, the others for the menu. A panel is
 * `{id, title, mount(app, container)}`, with `isWide` where it needs the width of the page. `mount` is called when its
 * view opens for the first time; it may return `{show, hide}`, which are called whenever the view is shown or hidden.
 * @returns {HTMLElement[]} the buttons of the others.
 */
export function makeTabs(app, tabPanels, others) {
  const list = element("div.tab-list", { role: "tablist", "aria-label": text.shell.views });
  const views = document.getElementById("views");
  const needs = (panel) => ({ data: panel.needs ? { needs: panel.needs } : {} });
  const tabs = tabPanels.map((panel) => {
    const control = element(`button.tab#tab-${panel.id}`, {
      type: "button", role: "tab", "aria-controls": `view-${panel.id}`,
      onClick: () => navigate({ tab: panel.id }, true), ...needs(panel),
    }, tabIcon(panel.id), element("span", {}, panel.title));
    const view = element(`section.view#view-${panel.id}`, {
      role: "tabpanel", "aria-labelledby": control.id, tabindex: 0, hidden: true,
    });
    return { panel, control, view, handle: undefined };
  });
  const rest = others.map((panel) => ({
    panel,
    control: element("button.quiet", {
      type: "button", onClick: () => navigate({ tab: panel.id }, true), ...needs(panel),
    }, panel.title),
    view: element(`section.view#view-${panel.id}`, { "aria-label": panel.title, tabindex: 0, hidden: true }),
    handle: undefined,
  }));
  const parts = [...tabs, ...rest];
  list.append(...tabs.map(({ control }) => control));
  views.append(...parts.map(({ view }) => view));
  document.getElementById("tabs").append(list);
  let open = null;

  const show = (id) => {
    const next = parts.find((part) => part.panel.id === id) ?? parts[0];
    if (next === open) return;
    if (open) {
      open.view.hidden = true;
      open.handle?.hide?.();
    }
    open = next;
    const reachable = tabs.includes(next) ? next : tabs[0];
    for (const part of tabs) {
      part.control.setAttribute("aria-selected", String(part === next));
      part.control.tabIndex = part === reachable ? 0 : -1;
    }
    for (const { control } of rest) {
      if (control === next.control) control.setAttribute("aria-current", "page");
      else control.removeAttribute("aria-current");
    }
    document.getElementById("app").classList.toggle("wide", next.panel.isWide === true);
    next.view.hidden = false;
    views.scrollTop = 0;
    if (next.handle === undefined) next.handle = next.panel.mount(app, next.view) ?? null;
    next.handle?.show?.();
    reachable.control.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  // Arrow keys move between tabs (ARIA Authoring Practices Guide, tabs pattern).
  list.addEventListener("keydown", (event) => {
    const at = Math.max(0, tabs.indexOf(open));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const part = tabs[(to + tabs.length) % tabs.length];
    navigate({ tab: part.panel.id });
    part.control.focus();
  });
  app.openTab = (id) => navigate({ tab: id }, true);
  fragment.watch(({ tab }) => show(tab));
  return rest.map(({ control }) => control);
}
