import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";
import { Draft } from "./draft.js";
import { openEditor } from "./editor.js";
import { exportRegions, importForm } from "./import-export.js";
import { openPresences } from "./presence-tool.js";
import { regionCard } from "./region-card.js";
import { unusedID } from "./region-id.js";
import { regionList } from "./region-list.js";
import { loadRegion } from "./requests.js";

/** The Regions tab: the list of regions, the editor, import and export. */
export const regionsPanel = {
  id: "regions",
  title: text.regions.title,
  mount(app, container) {
    const editor = element("div");
    const importContainer = element("div");
    let close = null;
    let closeImport = () => {};

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
        app.toast(text.regions.notLoaded(problem.message), { tone: "bad" });
      }
    };
    const ask = () => {
      close?.();
      browsing.hidden = true;
      close = openPresences(app, editor, () => {
        close = null;
        browsing.hidden = false;
      });
      app.setSheetHeight("half");
    };
    const draw = (kind) => open(Draft.create(kind, unusedID(app.regions, kind)));
    const tools = [
      element("button.quiet", { type: "button", data: { needs: "write" }, onClick: () => {
        closeImport();
        const { form, close: leave } = importForm(app, () => setChildren(importContainer));
        closeImport = leave;
        setChildren(importContainer, form);
        importContainer.scrollIntoView({ block: "nearest" });
      } }, text.regions.import),
      element("button.quiet", {
        type: "button", onClick: () => exportRegions([...app.regions.all.values()]),
      }, text.regions.export),
    ];
    const browsing = element("div", {},
      element("h2", { data: { needs: "write" } }, text.regions.draw),
      element("div.row.tight", { role: "group", "aria-label": text.regions.draw, data: { needs: "write" } },
        element("button.primary", { type: "button", onClick: () => draw("circle") }, text.regions.circle),
        element("button.primary", { type: "button", onClick: () => draw("polygon") }, text.regions.polygon),
        element("button.primary", { type: "button", onClick: () => draw("corridor") }, text.regions.corridor)),
      element("div.row.tight", {},
        element("button.quiet", { type: "button", onClick: ask }, text.presences.open)),
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
