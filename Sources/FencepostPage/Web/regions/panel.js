import { fill, h, keyed } from "../core/dom.js";
import { link } from "../core/hash.js";
import { perFrame } from "../core/observable.js";
import { count, meters } from "../core/words.js";
import { trouble } from "../shell/toasts.js";

const firstShown = 60;

/** The regions: a list with who is inside, and the way to draw and change them. */
export const regionsPanel = {
  id: "regions",
  title: "Regions",
  mount(app, element) {
    let shown = firstShown;
    const find = h("input", { type: "search", placeholder: "Find a region", "aria-label": "Find a region",
      onInput: () => later() });
    const list = h("ul.rows");
    const note = h("div");
    const more = h("button.quiet", { type: "button", onClick: () => {
      shown += 200;
      later();
    } }, "Show more");
    const draw = () => {
      if (app.book.problem.value) return trouble(note, app.book.problem.value, () => app.reload());
      const wanted = find.value.toLowerCase();
      const features = [...app.book.all.values()].filter(({ id, properties }) =>
        `${id} ${properties?.name ?? ""} ${properties?.tags ?? ""}`.toLowerCase().includes(wanted));
      keyed(list, features.slice(0, shown), (feature) => String(feature.id), (feature) => row(app, feature));
      more.hidden = features.length <= shown;
      return fill(note, features.length ? app.book.isCut && h("p.hint", {}, "There are more regions than are shown.")
        : nothing(app));
    };
    const later = perFrame(draw);
    app.book.changes.watch(later);
    app.book.problem.follow(later);
    app.selection.follow(later);
    app.scene.occupied.follow(later);
    element.append(h("div.filters", { role: "search" }, find), list, note, more);
  },
};

function row(app, feature) {
  const id = String(feature.id);
  const inside = app.scene.occupied.value.get(id) ?? 0;
  return h(`li${app.selection.value.region === id ? ".chosen" : ""}`, {},
    h("a.row-link", {
      href: link({ region: id, device: null, event: null }), onClick: () => app.scene.showRegion(id),
    },
    h("span.row-title", {}, feature.properties?.name ?? id),
    h("span.row-note", {}, shapeOf(feature)),
    h(`span.chip${inside ? ".inside" : ""}`, {}, inside ? `${count(inside, "device")} inside` : "empty")));
}

function shapeOf({ geometry, properties = {} }) {
  switch (geometry.type) {
    case "Point": return `circle, ${meters(properties.radius)}`;
    case "LineString": case "MultiLineString": return `corridor, ${meters(properties.width)} wide`;
    default: return "polygon";
  }
}

function nothing(app) {
  if (!app.book.isLoaded) return h("div.empty.loading", {}, h("p", {}, "Reading regions …"));
  if (app.book.all.size) return h("div.empty", {}, h("p", {}, "No region is called that."));
  return h("div.empty", {}, h("p.empty-title", {}, "No region yet"),
    h("p", {}, "A region is a place to be told about: draw one, or import GeoJSON."));
}
