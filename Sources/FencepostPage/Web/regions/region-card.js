import { element, fact, setChildren } from "../core/dom.js";
import { linkTo } from "../core/fragment.js";
import { oncePerFrame } from "../core/observable.js";
import { formatDateTime } from "../core/time.js";
import { text } from "../text/text.js";
import { exportRegions } from "./import-export.js";
import { shapeText } from "./region-list.js";
import { deleteRegion, loadRegion, restoreRegion } from "./requests.js";

const texts = text.regions.card;
const maximumNamed = 30;

/** The card of the selected region: its properties, the devices inside, and the actions on it. */
export function regionCard(app, edit) {
  const card = element("article.card", { hidden: true, "aria-label": texts.label });
  let isAsking = false;
  let shownID = null;
  const draw = () => {
    const { region: id } = app.selection.value;
    const feature = id === null ? null : app.regions.get(id);
    card.hidden = id === null || (!feature && !app.regions.isLoaded);
    if (card.hidden) return;
    if (!feature) {
      setChildren(card, element("p", {}, texts.doesNotExist(id)));
      return;
    }
    setChildren(card, head(app, feature), facts(feature), devicesInside(app, id),
      isAsking ? deleteQuestion(app, feature, setAsking) : actions(app, feature, edit, setAsking));
    if (id !== shownID) card.scrollIntoView({ block: "nearest" });
    shownID = id;
  };
  const scheduleDraw = oncePerFrame(draw);
  const setAsking = (value) => {
    isAsking = value;
    draw();
    if (value) card.querySelector(".danger")?.focus();
  };
  app.selection.watch(() => {
    isAsking = false;
    scheduleDraw();
  });
  app.regions.changes.subscribe(scheduleDraw);
  app.mapView.deviceCounts.subscribe(scheduleDraw);
  return card;
}

const head = (app, feature) => element("header.card-head", {},
  element("h2", {}, feature.properties?.name ?? String(feature.id)),
  element("button.quiet.icon-only", { type: "button", "aria-label": text.common.close,
    onClick: () => app.select({ region: null }) }, "×"));

function facts(feature) {
  const properties = feature.properties ?? {};
  const rows = [[texts.id, String(feature.id)], [texts.shape, shapeText(feature)]];
  if (properties.tags?.length) rows.push([texts.tags, properties.tags.join(", ")]);
  if (properties.notifyOnEntry === false) rows.push([texts.entries, texts.notReported]);
  if (properties.notifyOnExit === false) rows.push([texts.exits, texts.notReported]);
  if (properties.dwell !== undefined) rows.push([texts.dwell, [properties.dwell].flat().join(", ")]);
  if (properties.crossing) rows.push([texts.crossing, properties.crossing]);
  if (properties.schedule) {
    const { weekly, timeZone } = properties.schedule;
    rows.push([texts.open, texts.openings(weekly.join("; "), timeZone)]);
  }
  if (properties.devices) rows.push([texts.devices, [properties.devices].flat().join(", ")]);
  if (properties.expires) rows.push([texts.expires, formatDateTime(properties.expires)]);
  return element("dl.facts", {}, rows.map(([name, value]) => fact(name, value)));
}

function devicesInside(app, id) {
  const { devices } = app;
  const inside = devices.ids.filter((_, index) => devices.regions[index].includes(id));
  const links = inside.slice(0, maximumNamed).map((device, index) => [index ? ", " : "",
    element("a", { href: linkTo({ tab: "live", device, region: null }) }, device)]);
  return element("p", {}, inside.length
    ? texts.devicesInside(inside.length, links, inside.length - links.length) : texts.noDevicesInside);
}

function actions(app, feature, edit, setAsking) {
  const id = String(feature.id);
  return element("div.row", {},
    element("button", { type: "button", onClick: () => app.mapView.showRegion(id) }, texts.show),
    element("button", { type: "button", data: { needs: "write" }, onClick: () => edit(id) }, texts.change),
    element("button", { type: "button", data: { needs: "ingest" }, onClick: () => {
      app.openTab("live");
      app.walkInto(id);
    } }, texts.walkIn),
    element("button", { type: "button", onClick: () => exportRegions([feature], `${id.replaceAll("/", "-")}.geojson`) },
      texts.export),
    element("button.danger", { type: "button", data: { needs: "write" }, onClick: () => setAsking(true) },
      text.common.delete));
}

function deleteQuestion(app, feature, setAsking) {
  const id = String(feature.id);
  const name = app.regions.nameOf(id);
  const confirm = async () => {
    try {
      const { etag, feature: current } = await loadRegion(id);
      await deleteRegion(id, etag);
      app.regions.remove(id);
      app.select({ region: null });
      app.toast(texts.deleted(name), { action: { label: texts.undo, run: async () => {
        app.regions.put(await restoreRegion(current));
      } } });
    } catch (problem) {
      app.toast(texts.notDeleted(name, problem.message), { tone: "bad" });
      setAsking(false);
    }
  };
  return element("div", { role: "alert" },
    element("p", {}, texts.deleteQuestion(name)),
    element("div.row", {}, element("button.danger", { type: "button", onClick: confirm }, text.common.delete),
      element("button", { type: "button", onClick: () => setAsking(false) }, text.common.cancel)));
}
