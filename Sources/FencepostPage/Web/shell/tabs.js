import { h } from "../core/dom.js";
import { go, place } from "../core/hash.js";

/**
 * The tabs of the panel. A panel is `{id, title, mount(app, element)}`; `mount` is called the first time that its tab
 * is opened, and may give back `{show, hide}`, called whenever the tab is.
 */
export function makeTabs(app, panels) {
  const list = h("div.tab-list", { role: "tablist", "aria-label": "What the panel shows" });
  const views = document.getElementById("views");
  const parts = panels.map((panel) => {
    const tab = h(`button.tab#tab-${panel.id}`, {
      type: "button", role: "tab", "aria-controls": `view-${panel.id}`, onClick: () => go({ tab: panel.id }, true),
    }, panel.title);
    const view = h(`section.view#view-${panel.id}`, {
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

  // Arrow keys go from tab to tab, as in every list of tabs (ARIA Authoring Practices).
  list.addEventListener("keydown", (event) => {
    const at = parts.indexOf(open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: parts.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const part = parts[(to + parts.length) % parts.length];
    go({ tab: part.panel.id });
    part.tab.focus();
  });
  app.openTab = (id) => go({ tab: id }, true);
  place.watch((parts) => show(parts.tab));
}
