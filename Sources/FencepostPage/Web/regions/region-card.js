import { fill, h } from "../core/dom.js";
import { link } from "../core/hash.js";
import { perFrame } from "../core/observable.js";
import { wholeMoment } from "../core/time.js";
import { count } from "../core/words.js";
import { exportRegions } from "./exchange.js";
import { load, remove, restore } from "./saving.js";
import { shapeOf } from "./region-list.js";

const mostNamed = 30;

/** The chosen region: what it is, who is inside, and what can be done with it. */
export function regionCard(app, edit) {
  const element = h("article.card", { hidden: true, "aria-label": "Chosen region" });
  let isAsking = false;
  const draw = () => {
    const { region: id } = app.selection.value;
    const feature = id === null ? null : app.book.get(id);
    element.hidden = id === null || (!feature && !app.book.isLoaded);
    if (element.hidden) return;
    if (!feature) {
      fill(element, h("p", {}, `There is no region “${id}” any more.`));
      return;
    }
    fill(element, head(app, feature), facts(feature), inside(app, id),
      isAsking ? question(app, feature, ask) : actions(app, feature, edit, ask));
  };
  const later = perFrame(draw);
  const ask = (value) => {
    isAsking = value;
    draw();
    if (value) element.querySelector(".danger")?.focus();
  };
  app.selection.watch(() => {
    isAsking = false;
    later();
  });
  app.book.changes.follow(later);
  app.scene.occupied.follow(later);
  return element;
}

const head = (app, feature) => h("header.card-head", {},
  h("h2", {}, feature.properties?.name ?? String(feature.id)),
  h("button.quiet.icon-only", { type: "button", "aria-label": "Close",
    onClick: () => app.select({ region: null }) }, "×"));

function facts(feature) {
  const properties = feature.properties ?? {};
  const rows = [["Id", String(feature.id)], ["Shape", shapeOf(feature)]];
  if (properties.tags?.length) rows.push(["Tags", properties.tags.join(", ")]);
  if (properties.notifyOnEntry === false) rows.push(["Entries", "are not told"]);
  if (properties.notifyOnExit === false) rows.push(["Exits", "are not told"]);
  if (properties.dwell !== undefined) rows.push(["Dwell", [properties.dwell].flat().join(", ")]);
  if (properties.crossing) rows.push(["Crossing", properties.crossing]);
  if (properties.schedule) {
    rows.push(["Open", `${properties.schedule.weekly.join("; ")} (${properties.schedule.timeZone})`]);
  }
  if (properties.devices) rows.push(["For", [properties.devices].flat().join(", ")]);
  if (properties.expires) rows.push(["Expires", wholeMoment(properties.expires)]);
  return h("dl.facts", {}, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function inside(app, id) {
  const { fleet } = app;
  const devices = fleet.ids.filter((_, place) => fleet.regions[place].includes(id));
  return h("p", {}, devices.length ? `${count(devices.length, "device")} inside: ` : "Nobody is inside.",
    devices.slice(0, mostNamed).map((device, index) => [index ? ", " : "",
      h("a", { href: link({ tab: "live", device, region: null }) }, device)]),
    devices.length > mostNamed ? ` and ${devices.length - mostNamed} more` : null);
}

function actions(app, feature, edit, ask) {
  const id = String(feature.id);
  return h("div.row", {},
    h("button", { type: "button", onClick: () => app.scene.showRegion(id) }, "Show"),
    h("button", { type: "button", onClick: () => edit(id) }, "Change"),
    h("button", { type: "button", onClick: () => {
      app.openTab("live");
      app.walkInto(id);
    } }, "Walk in"),
    h("button", { type: "button", onClick: () => exportRegions([feature], `${id.replaceAll("/", "-")}.geojson`) },
      "Export"),
    h("button.danger", { type: "button", onClick: () => ask(true) }, "Delete"));
}

function question(app, feature, ask) {
  const id = String(feature.id);
  const name = app.book.nameOf(id);
  const doIt = async () => {
    try {
      const { etag, feature: current } = await load(id);
      await remove(id, etag);
      app.book.remove(id);
      app.select({ region: null });
      app.toast(`${name} was deleted.`, { action: { label: "Bring it back", run: async () => {
        app.book.put(await restore(current));
      } } });
    } catch (problem) {
      app.toast(`${name} was not deleted: ${problem.message}`, { tone: "bad" });
      ask(false);
    }
  };
  return h("div", { role: "alert" },
    h("p", {}, `Delete ${name}? Whoever is inside leaves it, with the reason “deleted”.`),
    h("div.row", {}, h("button.danger", { type: "button", onClick: doIt }, "Delete it"),
      h("button", { type: "button", onClick: () => ask(false) }, "Keep it")));
}
