import { element, setChildren, updateKeyedChildren } from "../core/dom.js";
import { formatDistance, formatSpeed } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { compareNaturally } from "../core/natural-order.js";
import { oncePerFrame } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { formatAge } from "../core/time.js";
import { outdatedAfter } from "../map/device-layer.js";
import { text } from "../text/text.js";

const initialCount = 25;

/** The table of the devices that match the filter, sorted by their last report, the newest first. */
export function deviceList(app, filters) {
  const texts = text.live.devices;
  let shown = initialCount;
  const body = element("tbody");
  const caption = element("caption");
  const table = element("table.list.device-table", {}, caption,
    element("thead", {}, element("tr", {}, [texts.device, texts.lastReport, texts.inside].map((title) =>
      element("th", { scope: "col" }, title)))), body);
  const empty = element("div");
  const more = element("button.quiet", { type: "button", hidden: true, onClick: () => {
    shown += 200;
    draw();
  } }, text.live.showMore);
  const draw = () => {
    const { devices } = app;
    const indexes = [];
    const isIncluded = app.mapView.deviceFilter.value;
    for (let index = 0; index < devices.count; index += 1) if (isIncluded(index)) indexes.push(index);
    const time = (index) => (Number.isNaN(devices.time[index]) ? -Infinity : devices.time[index]);
    indexes.sort((a, b) => time(b) - time(a) || compareNaturally(devices.ids[a], devices.ids[b]));
    updateKeyedChildren(body, indexes.slice(0, shown), (index) => devices.ids[index],
      (index, old) => row(app, index, old));
    caption.textContent = indexes.length === devices.count
      ? text.common.devices(devices.count) : texts.some(indexes.length, devices.count);
    more.hidden = indexes.length <= shown;
    table.hidden = !indexes.length;
    setChildren(empty, indexes.length ? null : emptyState(app));
  };
  const scheduleDraw = oncePerFrame(draw);
  app.devices.changes.watch(scheduleDraw);
  app.poller.state.subscribe(scheduleDraw);
  profiles.changes.subscribe(scheduleDraw);
  app.mapView.deviceFilter.subscribe(scheduleDraw);
  app.selection.subscribe(scheduleDraw);
  filters.changes.subscribe(scheduleDraw);
  setInterval(() => document.hidden || scheduleDraw(), 10_000);
  return element("section.block", { "aria-labelledby": "devices-title" },
    element("h2#devices-title", {}, texts.title), table, empty, more);
}

function row(app, index, old) {
  const texts = text.live.devices;
  const { devices } = app;
  const id = devices.ids[index];
  const isOld = devices.isStale[index] === 1 || Date.now() - devices.time[index] > outdatedAfter;
  const details = [
    Number.isNaN(devices.accuracy[index]) ? null : `± ${formatDistance(devices.accuracy[index])}`,
    Number.isNaN(devices.speed[index]) ? null : formatSpeed(devices.speed[index]),
    Number.isNaN(devices.battery[index]) ? null : texts.battery(`${Math.round(devices.battery[index] * 100)}\u00a0%`),
  ].filter(Boolean).join(", ");
  const lastReport = Number.isNaN(devices.time[index]) ? texts.never : formatAge(devices.time[index]);
  const inside = devices.regions[index].map(app.regions.nameOf).join(", ");
  const [name, color] = [profiles.nameOf(id), profiles.colorOf(id)];
  const content = [id, name, color, details, lastReport, inside, isOld].join("|");
  const tableRow = old ?? element("tr");
  tableRow.classList.toggle("selected", app.selection.value.device === id);
  if (tableRow.dataset.shown === content) return tableRow;
  tableRow.dataset.shown = content;
  return setChildren(tableRow,
    element("th", { scope: "row" }, element("a", {
      href: linkTo({ device: id, region: null, event: null }), onClick: () => app.mapView.showDevice(id),
    }, color && element("span.dot", { style: { "--device": color }, "aria-hidden": true }), name),
    element("small", {}, [name !== id && id, details].filter(Boolean).join(", "))),
    element("td", {}, lastReport, isOld ? element("small", {}, texts.stale) : null),
    element("td", {}, inside || element("span.hint", {}, "—")));
}

function emptyState(app) {
  const texts = text.live.devices;
  const state = app.poller.state.value;
  if (state === null) return element("div.empty.loading", {}, element("p", {}, texts.loading));
  if (state.problem) {
    return element("div.empty.bad", {},
      element("p.empty-title", {}, texts.loadingFailed), element("p", {}, state.problem.message),
      element("button", { type: "button", onClick: () => app.poller.poll() }, text.common.tryAgain));
  }
  if (app.devices.count) return element("div.empty", {}, element("p", {}, texts.noMatch));
  return element("div.empty", {}, element("p.empty-title", {}, texts.none),
    element("p", {}, texts.noneHint));
}
