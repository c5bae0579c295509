import { fill, h, keyed } from "../core/dom.js";
import { link } from "../core/hash.js";
import { perFrame } from "../core/observable.js";
import { count, meters } from "../core/words.js";
import { trouble } from "../shell/toasts.js";

const firstShown = 60;

/**
 * All regions with how many are inside.
 * @param {Element[]} tools buttons beside the field that finds.
 */
export function regionList(app, tools) {
  let shown = firstShown;
  const find = h("input", { type: "search", placeholder: "Find a region", "aria-label": "Find a region",
    onInput: () => later() });
  const list = h("ul.rows");
  const note = h("div");
  const more = h("button.quiet", { type: "button", hidden: true, onClick: () => {
    shown += 200;
    later();
  } }, "Show more");
  const draw = () => {
    if (app.book.problem.value) {
      trouble(note, app.book.problem.value, () => app.reload());
      return;
    }
    const wanted = find.value.toLowerCase();
    const features = [...app.book.all.values()].filter(({ id, properties }) =>
      `${id} ${properties?.name ?? ""} ${properties?.tags ?? ""}`.toLowerCase().includes(wanted));
    keyed(list, features.slice(0, shown), (feature) => String(feature.id), (feature, old) => row(app, feature, old));
    more.hidden = features.length <= shown;
    fill(note, features.length ? app.book.isCut && h("p.hint", {}, "There are more regions than are shown.")
      : nothing(app));
  };
  const later = perFrame(draw);
  app.book.changes.watch(later);
  app.book.problem.follow(later);
  app.selection.follow(later);
  app.scene.occupied.follow(later);
  return h("section", { "aria-label": "All regions" },
    h("div.row.tight", { role: "search" }, find, tools), list, note, more);
}

function row(app, feature, old) {
  const id = String(feature.id);
  const inside = app.scene.occupied.value.get(id) ?? 0;
  const name = feature.properties?.name ?? id;
  const text = [name, inside, shapeOf(feature)].join("|");
  const element = old ?? h("li");
  element.classList.toggle("chosen", app.selection.value.region === id);
  if (element.dataset.text === text) return element;
  element.dataset.text = text;
  return fill(element, h("a.row-link", {
    href: link({ region: id, device: null, event: null }), onClick: () => app.scene.showRegion(id),
  },
  h("span.row-title", {}, name), h("span.row-note", {}, shapeOf(feature)),
  h(`span.chip${inside ? ".inside" : ""}`, {}, inside ? `${count(inside, "device")} inside` : "empty")));
}

/** A shape in a few words. */
export function shapeOf({ geometry, properties = {} }) {
  switch (geometry.type) {
    case "Point": return `circle, ${meters(properties.radius)}`;
    case "LineString": case "MultiLineString": return `corridor, ${meters(properties.width)} wide`;
    case "MultiPolygon": return `${geometry.coordinates.length} polygons`;
    default: return geometry.coordinates.length > 1 ? "polygon with holes" : "polygon";
  }
}

function nothing(app) {
  if (!app.book.isLoaded) return h("div.empty.loading", {}, h("p", {}, "Reading regions …"));
  if (app.book.all.size) return h("div.empty", {}, h("p", {}, "No region is called that."));
  return h("div.empty", {}, h("p.empty-title", {}, "No region yet"),
    h("p", {}, "A region is a place to be told about: draw one, or import GeoJSON."));
}
