import { element, setChildren } from "../core/dom.js";
import { Draft } from "./draft.js";
import { openEditor } from "./editor.js";
import { exportRegions, importForm } from "./import-export.js";
import { regionCard } from "./region-card.js";
import { unusedID } from "./region-id.js";
import { regionList } from "./region-list.js";
import { loadRegion } from "./requests.js";

/** The Regions tab: the list of regions, the editor, import and export. */
export const regionsPanel = {
  id: "regions",
  title: "Regions",
  mount(app, container) {
    const editor = element("div");
    const importContainer = element("div");
    let close = null;

    const open = (draft) => {
      close?.();
      browsing.hidden = true;
      close = openEditor(app, editor, draft, (id) => {
        close = null;
        browsing.hidden = false;
        if (id) app.select({ region: id, device: null });
      });
      // The sheet of a phone shows the instructions and the buttons, and the map above it is large enough to draw.
      app.setSheetHeight("half");
    };
    const edit = async (id) => {
      try {
        const { feature, etag } = await loadRegion(id);
        open(Draft.fromFeature(feature, etag));
        app.mapView.showRegion(id);
      } catch (problem) {
        app.toast(`The region could not be loaded: ${problem.message}`, { tone: "bad" });
      }
    };
    const draw = (kind) => open(Draft.create(kind, unusedID(app.regions, kind)));
    const tools = [
      element("button.quiet", { type: "button", data: { needs: "write" }, onClick: () => {
        setChildren(importContainer, importForm(app, () => setChildren(importContainer)));
        importContainer.scrollIntoView({ block: "nearest" });
      } }, "Import"),
      element("button.quiet", {
        type: "button", onClick: () => exportRegions([...app.regions.all.values()]),
      }, "Export"),
    ];
    const browsing = element("div", {},
      element("h2", { data: { needs: "write" } }, "Draw a region"),
      element("div.row.tight", { role: "group", "aria-label": "Draw a region", data: { needs: "write" } },
        element("button.primary", { type: "button", onClick: () => draw("circle") }, "Circle"),
        element("button.primary", { type: "button", onClick: () => draw("polygon") }, "Polygon"),
        element("button.primary", { type: "button", onClick: () => draw("corridor") }, "Corridor")),
      importContainer, regionCard(app, edit), regionList(app, tools));
    container.append(editor, browsing);
    return {
      hide() {
        // The draft stays on the map in other tabs, and clicks still add to it.
        app.map.getContainer().classList.toggle("drawing", close !== null);
      },
    };
  },
};
