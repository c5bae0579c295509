// Import and export of regions as GeoJSON.

import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";
import { importRegions } from "./requests.js";

const texts = text.regions.importing;

/** Downloads a text as a file. */
function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Downloads regions as a FeatureCollection, one feature per line. geojson.io and QGIS can read it. */
export function exportRegions(features, name = "regions.geojson") {
  const lines = features.map((feature) => JSON.stringify(feature)).join(",\n");
  download(name, `{"type":"FeatureCollection","features":[\n${lines}\n]}\n`, "application/geo+json");
}

/** The form that imports GeoJSON from a file, by drag and drop, or as text. */
export function importForm(app, onEnd) {
  const field = element("textarea#import-text", {
    rows: 6, placeholder: '{"type":"FeatureCollection","features":[…]}',
  });
  const repair = element("input", { type: "checkbox" });
  const idProperty = element("input#import-id", { type: "text", autocomplete: "off", maxLength: 256 });
  const result = element("div", { role: "status" });
  const file = element("input#import-file", { type: "file", accept: ".geojson,.json,.ndjson,application/geo+json",
    onChange: () => importFile(file.files[0]) });

  const importFile = async (selected) => {
    if (!selected) return;
    await send(await selected.text(), selected.name);
    file.value = "";
  };
  const send = async (body, name) => {
    setChildren(result, element("p.hint", {}, texts.underWay(name)));
    try {
      const { created, replaced, warnings = [] } = await importRegions(body, repair.checked, idProperty.value.trim());
      await app.reloadRegions();
      app.toast(texts.done(created, replaced));
      setChildren(result, element("p", {}, texts.doneWith(name, created, replaced)),
        warnings.length ? [element("h3", {}, texts.warnings), errorList(warnings)] : null);
      app.mapView.showAll();
    } catch (problem) {
      setChildren(result, element("div.empty.bad", {}, element("p.empty-title", {}, texts.failed(name)),
        element("p", {}, problem.message), errorList(problem.errors)));
    }
  };

  const form = element("form.card.form", { onSubmit: (event) => {
    event.preventDefault();
    if (field.value.trim()) send(field.value, null);
  }, onDragover: (event) => {
    event.preventDefault();
    form.classList.add("drag-over");
  }, onDragleave: () => form.classList.remove("drag-over"), onDrop: (event) => {
    event.preventDefault();
    form.classList.remove("drag-over");
    importFile(event.dataTransfer.files[0]);
  } },
  element("div.card-head", {}, element("h2", {}, texts.title), element("button.quiet.icon-only", {
    type: "button", "aria-label": text.common.close, onClick: onEnd,
  }, "×")),
  element("p.hint", {}, texts.hint),
  element("label", { for: "import-file" }, texts.file), file,
  element("label", { for: "import-text" }, texts.text), field,
  element("label", { for: "import-id" }, texts.idProperty), idProperty,
  element("label.check", {}, repair, texts.repair),
  element("div.row", {}, element("button.primary", { type: "submit" }, texts.submit)), result);
  return form;
}

const errorList = (errors) => element("ul.lines", {}, errors.map((error) => element("li", {},
  error.pointer && element("code", {}, error.pointer), " ", error.detail)));
