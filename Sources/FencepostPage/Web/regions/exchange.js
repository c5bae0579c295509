// GeoJSON in and out.

import { fill, h } from "../core/dom.js";
import { count } from "../core/words.js";
import { importText } from "./saving.js";

/** A file to the downloads of whoever looks. */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Regions as one collection, as geojson.io and QGIS read it. */
export function exportRegions(features, name = "regions.geojson") {
  const lines = features.map((feature) => JSON.stringify(feature)).join(",\n");
  download(name, `{"type":"FeatureCollection","features":[\n${lines}\n]}\n`, "application/geo+json");
}

/** The form that takes GeoJSON: a file, one that is dropped on it, or text. */
export function importForm(app, onEnd) {
  const text = h("textarea#import-text", { rows: 6, placeholder: '{"type":"FeatureCollection","features":[…]}' });
  const repair = h("input", { type: "checkbox" });
  const result = h("div", { role: "status" });
  const file = h("input#import-file", { type: "file", accept: ".geojson,.json,.ndjson,application/geo+json",
    onChange: () => take(file.files[0]) });

  const take = async (chosen) => {
    if (!chosen) return;
    await send(await chosen.text(), chosen.name);
    file.value = "";
  };
  const send = async (body, name) => {
    fill(result, h("p.hint", {}, `Reading ${name} …`));
    try {
      const { created, replaced, warnings = [] } = await importText(body, repair.checked);
      await app.reload();
      app.toast(`${count(created, "region")} added, ${replaced} replaced.`);
      fill(result, h("p", {}, `${name}: ${count(created, "region")} added, ${replaced} replaced.`),
        warnings.length ? [h("h3", {}, "Worth a look"), faultList(warnings)] : null);
      app.scene.showAll();
    } catch (problem) {
      fill(result, h("div.empty.bad", {}, h("p.empty-title", {}, `${name} was not imported`),
        h("p", {}, problem.message), faultList(problem.faults)));
    }
  };

  const form = h("form.card.form", { onSubmit: (event) => {
    event.preventDefault();
    if (text.value.trim()) send(text.value, "The text");
  }, onDragover: (event) => {
    event.preventDefault();
    form.classList.add("over");
  }, onDragleave: () => form.classList.remove("over"), onDrop: (event) => {
    event.preventDefault();
    form.classList.remove("over");
    take(event.dataTransfer.files[0]);
  } },
  h("div.card-head", {}, h("h2", {}, "Import GeoJSON"), h("button.quiet.icon-only", {
    type: "button", "aria-label": "Close", onClick: onEnd,
  }, "×")),
  h("p.hint", {}, "Features, a collection, or lines of features. All of it is taken in one step, or nothing. A region ",
    "with the id of one that is there replaces it."),
  h("label", { for: "import-file" }, "A file, or drop it here"), file,
  h("label", { for: "import-text" }, "Or text"), text,
  h("label.check", {}, repair, "Repair invalid polygons instead of refusing them"),
  h("div.row", {}, h("button.primary", { type: "submit" }, "Import")), result);
  return form;
}

const faultList = (faults) => h("ul.lines", {}, faults.map((fault) => h("li", {},
  fault.pointer && h("code", {}, fault.pointer), " ", fault.detail)));
