import { element } from "../core/dom.js";
import { fragment, navigate } from "../core/fragment.js";
import { session } from "../core/session.js";
import { text } from "../text/text.js";

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
 * Creates the tabs of the panel. A panel is `{id, title, mount(app, container)}`. `mount` is called when its tab opens
 * for the first time; it may return `{show, hide}`, which are called whenever the tab is shown or hidden.
 */
export function makeTabs(app, panels) {
  const list = element("div.tab-list", { role: "tablist", "aria-label": text.shell.views });
  const views = document.getElementById("views");
  const parts = panels.map((panel) => {
    const tab = element(`button.tab#tab-${panel.id}`, {
      type: "button", role: "tab", "aria-controls": `view-${panel.id}`,
      onClick: () => navigate({ tab: panel.id }, true), data: panel.needs ? { needs: panel.needs } : {},
    }, panel.title);
    const view = element(`section.view#view-${panel.id}`, {
      role: "tabpanel", "aria-labelledby": `tab-${panel.id}`, tabindex: 0, hidden: true,
    });
    list.append(tab);
    views.append(view);
    return { panel, tab, view, handle: undefined };
  });
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
    for (const part of parts) {
      part.tab.setAttribute("aria-selected", String(part === next));
      part.tab.tabIndex = part === next ? 0 : -1;
    }
    next.view.hidden = false;
    if (next.handle === undefined) next.handle = next.panel.mount(app, next.view) ?? null;
    next.handle?.show?.();
    next.tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  // Arrow keys move between tabs (ARIA Authoring Practices Guide, tabs pattern).
  list.addEventListener("keydown", (event) => {
    const at = parts.indexOf(open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: parts.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const part = parts[(to + parts.length) % parts.length];
    navigate({ tab: part.panel.id });
    part.tab.focus();
  });
  app.openTab = (id) => navigate({ tab: id }, true);
  fragment.watch(({ tab }) => show(tab));
}
