import { element, setChildren } from "../core/dom.js";
import { formatSpeed } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { initialOf } from "../core/label.js";
import { profiles } from "../core/profiles.js";
import { formatDateTime, formatShortAge, formatTime } from "../core/time.js";
import { smallestFirst } from "../history/diary.js";
import { outdatedAfter } from "../map/device-layer.js";
import { text } from "../text/text.js";
import { faceView } from "./face.js";

/** Metres per second; a device that is faster moves. */
const movingSpeed = 1;
/** A lower battery has another look. */
const lowBattery = 0.2;

/** The card of a device in Live: face or initial, name, place, age and battery; or an update of its old element. */
export function personCard(app, index, old) {
  const { devices } = app;
  const id = devices.ids[index];
  const [name, color] = [profiles.labelOf(id), profiles.colorOf(id)];
  const card = old ?? emptyCard(app, id);
  card.classList.toggle("selected", app.selection.value.device === id);
  const time = devices.time[index];
  const isOld = devices.isStale[index] === 1 || Date.now() - time > outdatedAfter;
  const whereabouts = whereaboutsOf(app, index);
  const age = Number.isNaN(time) ? text.live.devices.never : formatShortAge(time);
  const battery = Number.isNaN(devices.battery[index]) ? null : devices.battery[index];
  const faceState = [profiles.hasFace(id), profiles.versionOf(id)];
  const content = [name, color, whereabouts, age, battery, isOld, ...faceState].join("|");
  if (card.dataset.shown === content) return card;
  card.dataset.shown = content;
  const [face, initial, title, where, when, level] = /** @type {any[]} */ (
    ["canvas", ".initial", ".person-name", ".person-place", ".person-age", ".person-battery"]
      .map((selector) => card.querySelector(selector)));
  card.face.show(id).then(() => {
    initial.hidden = !face.hidden;
  });
  initial.textContent = initialOf(name);
  if (color) card.style.setProperty("--device", color);
  else card.style.removeProperty("--device");
  title.textContent = name;
  where.textContent = whereabouts;
  setChildren(when, element("time", {
    datetime: Number.isNaN(time) ? null : new Date(time).toISOString(),
    title: Number.isNaN(time) ? null : formatDateTime(time),
  }, age));
  const isLow = battery !== null && battery < lowBattery;
  setChildren(level, isOld && element("span.chip", {}, text.live.devices.stale), battery !== null
    && element(isLow ? "span.low" : "span", {}, text.live.devices.battery(`${Math.round(battery * 100)}\u00a0%`)));
  return card;
}

function emptyCard(app, id) {
  const face = faceView();
  const card = /** @type {any} */ (element("li.person", {}, element("a.person-link", {
    href: linkTo({ device: id, region: null, event: null }), title: id, onClick: () => app.mapView.showDevice(id),
  },
  element("span.avatar", { "aria-hidden": "true" }, element("span.initial"), face.element),
  element("span.person-name"), element("span.person-place"),
  element("span.person-age"), element("span.person-battery"))));
  card.face = face;
  return card;
}

/** Where a device is: at a place since a time, on its way with a speed, or in no region. */
export function whereaboutsOf(app, index) {
  const texts = text.live.people;
  const { devices, regions } = app;
  const visit = devices.visits[index];
  const [inside] = smallestFirst(devices.regions[index], regions);
  const [visited] = smallestFirst(visit?.regions ?? [], regions);
  const region = inside ?? visited;
  const name = region === undefined ? visit?.address ?? null : regions.nameOf(region);
  const since = visit?.arrival && (region === undefined || visit.regions.includes(region)) ? visit.arrival : null;
  if (name !== null) return since ? texts.since(name, formatTime(since)) : name;
  if (visit) return since ? texts.since(texts.unnamed, formatTime(since)) : texts.unnamed;
  const speed = devices.speed[index];
  return speed > movingSpeed ? texts.moving(formatSpeed(speed)) : texts.nowhere;
}
