import { fill, h, keyed } from "../core/dom.js";
import { link } from "../core/hash.js";
import { perFrame } from "../core/observable.js";
import { ago, moment, wholeMoment, zone } from "../core/time.js";
import { sentence } from "../core/words.js";
import { mark } from "./marks.js";

const firstShown = 30;

/** What happened, newest first. */
export function eventFeed(app, filters) {
  let shown = firstShown;
  const list = h("ol.feed");
  const empty = h("div");
  const more = h("button.quiet", { type: "button", hidden: true, onClick: () => {
    shown += 60;
    draw();
  } }, "Show more");

  const draw = () => {
    const events = app.log.changes.value.filter(filters.showsEvent);
    keyed(list, events.slice(0, shown), (event) => event.id, (event, old) => row(app, event, old));
    more.hidden = events.length <= shown;
    fill(empty, events.length ? null : nothing(app, app.log.changes.value.length > 0));
  };
  const later = perFrame(draw);
  app.log.changes.watch(later);
  filters.changes.follow(later);
  app.book.changes.follow(later);
  app.selection.follow(later);
  setInterval(() => document.hidden || refreshAges(list), 10_000);
  return h("section.block", { "aria-labelledby": "feed-title" },
    h("h2#feed-title", {}, "Events"), h("p.hint.zone", {}, `Times of ${zone}`), list, empty, more);
}

function row(app, event, old) {
  const isChosen = app.selection.value.event === event.id;
  if (old && old.querySelector(".feed-text").textContent === sentence(event, app.book.nameOf)) {
    old.classList.toggle("chosen", isChosen);
    return old;
  }
  const started = event.apps?.find((delivery) => delivery.relaunch);
  return h(`li${isChosen ? ".chosen" : ""}`, {},
    h("a.feed-row", {
      href: link({ event: event.id, device: event.deviceId ?? null, region: event.region?.id ?? null }),
      onClick: () => queueMicrotask(() => showEvent(app, event)),
    },
    mark(event.type),
    h("span.feed-text", {}, sentence(event, app.book.nameOf)),
    h("time.feed-time", { datetime: event.timestamp, title: wholeMoment(event.timestamp) }, moment(event.timestamp)),
    h("span.feed-note", {}, h("span.age", { data: { time: event.timestamp } }, ago(event.timestamp)),
      started ? h("span.chip.launch", {}, `would start ${started.app ?? "the app"}`) : null)));
}

function showEvent(app, event) {
  const { location } = event;
  if (location) app.scene.showPlace([location.longitude, location.latitude]);
  else if (event.region) app.scene.showRegion(event.region.id);
}

function refreshAges(list) {
  for (const age of list.querySelectorAll(".age")) age.textContent = ago(age.dataset.time);
}

function nothing(app, isFiltered) {
  if (!app.log.isLoaded) return h("div.empty.loading", {}, h("p", {}, "Reading what happened …"));
  if (isFiltered) return h("div.empty", {}, h("p", {}, "No event fits the filter."));
  return h("div.empty", {},
    h("p.empty-title", {}, "Nothing has happened yet"),
    h("p", {}, "Events appear here the moment a device enters, leaves or stays. Walk a test device into a region to ",
      "see one."));
}
