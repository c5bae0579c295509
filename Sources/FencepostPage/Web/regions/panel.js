import { fill, h } from "../core/dom.js";
import { Draft } from "./draft.js";
import { openEditor } from "./editor.js";
import { exportRegions, importForm } from "./exchange.js";
import { regionCard } from "./region-card.js";
import { regionList } from "./region-list.js";
import { load } from "./saving.js";

/** The regions: who is inside, and the way to draw, change, import and export them. */
export const regionsPanel = {
  id: "regions",
  title: "Regions",
  mount(app, element) {
    const editor = h("div");
    const exchange = h("div");
    let close = null;

    const open = (draft) => {
      close?.();
      browsing.hidden = true;
      close = openEditor(app, editor, draft, (id) => {
        close = null;
        browsing.hidden = false;
        if (id) app.select({ region: id, device: null });
      });
      app.setSheet(draft.isNew ? "low" : "half");
    };
    const edit = async (id) => {
      try {
        const { feature, etag } = await load(id);
        open(Draft.of(feature, etag));
        app.scene.showRegion(id);
      } catch (problem) {
        app.toast(`This region cannot be changed now: ${problem.message}`, { tone: "bad" });
      }
    };
    const draw = (kind) => open(Draft.fresh(kind, freeID(app, kind)));
    const tools = [
      h("button.quiet", { type: "button", onClick: () => {
        fill(exchange, importForm(app, () => fill(exchange)));
      } }, "Import"),
      h("button.quiet", { type: "button", onClick: () => exportRegions([...app.book.all.values()]) }, "Export"),
    ];
    const browsing = h("div", {}, h("h2", {}, "Draw a region"),
      h("div.row.tight", { role: "group", "aria-label": "Draw a region" },
        h("button.primary", { type: "button", onClick: () => draw("circle") }, "Circle"),
        h("button.primary", { type: "button", onClick: () => draw("polygon") }, "Polygon"),
        h("button.primary", { type: "button", onClick: () => draw("corridor") }, "Corridor")),
      exchange, regionCard(app, edit), regionList(app, tools));
    element.append(editor, browsing);
    return {
      hide() {
        // What is being drawn stays on the map while another tab is looked at; clicks go on to it.
        app.map.getContainer().classList.toggle("drawing", close !== null);
      },
    };
  },
};

/** An id that no region has. */
function freeID(app, kind) {
  let number = 1;
  while (app.book.get(`${kind}-${number}`)) number += 1;
  return `${kind}-${number}`;
}
