import { element } from "../core/dom.js";
import { text } from "../text/text.js";

/**
 * The menu "+" of Live, which opens a tool: a form that is hidden otherwise.
 * @param {{title: string, needs: string, element: HTMLDetailsElement}[]} tools
 */
export function addMenu(tools) {
  const menu = element("details.menu.add-menu", { data: { needs: "ingest" }, onKeydown: (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  } },
  element("summary.button.icon-only", { "aria-label": text.live.add, title: text.live.add }, "+"),
  element("div.menu-body", {}, tools.map((tool) => element("button", {
    type: "button", data: { needs: tool.needs }, onClick: () => {
      menu.open = false;
      openTool(tool.element);
    },
  }, tool.title))));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
  for (const { element: tool } of tools) {
    tool.hidden = true;
    tool.addEventListener("toggle", () => {
      if (!tool.open) tool.hidden = true;
    });
  }
  return menu;
}

/** Shows and opens a tool, with the focus on its title. */
export function openTool(tool) {
  tool.hidden = false;
  tool.open = true;
  tool.scrollIntoView({ block: "start" });
  tool.querySelector("summary").focus({ preventScroll: true });
}

/** Buttons that open the tools, for lists that are empty. */
export const toolButtons = (tools) => element("div.row.centered", {}, tools.map((tool, index) =>
  element(index ? "button" : "button.primary", {
    type: "button", data: { needs: tool.needs }, onClick: () => openTool(tool.element),
  }, tool.title)));
