import { element, fact, setChildren } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { oncePerFrame } from "../core/observable.js";
import { formatDateTime } from "../core/time.js";
import { exportRegions } from "./import-export.js";
import { shapeText } from "./region-list.js";
import { deleteRegion, loadRegion, restoreRegion } from "./requests.js";

const maximumNamed = 30;

/** The card of the selected region: its properties, the devices inside, and the actions on it. */
export function regionCard(app, edit) {
  const card = element("article.card", { hidden: true, "aria-label": "Selected region" });
  let isAsking = false;
  let shownID = null;
  const draw = () => {
    const { region: id } = app.selection.value;
    const feature = id === null ? null : app.regions.get(id);
    card.hidden = id === null || (!feature && !app.regions.isLoaded);
    if (card.hidden) return;
    if (!feature) {
      setChildren(card, element("p", {}, `The region “${id}” does not exist.`));
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
  element("button.quiet.icon-only", { type: "button", "aria-label": "Close",
    onClick: () => app.select({ region: null }) }, "×"));

function facts(feature) {
  const properties = feature.properties ?? {};
  const rows = [["Id", String(feature.id)], ["Shape", shapeText(feature)]];
  if (properties.tags?.length) rows.push(["Tags", properties.tags.join(", ")]);
  if (properties.notifyOnEntry === false) rows.push(["Entries", "not reported"]);
  if (properties.notifyOnExit === false) rows.push(["Exits", "not reported"]);
  if (properties.dwell !== undefined) rows.push(["Dwell", [properties.dwell].flat().join(", ")]);
  if (properties.crossing) rows.push(["Crossing", properties.crossing]);
  if (properties.schedule) {
    rows.push(["Open", `${properties.schedule.weekly.join("; ")} (${properties.schedule.timeZone})`]);
  }
  if (properties.devices) rows.push(["Devices", [properties.devices].flat().join(", ")]);
  if (properties.expires) rows.push(["Expires", formatDateTime(properties.expires)]);
  return element("dl.facts", {}, rows.map(([name, value]) => fact(name, value)));
}

function devicesInside(app, id) {
  const { devices } = app;
  const inside = devices.ids.filter((_, index) => devices.regions[index].includes(id));
  return element("p", {}, inside.length ? `${formatCount(inside.length, "device")} inside: ` : "No devices inside.",
    inside.slice(0, maximumNamed).map((device, index) => [index ? ", " : "",
      element("a", { href: linkTo({ tab: "live", device, region: null }) }, device)]),
    inside.length > maximumNamed ? ` and ${inside.length - maximumNamed} more` : null);
}

function actions(app, feature, edit, setAsking) {
  const id = String(feature.id);
  return element("div.row", {},
    element("button", { type: "button", onClick: () => app.mapView.showRegion(id) }, "Show"),
    element("button", { type: "button", data: { needs: "write" }, onClick: () => edit(id) }, "Change"),
    element("button", { type: "button", data: { needs: "ingest" }, onClick: () => {
      app.openTab("live");
      app.walkInto(id);
    } }, "Walk in"),
    element("button", { type: "button", onClick: () => exportRegions([feature], `${id.replaceAll("/", "-")}.geojson`) },
      "Export"),
    element("button.danger", { type: "button", data: { needs: "write" }, onClick: () => setAsking(true) }, "Delete"));
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
      app.toast(`${name} was deleted.`, { action: { label: "Undo", run: async () => {
        app.regions.put(await restoreRegion(current));
      } } });
    } catch (problem) {
      app.toast(`${name} was not deleted: ${problem.message}`, { tone: "bad" });
      setAsking(false);
    }
  };
  return element("div", { role: "alert" },
    element("p", {}, `Delete ${name}? Devices inside leave it with the reason “deleted”.`),
    element("div.row", {}, element("button.danger", { type: "button", onClick: confirm }, "Delete"),
      element("button", { type: "button", onClick: () => setAsking(false) }, "Cancel")));
}
