// Import of regions in any format that the service reads, and export as GeoJSON.

import { element, setChildren } from "../core/dom.js";
import { download } from "../core/download.js";
import { boundingBox } from "../core/geo.js";
import { Observable } from "../core/observable.js";
import { RegionLayer } from "../map/region-layer.js";
import { TagColors } from "../state/tag-colors.js";
import { text } from "../text/text.js";
import { shapeText } from "./region-list.js";
import { importRegions } from "./requests.js";

const texts = text.regions.importing;

/** How many regions a preview lists. */
const listed = 20;

/** Downloads regions as a FeatureCollection, one feature per line. geojson.io and QGIS can read it. */
export function exportRegions(features, name = "regions.geojson") {
  const lines = features.map((feature) => JSON.stringify(feature)).join(",\n");
  download(name, new Blob([`{"type":"FeatureCollection","features":[\n${lines}\n]}\n`],
    { type: "application/geo+json" }));
}

/**
 * The form that imports regions from a file, by drag and drop, or as text. It shows what would be stored, as a list and
 * on the map, and stores it after that.
 * @returns {{form: HTMLElement, close: () => void}} `close` takes the preview off the map.
 */
export function importForm(app, onEnd) {
  const field = element("textarea#import-text", { rows: 6, placeholder: texts.placeholder });
  const repair = element("input", { type: "checkbox", onChange: () => again() });
  const idProperty = element("input#import-id", { type: "text", autocomplete: "off", maxLength: 256,
    onChange: () => again() });
  const radius = element("input#import-radius", { type: "number", min: 1, step: "any", placeholder: "100",
    onChange: () => again() });
  const result = element("div", { role: "status" });
  const file = element("input#import-file", { type: "file",
    onChange: () => preview(file.files[0], file.files[0]?.name) });
  /** What the preview shows: the content and its name. Another choice replaces it. */
  let shown = null;
  let layer = null;

  const show = (features) => {
    layer?.remove();
    layer = null;
    if (!features.length) return;
    const byID = new Map(features.map((feature) => [String(feature.id), feature]));
    const regions = { changes: new Observable(byID) };
    layer = new RegionLayer(regions, new Observable({ region: null }), new Observable(new Map()),
      new TagColors(regions));
    app.map.addLayer(layer);
    app.mapView.showBox(boxOf(features), 16);
  };
  const send = (content, dryRun) => importRegions(content, {
    repair: repair.checked, idProperty: idProperty.value.trim(), radius: radius.value, dryRun,
  });
  const fail = (name, problem) => {
    show([]);
    setChildren(result, element("div.empty.bad", {}, element("p.empty-title", {}, texts.failed(name)),
      element("p", {}, problem.message), reasonList(problem.errors)));
    result.scrollIntoView({ block: "nearest" });
  };

  /** Asks the service what it would store. */
  const preview = async (content, name) => {
    if (!content) return;
    const choice = { content, name };
    shown = choice;
    setChildren(result, element("p.hint", {}, texts.reading(name)));
    try {
      const answer = await send(content, true);
      if (shown !== choice) return;
      // Others may have made the regions since the list was read.
      if (answer.replacedIds?.some((id) => !app.regions.get(id))) await app.reloadRegions();
      if (shown !== choice) return;
      const count = answer.created + answer.replaced;
      show(answer.regions);
      setChildren(result, element("h3", {}, texts.found(name, count)),
        element("p", {}, texts.counts(answer.created, answer.replaced)), replacedList(app, answer), warningsOf(answer),
        element("ul.lines.import-regions", {}, answer.regions.slice(0, listed).map((feature) => element("li", {},
          feature.properties?.name ?? String(feature.id), element("small", {}, shapeText(feature)))),
        count > listed && element("li", {}, texts.more(count - listed))),
        element("div.row", {},
          element("button.primary", { type: "button", disabled: count === 0, onClick: () => store(choice) },
            texts.store(count)),
          element("button", { type: "button", onClick: () => discard() }, texts.discard)));
      result.scrollIntoView({ block: "nearest" });
    } catch (problem) {
      if (shown === choice) fail(name, problem);
    }
  };
  const again = () => { if (shown) preview(shown.content, shown.name); };
  const discard = () => {
    shown = null;
    file.value = "";
    show([]);
    setChildren(result);
  };
  const store = async ({ content, name }) => {
    setChildren(result, element("p.hint", {}, texts.underWay(name)));
    try {
      const answer = await send(content, false);
      discard();
      await app.reloadRegions();
      app.toast(texts.done(answer.created, answer.replaced));
      setChildren(result, element("p", {}, texts.doneWith(name, answer.created, answer.replaced)), warningsOf(answer));
      app.mapView.showAll();
    } catch (problem) {
      fail(name, problem);
    }
  };
  const close = () => {
    shown = null;
    show([]);
  };

  const form = element("form.card.form", { onSubmit: (event) => {
    event.preventDefault();
    if (field.value.trim()) preview(field.value, null);
  }, onDragover: (event) => {
    event.preventDefault();
    form.classList.add("drag-over");
  }, onDragleave: () => form.classList.remove("drag-over"), onDrop: (event) => {
    event.preventDefault();
    form.classList.remove("drag-over");
    const [dropped] = event.dataTransfer.files;
    preview(dropped, dropped?.name);
  } },
  element("div.card-head", {}, element("h2", {}, texts.title), element("button.quiet.icon-only", {
    type: "button", "aria-label": text.common.close, onClick: () => {
      close();
      onEnd();
    },
  }, "×")),
  element("p.hint", {}, texts.hint),
  element("label", { for: "import-file" }, texts.file), file,
  element("label", { for: "import-text" }, texts.text), field,
  element("label", { for: "import-id" }, texts.idProperty), idProperty,
  element("label", { for: "import-radius" }, texts.radius), radius,
  element("label.check", {}, repair, texts.repair),
  element("div.row", {}, element("button.primary", { type: "submit" }, texts.submit)), result);
  return { form, close };
}

/** The box around features, as `[west, south, east, north]`. */
const boxOf = (features) => features.map(boundingBox).reduce((sum, box) => [
  Math.min(sum[0], box[0]), Math.min(sum[1], box[1]), Math.max(sum[2], box[2]), Math.max(sum[3], box[3])]);

/** The stored regions that the file would replace, by name: two files may have given one id to different places. */
function replacedList(app, { replacedIds = [] }) {
  if (!replacedIds.length) return null;
  const names = replacedIds.slice(0, listed).map((id) => app.regions.nameOf(id));
  const rest = replacedIds.length - names.length;
  return element("p.hint", {}, texts.replaces(names.join(", ") + (rest > 0 ? ` ${texts.more(rest)}` : "")));
}

const warningsOf = ({ warnings = [] }) => warnings.length > 0
  && [element("h3", {}, texts.warnings), reasonList(warnings)];

const reasonList = (reasons) => element("ul.lines", {}, reasons.map((reason) => element("li", {},
  reason.pointer && element("code", {}, reason.pointer), reason.line && texts.line(reason.line), " ", reason.detail)));
