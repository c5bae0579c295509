import { element, setChildren, updateKeyedChildren } from "../core/dom.js";
import { formatDistance, formatSpeed } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { groups } from "../core/groups.js";
import { compareNaturally } from "../core/natural-order.js";
import { oncePerFrame } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { formatDateTime, formatShortAge } from "../core/time.js";
import { outdatedAfter } from "../map/device-layer.js";
import { text } from "../text/text.js";
import { toolButtons } from "./add-menu.js";
import { personCard } from "./people.js";

const initialCount = 25;

/** Up to so many devices have cards; more are a table. */
const maximumCards = 12;

/** The ways to sort the table; those of equal value are sorted by name. */
const orders = {
  name: () => 0,
  lastReport: (devices, a, b) => compareNumbers(devices.time[b], devices.time[a]),
  inside: (devices, a, b) => devices.regions[b].length - devices.regions[a].length,
  speed: (devices, a, b) => compareNumbers(devices.speed[b], devices.speed[a]),
  battery: (devices, a, b) => compareNumbers(devices.battery[a], devices.battery[b]),
  group: (devices, a, b) => compareTexts(groupsOf(devices.ids[a]), groupsOf(devices.ids[b])),
};

/** The column of groups, for those who may read them. */
const groupColumn = "group";
const groupsOf = (id) => groups.tagsOf(id).join(", ");

/** Unknown values are last. */
function compareNumbers(a, b) {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}

/** Empty texts are last. */
const compareTexts = (a, b) => Number(!a) - Number(!b) || compareNaturally(a, b);

/** The devices that match the filter: as cards, or as a table that can be sorted. */
export function deviceList(app, filters, tools) {
  const texts = text.live.devices;
  let shown = initialCount;
  let order = "name";
  const cards = element("ul.people", { "aria-labelledby": "devices-title" });
  const body = element("tbody");
  const caption = element("caption");
  const heads = Object.keys(orders).map((name) => element("th", { scope: "col" }, element("button.quiet.sort", {
    type: "button", onClick: () => {
      order = name;
      draw();
    },
  }, texts.columns[name])));
  const table = element("div.table-scroll", { tabindex: 0, role: "group", "aria-labelledby": "devices-title" },
    element("table.list.device-table", {}, caption,
      element("thead", {}, element("tr", {}, heads)), body));
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
    const names = devices.ids.map(profiles.labelOf);
    indexes.sort((a, b) => orders[order](devices, a, b) || compareNaturally(names[a], names[b]));
    Object.keys(orders).forEach((name, at) =>
      heads[at].setAttribute("aria-sort", name !== order ? "none"
        : ["name", "battery", groupColumn].includes(name) ? "ascending" : "descending"));
    heads.at(-1).hidden = !groups.all.length;
    const isTable = devices.count > maximumCards;
    const idOf = (index) => devices.ids[index];
    updateKeyedChildren(cards, isTable ? [] : indexes, idOf, (index, old) => personCard(app, index, old));
    updateKeyedChildren(body, isTable ? indexes.slice(0, shown) : [], idOf, (index, old) => row(app, index, old));
    caption.textContent = indexes.length === devices.count
      ? text.common.devices(devices.count) : texts.some(indexes.length, devices.count);
    more.hidden = !isTable || indexes.length <= shown;
    cards.hidden = isTable || !indexes.length;
    table.hidden = !isTable || !indexes.length;
    const state = indexes.length ? "" : emptyStateOf(app);
    if (empty.dataset.shown === state) return;
    empty.dataset.shown = state;
    setChildren(empty, state && emptyState(app, state, tools));
  };
  const scheduleDraw = oncePerFrame(draw);
  app.devices.changes.watch(scheduleDraw);
  app.poller.state.subscribe(scheduleDraw);
  profiles.changes.subscribe(scheduleDraw);
  groups.changes.subscribe(scheduleDraw);
  app.regions.changes.subscribe(scheduleDraw);
  app.mapView.deviceFilter.subscribe(scheduleDraw);
  app.selection.subscribe(scheduleDraw);
  filters.changes.subscribe(scheduleDraw);
  setInterval(() => document.hidden || scheduleDraw(), 10_000);
  return element("section.block.first-block", { "aria-labelledby": "devices-title" },
    element("h2#devices-title", {}, texts.title), cards, table, empty, more);
}

function row(app, index, old) {
  const texts = text.live.devices;
  const { devices } = app;
  const id = devices.ids[index];
  const isOld = devices.isStale[index] === 1 || Date.now() - devices.time[index] > outdatedAfter;
  const [accuracy, speed, battery] = [devices.accuracy[index], devices.speed[index], devices.battery[index]];
  const details = Number.isNaN(accuracy) ? "" : `± ${formatDistance(accuracy)}`;
  const isKnown = !Number.isNaN(devices.time[index]);
  const lastReport = isKnown ? formatShortAge(devices.time[index]) : texts.never;
  const group = groups.all.length ? groupsOf(id) : null;
  const inside = devices.regions[index].map(app.regions.nameOf).join(", ");
  const [name, color] = [profiles.labelOf(id), profiles.colorOf(id)];
  const content = [id, name, color, details, lastReport, inside, speed, battery, isOld, group].join("|");
  const tableRow = old ?? element("tr");
  tableRow.classList.toggle("selected", app.selection.value.device === id);
  if (tableRow.dataset.shown === content) return tableRow;
  tableRow.dataset.shown = content;
  return setChildren(tableRow,
    element("th.names", { scope: "row" }, element("a", {
      href: linkTo({ device: id, region: null, event: null }), onClick: () => app.mapView.showDevice(id),
    }, color && element("span.dot", { style: { "--device": color }, "aria-hidden": true }), name),
    element("small", {}, [name !== id && id, details].filter(Boolean).join(", "))),
    element("td", { title: isKnown ? formatDateTime(devices.time[index]) : null }, lastReport,
      isOld ? element("small", {}, texts.stale) : null),
    element("td.names", {}, inside || element("span.hint", {}, "—")),
    element("td", {}, Number.isNaN(speed) ? "" : formatSpeed(speed)),
    element("td", {}, Number.isNaN(battery) ? "" : `${Math.round(battery * 100)}\u00a0%`),
    group !== null && element("td.names", {}, group));
}

/** Why no device is shown. */
function emptyStateOf(app) {
  const state = app.poller.state.value;
  if (state === null) return "loading";
  if (state.problem) return `failed: ${state.problem.message}`;
  return app.devices.count ? "noMatch" : "none";
}

function emptyState(app, state, tools) {
  const texts = text.live.devices;
  switch (state) {
    case "loading": return element("div.empty.loading", {}, element("p", {}, texts.loading));
    case "noMatch": return element("div.empty", {}, element("p", {}, texts.noMatch));
    case "none":
      return element("div.empty", {}, element("p.empty-title", {}, texts.none),
        element("p", {}, texts.noneHint), toolButtons(tools));
    default:
      return element("div.empty.bad", {},
        element("p.empty-title", {}, texts.loadingFailed), element("p", {}, app.poller.state.value.problem.message),
        element("button", { type: "button", onClick: () => app.poller.poll() }, text.common.tryAgain));
  }
}
