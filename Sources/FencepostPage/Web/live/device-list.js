import { fill, h, keyed } from "../core/dom.js";
import { link } from "../core/hash.js";
import { perFrame } from "../core/observable.js";
import { ago } from "../core/time.js";
import { count, meters, speed } from "../core/words.js";
import { oldAfter } from "../map/device-layer.js";

const firstShown = 25;

/** A table that holds what the map holds: every device that passes the filters, those heard last first. */
export function deviceList(app, filters) {
  let shown = firstShown;
  const body = h("tbody");
  const caption = h("caption");
  const table = h("table.list", {}, caption,
    h("thead", {}, h("tr", {}, ["Device", "Heard", "Inside"].map((text) => h("th", { scope: "col" }, text)))), body);
  const empty = h("div");
  const more = h("button.quiet", { type: "button", hidden: true, onClick: () => {
    shown += 200;
    draw();
  } }, "Show more");
  const draw = () => {
    const { fleet } = app;
    const places = [];
    for (let place = 0; place < fleet.count; place += 1) if (app.scene.isShown.value(place)) places.push(place);
    const time = (place) => (Number.isNaN(fleet.time[place]) ? -Infinity : fleet.time[place]);
    places.sort((a, b) => time(b) - time(a) || (fleet.ids[a] < fleet.ids[b] ? -1 : 1));
    keyed(body, places.slice(0, shown), (place) => fleet.ids[place], (place, old) => row(app, place, old));
    caption.textContent = places.length === fleet.count
      ? count(fleet.count, "device") : `${places.length} of ${count(fleet.count, "device")}`;
    more.hidden = places.length <= shown;
    table.hidden = !places.length;
    fill(empty, places.length ? null : nothing(app));
  };
  const later = perFrame(draw);
  app.fleet.changes.watch(later);
  app.follower.state.follow(later);
  app.scene.isShown.follow(later);
  app.selection.follow(later);
  filters.changes.follow(later);
  setInterval(() => document.hidden || later(), 10_000);
  return h("section.block", { "aria-labelledby": "devices-title" },
    h("h2#devices-title", {}, "Devices"), table, empty, more);
}

function row(app, place, old) {
  const { fleet } = app;
  const id = fleet.ids[place];
  const isOld = fleet.isStale[place] === 1 || Date.now() - fleet.time[place] > oldAfter;
  const details = [
    Number.isNaN(fleet.accuracy[place]) ? null : `± ${meters(fleet.accuracy[place])}`,
    Number.isNaN(fleet.speed[place]) ? null : speed(fleet.speed[place]),
    Number.isNaN(fleet.battery[place]) ? null : `battery ${Math.round(fleet.battery[place] * 100)} %`,
  ].filter(Boolean).join(", ");
  const heard = Number.isNaN(fleet.time[place]) ? "never" : ago(fleet.time[place]);
  const inside = fleet.regions[place].map(app.book.nameOf).join(", ");
  const text = [id, details, heard, inside, isOld].join("|");
  const element = old ?? h("tr");
  element.classList.toggle("chosen", app.selection.value.device === id);
  if (element.dataset.text === text) return element;
  element.dataset.text = text;
  return fill(element,
    h("th", { scope: "row" }, h("a", {
      href: link({ device: id, region: null, event: null }), onClick: () => app.scene.showDevice(id),
    }, id), h("small", {}, details)),
    h("td", {}, heard, isOld ? h("small", {}, "silent") : null),
    h("td", {}, inside || h("span.hint", {}, "—")));
}

function nothing(app) {
  const state = app.follower.state.value;
  if (state === null) return h("div.empty.loading", {}, h("p", {}, "Looking for devices …"));
  if (state.problem) {
    return h("div.empty.bad", {},
      h("p.empty-title", {}, "Devices could not be read"), h("p", {}, state.problem.message),
      h("button", { type: "button", onClick: () => app.follower.look() }, "Try again"));
  }
  if (app.fleet.count) return h("div.empty", {}, h("p", {}, "No device fits the filter."));
  return h("div.empty", {}, h("p.empty-title", {}, "No device has reported yet"),
    h("p", {}, "Phones report with OwnTracks, Overland, Traccar or GPSLogger; the README shows how. To see the ",
      "page at work at once, walk a test device."));
}
