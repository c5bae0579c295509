import { element, setChildren, updateKeyedChildren } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { compareNaturally } from "../core/natural-order.js";
import { oncePerFrame } from "../core/observable.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";

const texts = text.regions.list;
const initialCount = 60;

/**
 * The list of regions with the number of devices inside.
 * @param {Element[]} tools buttons next to the search field.
 */
export function regionList(app, tools) {
  let shown = initialCount;
  const find = element("input", { type: "search", placeholder: texts.find, "aria-label": texts.find,
    onInput: () => scheduleDraw() });
  const list = element("ul.rows");
  const note = element("div");
  const more = element("button.quiet", { type: "button", hidden: true, onClick: () => {
    shown += 200;
    scheduleDraw();
  } }, texts.showMore);
  const draw = () => {
    if (app.regions.problem.value) {
      showError(note, app.regions.problem.value, () => app.reloadRegions());
      return;
    }
    const wanted = find.value.toLowerCase();
    const features = [...app.regions.all.values()].filter(({ id, properties }) =>
      `${id} ${properties?.name ?? ""} ${properties?.tags ?? ""}`.toLowerCase().includes(wanted));
    features.sort((a, b) => compareNaturally(nameOf(a), nameOf(b)));
    updateKeyedChildren(list, features.slice(0, shown), (feature) => String(feature.id),
      (feature, old) => row(app, feature, old));
    more.hidden = features.length <= shown;
    setChildren(note, features.length ? app.regions.isTruncated && element("p.hint", {}, texts.notAll)
      : emptyState(app));
  };
  const scheduleDraw = oncePerFrame(draw);
  app.regions.changes.watch(scheduleDraw);
  app.regions.problem.subscribe(scheduleDraw);
  app.selection.subscribe(scheduleDraw);
  app.mapView.deviceCounts.subscribe(scheduleDraw);
  return element("section", { "aria-label": texts.label },
    element("div.row.tight", { role: "search" }, find, tools), list, note, more);
}

const nameOf = ({ id, properties }) => properties?.name ?? String(id);

function row(app, feature, old) {
  const id = String(feature.id);
  const inside = app.mapView.deviceCounts.value.get(id) ?? 0;
  const name = nameOf(feature);
  const color = app.tagColors.nameOf(feature);
  const content = [name, inside, shapeText(feature), color].join("|");
  const item = old ?? element("li");
  item.classList.toggle("selected", app.selection.value.region === id);
  if (item.dataset.content === content) return item;
  item.dataset.content = content;
  return setChildren(item, element("a.row-link", {
    href: linkTo({ region: id, device: null, event: null }), onClick: () => app.mapView.showRegion(id),
  },
  element("span.row-title", {}, color
    && element("span.tag-color", { style: { "--region": `var(--${color})` }, "aria-hidden": true }), name),
  element("span.row-note", {}, shapeText(feature)),
  element(`span.chip${inside ? ".inside" : ""}`, {}, inside ? texts.devicesInside(inside) : texts.empty)));
}

/**
 * A shape as a short text.
 * @param {{geometry: any, properties?: Record<string, any>}} feature
 */
export function shapeText({ geometry, properties = {} }) {
  const { shapes } = text.regions;
  switch (geometry.type) {
    case "Point": return shapes.circle(formatDistance(properties.radius));
    case "LineString": case "MultiLineString": return shapes.corridor(formatDistance(properties.width));
    case "MultiPolygon": return shapes.polygons(geometry.coordinates.length);
    default: return geometry.coordinates.length > 1 ? shapes.polygonWithHoles : shapes.polygon;
  }
}

function emptyState(app) {
  if (!app.regions.isLoaded) return element("div.empty.loading", {}, element("p", {}, texts.loading));
  if (app.regions.all.size) return element("div.empty", {}, element("p", {}, texts.noMatch));
  return element("div.empty", {}, element("p.empty-title", {}, texts.noRegions),
    element("p", {}, texts.noRegionsHint));
}
