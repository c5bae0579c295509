import { element, setChildren, updateKeyedChildren } from "../core/dom.js";
import { eventSentence } from "../core/event-types.js";
import { linkTo } from "../core/fragment.js";
import { oncePerFrame } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { formatAge, formatBetween, formatDateTime, formatTime, zoneLabel } from "../core/time.js";
import { text } from "../text/text.js";
import { eventIcon } from "./event-icon.js";

const initialCount = 10;

/** The list of the latest events, the newest first. */
export function eventFeed(app, filters) {
  const texts = text.live.events;
  let shown = initialCount;
  const list = element("ol.feed");
  const empty = element("div");
  const more = element("button.quiet", { type: "button", hidden: true, onClick: () => {
    shown += 60;
    draw();
  } }, text.live.showMore);

  const draw = () => {
    const events = app.eventLog.changes.value.filter(filters.showsEvent);
    updateKeyedChildren(list, events.slice(0, shown), (event) => event.id, (event, old) => row(app, event, old));
    more.hidden = events.length <= shown;
    setChildren(empty, events.length ? null : emptyState(app, app.eventLog.changes.value.length > 0));
  };
  const scheduleDraw = oncePerFrame(draw);
  app.eventLog.changes.watch(scheduleDraw);
  filters.changes.subscribe(scheduleDraw);
  app.regions.changes.subscribe(scheduleDraw);
  profiles.changes.subscribe(scheduleDraw);
  app.selection.subscribe(scheduleDraw);
  setInterval(() => document.hidden || updateAges(list), 10_000);
  return element("section.block", { "aria-labelledby": "feed-title" },
    element("h2#feed-title", {}, texts.title), element("p.hint.zone", {}, texts.timeZone(zoneLabel())),
    list, empty, more);
}

function row(app, event, old) {
  const isSelected = app.selection.value.event === event.id;
  if (old && old.querySelector(".feed-text").textContent === eventSentence(event, app.regions.nameOf)) {
    old.classList.toggle("selected", isSelected);
    return old;
  }
  const relaunched = event.apps?.find((delivery) => delivery.relaunch);
  return element(`li${isSelected ? ".selected" : ""}`, {},
    element("a.feed-row", {
      href: linkTo({ event: event.id, device: event.deviceId ?? null, region: event.region?.id ?? null }),
      onClick: () => queueMicrotask(() => showEvent(app, event)),
    },
    eventIcon(event),
    element("span.feed-text", {}, eventSentence(event, app.regions.nameOf)),
    element("time.feed-time", { datetime: event.timestamp, title: formatDateTime(event.timestamp) },
      formatTime(event.timestamp)),
    element("span.feed-note", {},
      event.earliest && event.latest && element("span", {}, formatBetween(event.earliest, event.latest)),
      element("span.age", { data: { time: event.timestamp } }, formatAge(event.timestamp)),
      relaunched ? element("span.chip.launch", {}, relaunchNote(relaunched)) : null)));
}

function relaunchNote({ app }) {
  const { startsApp, startsAnApp } = text.live.events;
  return app ? startsApp(app) : startsAnApp;
}

function showEvent(app, event) {
  const { location } = event;
  if (location) app.mapView.showPosition([location.longitude, location.latitude]);
  else if (event.region) app.mapView.showRegion(event.region.id);
}

function updateAges(list) {
  for (const age of list.querySelectorAll(".age")) age.textContent = formatAge(age.dataset.time);
}

function emptyState(app, isFiltered) {
  const texts = text.live.events;
  if (!app.eventLog.isLoaded) return element("div.empty.loading", {}, element("p", {}, texts.loading));
  if (isFiltered) return element("div.empty", {}, element("p", {}, texts.noMatch));
  return element("div.empty", {},
    element("p.empty-title", {}, texts.none),
    element("p", {}, texts.noneHint));
}
