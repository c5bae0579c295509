import { announce, element, setChildren } from "../core/dom.js";
import { eventSentence } from "../core/event-types.js";
import { fragment, linkTo, navigate } from "../core/fragment.js";
import { compareNaturally } from "../core/natural-order.js";
import { Observable, oncePerFrame } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { session } from "../core/session.js";
import {
  formatBetween, formatDateTime, formatHourMinute, formatTime, localDate, localDayBounds, zoneLabel,
} from "../core/time.js";
import { explanationFigure } from "../drawing/explanation.js";
import { linkHighlights } from "../drawing/linked-highlight.js";
import { eventIcon } from "../live/event-icon.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { readDay } from "./day.js";
import { describe, diaryList, markParts, saysTheSame } from "./diary-list.js";
import { partsOf } from "./diary.js";
import { isNarrow, makeDock } from "./dock.js";
import { Playback } from "./playback.js";
import { player } from "./player.js";
import { similarIDs } from "./similar-ids.js";
import { TimeView } from "./time-view.js";
import { timeline } from "./timeline.js";
import { TrackLayer } from "./track-layer.js";
import { zoomBar } from "./zoom-bar.js";

const texts = text.history;
/** Milliseconds. */
const dayLength = 86_400_000;
/** Milliseconds after midnight: with this margin, whole days later it is another date even if the clock changes. */
const clockChangeMargin = 7_200_000;
/** The choices of the number of days. */
const { lengths } = texts.form;
/** With more devices, the field finds them. */
const mostLinks = 12;

/** The History tab: a device's track on the map, a time line with playback, and the explanation of each event. */
export const historyPanel = {
  id: "history",
  title: texts.title,
  mount: (app, container) => new History(app, container),
};

class History {
  #app;
  #playback = new Playback();
  #view = new TimeView();
  /** The part of the time line that the fragment had last, to notice that it changes. */
  #span = null;
  #abort = new AbortController();
  /** The stays and trips that are listed. */
  #parts = /** @type {import("./diary.js").Part[]} */ ([]);
  #selectedPart = new Observable(/** @type {import("./diary.js").Part | null} */ (null));
  #isOpen = false;
  #shownQuery = "";

  constructor(app, container) {
    this.#app = app;
    this.#addForm(container);
    this.list = element("div");
    this.panelSlot = element("div.day-slot");
    const select = (event) => this.select(event);
    const zoom = zoomBar(this.#playback, this.#view);
    this.parts = element("section.day-dock", { "aria-label": texts.timeline.label, hidden: true },
      player(app, this.#playback, this.#view, { onEvent: select }), zoom.element,
      timeline(app, this.#playback, this.#view, { onEvent: select }));
    zoom.addKeysTo(this.parts);
    this.#view.changes.subscribe(oncePerFrame(() => {
      if (!this.#isOpen || !this.#playback.day) return;
      this.#span = this.#view.text;
      navigate({ span: this.#span });
    }));
    linkHighlights(this.parts);
    linkHighlights(this.list);
    // On a phone the stays and trips come before the time line.
    container.append(this.list, this.panelSlot);
    this.dock = makeDock(app, this.parts, this.panelSlot);
    this.track = new TrackLayer(this.#playback, this.#selectedPart);
    this.#playback.time.subscribe(oncePerFrame(() => this.#markParts()));
    this.#showEmptyState();
    app.selection.subscribe(() => this.refresh());
    fragment.subscribe(() => this.refresh());
    profiles.changes.subscribe(() => this.device.refresh());
    // The devices, and their names, may be loaded after the empty list.
    const drawEmpty = oncePerFrame(() => {
      if (this.#shownQuery === "" && !this.#playback.day) this.#showEmptyState();
    });
    app.devices.changes.subscribe(() => {
      if (this.list.querySelectorAll("a.button").length !== Math.min(app.devices.count, mostLinks)) drawEmpty();
    });
    profiles.changes.subscribe(drawEmpty);
    // The regions and their names may be loaded after the day.
    app.regions.changes.subscribe(oncePerFrame(() => {
      if (!this.diary?.isConnected) return;
      const { diary } = this;
      if (saysTheSame(this.#makeDiary(), diary)) this.diary = diary;
      else diary.replaceWith(this.diary);
      this.#markParts();
    }));
    // The next user must not see these data.
    session.token.subscribe((token) => {
      if (token === null) this.clear();
      else this.refresh();
    });
  }

  #addForm(container) {
    const dayButton = (label, sign, direction) => element("button.icon-only", {
      type: "button", "aria-label": label, title: label, onClick: () => {
        const [from] = localDayBounds(this.day.value || localDate(Date.now()));
        this.day.value = localDate(from + direction * Number(this.days.value) * dayLength + clockChangeMargin);
        this.submit();
      },
    }, sign);
    this.device = new Picker({
      id: "history-device", source: deviceSource(this.#app), isRequired: true,
      placeholder: texts.form.devicePlaceholder,
    });
    this.day = element("input#history-day", { type: "date", required: true, value: localDate(Date.now()) });
    this.days = element("select#history-days", {},
      Object.entries(lengths).map(([value, label]) => element("option", { value }, label)));
    container.append(element("h2", {}, texts.form.title), element("form.form.day-form", { onSubmit: (event) => {
      event.preventDefault();
      this.submit();
    } },
    element("label", { for: "history-device" }, texts.form.device), this.device.element,
    element("label", { for: "history-day" },
      texts.form.day(element("span.hint", {}, texts.form.timeZone(zoneLabel())))),
    element("div.day-step", {}, dayButton(texts.form.previous, "‹", -1), this.day,
      dayButton(texts.form.next, "›", 1)),
    element("div.day-submit", {},
      element("label.visually-hidden", { for: "history-days" }, texts.form.numberOfDays), this.days,
      element("button.primary", { type: "submit" }, texts.form.show))));
  }

  clear() {
    this.#abort.abort();
    this.#shownQuery = "";
    this.#close();
    this.device.value = "";
    this.#showEmptyState();
  }

  show() {
    this.#isOpen = true;
    this.track.addTo(this.#app.map);
    this.#app.mapView.onPick = (point) => this.#pick(point);
    this.refresh();
    if (this.#playback.day) this.dock.show();
  }

  hide() {
    this.#isOpen = false;
    this.#playback.pause();
    this.track.remove();
    this.#app.mapView.onPick = null;
    this.dock.hide();
  }

  /** Shows the device and days of the fragment. */
  refresh() {
    if (!this.#isOpen || session.token.value === null) return;
    const { device } = this.#app.selection.value;
    const day = fragment.value.day ?? this.#lastDayOf(device);
    const days = fragment.value.days in lengths ? fragment.value.days : "1";
    if (device && device !== this.device.value) this.device.value = device;
    if (device) [this.day.value, this.days.value] = [day, days];
    if (device && `${device} ${day} ${days}` !== this.#shownQuery) this.read(device, day, days);
    else if ((fragment.value.span ?? null) !== this.#span) {
      this.#span = fragment.value.span ?? null;
      this.#view.show(this.#span);
    }
    this.#updateSelection();
  }

  /** The day of the device's last fix, because it may have no data for today. */
  #lastDayOf(device) {
    const time = this.#app.devices.device(device)?.lastLocation?.timestamp;
    return localDate(time ? Date.parse(time) : Date.now());
  }

  /** Writes the values of the form into the fragment, whose change calls `refresh`. */
  submit() {
    const device = this.device.value;
    if (!device || !this.day.value) return;
    // Several days that begin today would be days to come: the period ends today at the latest.
    const latest = lastStart(Number(this.days.value));
    if (this.day.value > latest) this.day.value = latest;
    this.#shownQuery = "";
    const days = this.days.value === "1" ? null : this.days.value;
    navigate({ device, day: this.day.value, days, span: null, part: null, event: null }, true);
    if (this.#shownQuery === "") this.refresh();
  }

  async read(device, dayText, days) {
    this.#shownQuery = `${device} ${dayText} ${days}`;
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#close();
    setChildren(this.list, element("div.empty.loading", { role: "status" }, element("p", {}, texts.loading)));
    try {
      const [from] = localDayBounds(dayText);
      const [, to] = localDayBounds(localDate(from + (Number(days) - 1) * dayLength + clockChangeMargin));
      const day = await readDay(device, from, to, { signal });
      if (signal.aborted) return;
      if (day.isEmpty) this.#showEmptyState(device);
      else this.#open(day);
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      showError(this.list, problem, () => this.read(device, dayText, days));
    }
  }

  /** Reads the history that is shown again, after a correction. */
  #readAgain = () => this.#playback.day && this.read(this.#playback.day.device, this.day.value, this.days.value);

  #close() {
    this.#parts = [];
    this.#selectedPart.value = null;
    this.#playback.open(null);
    this.dock.hide();
  }

  #showEmptyState(device = null) {
    const { devices, poller } = this.#app;
    const isUnknown = device !== null && poller.state.value?.problem === null && devices.indexOf(device) < 0;
    setChildren(this.list, isUnknown ? this.#unknownDevice(device) : device
      ? element("div.empty", { role: "status" }, element("p.empty-title", {}, texts.noData),
        element("p", {}, texts.noDataHint(device)))
      : element("div.empty", {}, element("p.empty-title", {}, texts.selectDevice),
        element("p", {}, texts.selectDeviceHint), this.#deviceLinks()));
  }

  /** The devices as links to their last day, while they are few. */
  #deviceLinks() {
    const { ids } = this.#app.devices;
    if (ids.length > mostLinks) return null;
    return element("div.row.centered", {}, [...ids].sort(compareNaturally).map((id) =>
      element("a.button", { href: linkTo({ device: id, event: null }) }, profiles.labelOf(id))));
  }

  /** Says that no device has this id, with the most similar ones as links. */
  #unknownDevice(device) {
    const links = similarIDs(device, this.#app.devices.ids).map((id, index) => [index ? ", " : "",
      element("a", { href: linkTo({ device: id, event: null }) }, id)]);
    return element("div.empty", { role: "status" }, element("p.empty-title", {}, texts.unknownDevice),
      element("p", {}, texts.unknownDeviceHint(device)),
      links.length > 0 && element("p", {}, texts.didYouMean(links)));
  }

  #open(day) {
    const selected = day.events.find((event) => event.id === this.#app.selection.value.event);
    this.#span = fragment.value.span ?? null;
    this.#view.open(day, this.#span);
    this.#playback.open(day, selected?.time);
    this.dock.show();
    this.#zoomToDay(day);
    this.#parts = partsOf(day);
    setChildren(this.list,
      this.#makeDiary(),
      element("p.day-summary.hint", { role: "status" }, texts.summary(day.fixes.length),
        !day.isComplete && element("small", {}, texts.notAll)),
      day.events.length
        ? element("details.all-events", { open: selected !== undefined },
          element("summary", {}, texts.allEvents(day.events.length)),
          element("ol.feed.day-events", { "aria-label": texts.events },
            day.events.map((event) => this.#eventItem(event, day))))
        : element("p.hint", {}, texts.noEvents));
    this.#updateSelection();
    // The sheet of a phone shows the day, and the form above it.
    if (isNarrow()) this.list.scrollIntoView({ block: "start" });
    if (this.#selectedPart.value) this.#showPart(this.#selectedPart.value);
  }

  #makeDiary() {
    this.diary = diaryList(this.#app, this.#parts, (part) => this.selectPart(part));
    return this.diary;
  }

  /** Selects a stay, a leg or unknown time: the map and the playback show it. Selecting it again deselects it. */
  selectPart(part) {
    const isSelected = this.#selectedPart.value?.key === part.key;
    navigate({ part: isSelected ? null : part.key, event: null }, true);
    if (isSelected) return;
    this.#showPart(part);
    const { title, times } = describe(this.#app, part);
    announce(`${title} ${times}`);
  }

  #showPart(part) {
    this.#playback.pause();
    this.#playback.seek(part.from);
    const box = boxOf(part, this.#playback.day);
    if (box) this.#app.mapView.showBox(box, part.kind === "stay" ? 17 : 16);
  }

  /** Selects what is at a point of the map; false if nothing is. */
  #pick(point) {
    const part = this.track.partAt(point, this.#parts);
    if (!part) return false;
    if (this.#selectedPart.value?.key !== part.key) this.selectPart(part);
    this.list.querySelector(`[data-key="${part.key}"]`)?.scrollIntoView({ block: "nearest" });
    return true;
  }

  #markParts() {
    const time = this.#playback.time.value;
    const current = time === null ? null : this.#parts.filter(({ from, to }) => from <= time && time < to).at(-1);
    markParts(this.#app, this.list, this.#parts, {
      selectedKey: this.#selectedPart.value?.key, currentKey: current?.key,
    }, { device: this.#playback.day?.device ?? "", corrected: this.#readAgain });
  }

  #eventItem(event, day) {
    const sentence = eventSentence({ ...event, deviceId: "" }, this.#app.regions.nameOf).trim();
    return element("li", { data: { id: event.id, step: event.id } },
      element("button.feed-row", { type: "button", "aria-expanded": "false", onClick: () => this.select(event) },
        eventIcon(event), element("span.feed-text", {}, sentence),
        element("time.feed-time", { datetime: event.timestamp, title: formatDateTime(event.timestamp) },
          day.to - day.from > 100_000_000 ? formatTime(event.time) : formatHourMinute(event.time))),
      event.earliest && event.latest
        && element("p.diary-note", {}, formatBetween(event.earliest, event.latest)),
      element("div.day-explanation", { hidden: true }));
  }

  /** Selects an event: moves the playback to its time and shows its explanation. Selecting it again deselects it. */
  select(event) {
    const isSelected = this.#app.selection.value.event === event.id;
    this.#playback.pause();
    this.#playback.seek(event.time);
    navigate({ event: isSelected ? null : event.id, region: null }, true);
    const { location } = event;
    if (!isSelected && location) this.#app.mapView.showBox(around(location, event.why), 18);
    announce(eventSentence(event, this.#app.regions.nameOf));
  }

  #updateSelection() {
    this.#selectedPart.value = this.#parts.find(({ key }) => key === fragment.value.part) ?? null;
    this.#markParts();
    const id = this.#app.selection.value.event;
    for (const row of this.list.querySelectorAll(".day-events > li")) {
      const isSelected = row.dataset.id === id;
      const explanation = row.querySelector(".day-explanation");
      const opens = isSelected && explanation.hidden;
      row.classList.toggle("selected", isSelected);
      row.firstElementChild.setAttribute("aria-expanded", String(isSelected));
      explanation.hidden = !isSelected;
      if (!opens) continue;
      /** @type {HTMLDetailsElement} */ (row.closest(".all-events")).open = true;
      const event = this.#playback.day.events.find((one) => one.id === id);
      setChildren(explanation, event?.why
        ? explanationFigure(event) : element("p.hint", {}, texts.noExplanation));
      row.scrollIntoView({ block: "nearest" });
    }
  }

  #zoomToDay(day) {
    const positions = day.fixes.length ? day.fixes : day.visits.map(({ visit }) => visit);
    if (!positions.length || fragment.value.event || fragment.value.part) return;
    this.#app.mapView.showBox(boxAround(positions), 16);
  }
}

/** A box around a part of a history; null where nothing is known of it. */
function boxOf(part, day) {
  if (part.visit) return around(part.visit, null);
  const fixes = day.fixes.filter(({ time }) => part.from <= time && time <= part.to);
  if (part.kind === "unknown") {
    const around = [day.fixes[day.lastFixIndexAt(part.from)], day.fixes.find(({ time }) => time >= part.to)];
    fixes.push(...around.filter((fix) => fix !== undefined));
  }
  return fixes.length ? boxAround(fixes) : null;
}

/** A box around positions, with continuous longitudes. */
function boxAround(positions) {
  let last = positions[0].longitude;
  const lons = positions.map(({ longitude }) => (last = longitude - 360 * Math.round((longitude - last) / 360)));
  const lats = positions.map(({ latitude }) => latitude);
  return [[lons, Math.min], [lats, Math.min], [lons, Math.max], [lats, Math.max]]
    .map(([values, pick]) => values.reduce((a, b) => pick(a, b)));
}

/** The latest first day of a period that ends today, as a date field has it. */
function lastStart(days) {
  const [today] = localDayBounds(localDate(Date.now()));
  return localDate(today - (days - 1) * dayLength + clockChangeMargin);
}

/** A box around a fix with its accuracy and the nearest point of the boundary. */
function around({ longitude, latitude, horizontalAccuracy = 0 }, why) {
  const meters = Math.max(60, 1.5 * (Math.abs(why?.distance ?? 0) + (why?.accuracy ?? horizontalAccuracy)));
  const [up, across] = [meters / 111_320, meters / (111_320 * Math.max(0.01, Math.cos((latitude * Math.PI) / 180)))];
  return [longitude - across, latitude - up, longitude + across, latitude + up];
}
