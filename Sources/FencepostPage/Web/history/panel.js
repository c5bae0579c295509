import { announce, fill, h } from "../core/dom.js";
import { go, place } from "../core/hash.js";
import { session } from "../core/session.js";
import { boundsOf, dayOf, minute, moment, wholeMoment, zone } from "../core/time.js";
import { sentence } from "../core/words.js";
import { lightTogether } from "../drawing/together.js";
import { whyFigure } from "../drawing/why.js";
import { mark } from "../live/marks.js";
import { trouble } from "../shell/toasts.js";
import { readDay } from "./day.js";
import { makeDock } from "./dock.js";
import { Playback } from "./playback.js";
import { player, summary } from "./player.js";
import { timeline } from "./timeline.js";
import { TrackLayer } from "./track-layer.js";

/** How many days are shown at once. */
const lengths = { 1: "one day", 3: "3 days", 7: "7 days", 14: "14 days", 31: "31 days" };

/** A device's day: a line on the map, a time line below it, playback, and why each event was given. */
export const historyPanel = {
  id: "history",
  title: "History",
  mount: (app, element) => new History(app, element),
};

class History {
  #app;
  #playback = new Playback();
  #abort = new AbortController();
  #isOpen = false;
  #shown = "";

  constructor(app, element) {
    this.#app = app;
    this.#form(element);
    this.list = h("div");
    this.place = h("div.day-place");
    const choose = (event) => this.choose(event);
    this.parts = h("section.day-dock", { "aria-label": "Time line of the day", hidden: true },
      player(app, this.#playback, { onEvent: choose }), timeline(app, this.#playback, { onEvent: choose }));
    lightTogether(this.parts);
    lightTogether(this.list);
    element.append(this.place, this.list);
    this.dock = makeDock(app, this.parts, this.place);
    this.track = new TrackLayer(this.#playback);
    this.nothing();
    app.selection.follow(() => this.follow());
    place.follow(() => this.follow());
    // Nothing of it stays for whoever signs in next.
    session.token.follow((token) => {
      if (token === null) this.clear();
      else this.follow();
    });
  }

  #form(element) {
    const turn = (label, text, days) => h("button.icon-only", { type: "button", "aria-label": label, title: label,
      onClick: () => {
        const [from] = boundsOf(this.day.value || dayOf(Date.now()));
        // Two hours into the day, so that one of 23 or 25 hours does not lead to another date.
        this.day.value = dayOf(from + days * Number(this.days.value) * 86_400_000 + 7_200_000);
        this.ask();
      } }, text);
    this.names = h("datalist#known-devices");
    this.device = h("input#history-device", {
      required: true, list: "known-devices", autocomplete: "off", placeholder: "user/device", spellcheck: "false",
    });
    this.day = h("input#history-day", { type: "date", required: true, value: dayOf(Date.now()) });
    this.days = h("select#history-days", {},
      Object.entries(lengths).map(([value, text]) => h("option", { value }, text)));
    element.append(h("h2", {}, "A device’s days"), h("form.form.day-form", { onSubmit: (event) => {
      event.preventDefault();
      this.ask();
    } },
    h("label", { for: "history-device" }, "Device"), this.device, this.names,
    h("label", { for: "history-day" }, "Day ", h("span.hint", {}, `(times of ${zone})`)),
    h("div.day-turn", {}, turn("Earlier", "‹", -1), this.day, turn("Later", "›", 1)),
    h("div.day-ask", {}, h("label.unseen", { for: "history-days" }, "How long"), this.days,
      h("button.primary", { type: "submit" }, "Show"))));
  }

  clear() {
    this.#abort.abort();
    this.#shown = "";
    this.#playback.open(null);
    this.dock.hide();
    fill(this.names);
    this.device.value = "";
    this.nothing();
  }

  show() {
    this.#isOpen = true;
    fill(this.names, this.#app.fleet.ids.slice(0, 500).map((id) => h("option", { value: id })));
    this.track.addTo(this.#app.map);
    this.follow();
    if (this.#playback.day) this.dock.show();
  }

  hide() {
    this.#isOpen = false;
    this.#playback.pause();
    this.track.remove();
    this.dock.hide();
  }

  /** The address says which device and day. */
  follow() {
    if (!this.#isOpen || session.token.value === null) return;
    const { device } = this.#app.selection.value;
    const day = place.value.day ?? this.#lastDayOf(device);
    const days = place.value.days in lengths ? place.value.days : "1";
    if (device && device !== this.device.value) this.device.value = device;
    if (device) [this.day.value, this.days.value] = [day, days];
    if (device && `${device} ${day} ${days}` !== this.#shown) this.read(device, day, days);
    this.#light();
  }

  /** The day of its last fix: today may be empty. */
  #lastDayOf(device) {
    const time = this.#app.fleet.device(device)?.lastLocation?.timestamp;
    return dayOf(time ? Date.parse(time) : Date.now());
  }

  /** What the form asks for goes into the address, and from there back to `follow`. */
  ask() {
    const device = this.device.value.trim();
    if (!device || !this.day.value) return;
    this.#shown = "";
    const days = this.days.value === "1" ? null : this.days.value;
    go({ device, day: this.day.value, days, event: null }, true);
    if (this.#shown === "") this.follow();
  }

  async read(device, dayText, days) {
    this.#shown = `${device} ${dayText} ${days}`;
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#playback.open(null);
    this.dock.hide();
    fill(this.list, h("div.empty.loading", { role: "status" }, h("p", {}, "Reading what was heard …")));
    try {
      const [from] = boundsOf(dayText);
      const [, to] = boundsOf(dayOf(from + (Number(days) - 1) * 86_400_000 + 7_200_000));
      const day = await readDay(device, from, to, { signal });
      if (signal.aborted) return;
      if (day.isEmpty) this.nothing(device);
      else this.#open(day);
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      trouble(this.list, problem, () => this.read(device, dayText, days));
    }
  }

  nothing(device = null) {
    fill(this.list, device
      ? h("div.empty", { role: "status" }, h("p.empty-title", {}, "Nothing was heard in this time"),
        h("p", {}, `${device} reported nothing between these two midnights.`))
      : h("div.empty", {}, h("p.empty-title", {}, "Choose a device"),
        h("p", {}, "Its day is drawn as a line on the map, with the time line below: fixes, stays in regions, visits ",
          "and events. “Its day” at a device under Live leads here, too.")));
  }

  #open(day) {
    const chosen = day.events.find((event) => event.id === this.#app.selection.value.event);
    this.#playback.open(day, chosen?.time);
    this.dock.show();
    this.#frame(day);
    fill(this.list,
      h("p.day-summary", { role: "status" }, `${summary(day)}.`,
        !day.isWhole && h("small", {}, "There is more than is shown; choose fewer days.")),
      day.events.length
        ? h("ol.feed.day-events", { "aria-label": "Events" }, day.events.map((event) => this.#row(event, day)))
        : h("p.hint", {}, "No event happened in this time."));
    this.#light();
  }

  #row(event, day) {
    return h("li", { data: { id: event.id, step: event.id } },
      h("button.feed-row", { type: "button", "aria-expanded": "false", onClick: () => this.choose(event) },
        mark(event.type), h("span.feed-text", {}, sentence({ ...event, deviceId: "" }, this.#app.book.nameOf).trim()),
        h("time.feed-time", { datetime: event.timestamp, title: wholeMoment(event.timestamp) },
          day.to - day.from > 100_000_000 ? moment(event.time) : minute(event.time))),
      h("div.day-why", { hidden: true }));
  }

  /** Goes to the moment of an event and says why it was given; a second time closes it. */
  choose(event) {
    const isChosen = this.#app.selection.value.event === event.id;
    this.#playback.pause();
    this.#playback.seek(event.time);
    go({ event: isChosen ? null : event.id, region: null }, true);
    const { location } = event;
    if (!isChosen && location) this.#app.scene.showBox(around(location, event.why), 18);
    announce(sentence(event, this.#app.book.nameOf));
  }

  #light() {
    const id = this.#app.selection.value.event;
    for (const row of this.list.querySelectorAll(".day-events > li")) {
      const isChosen = row.dataset.id === id;
      const why = row.querySelector(".day-why");
      row.classList.toggle("chosen", isChosen);
      row.firstElementChild.setAttribute("aria-expanded", String(isChosen));
      if (isChosen && why.hidden) {
        const event = this.#playback.day.events.find((one) => one.id === id);
        fill(why, event?.why ? whyFigure(event) : h("p.hint", {}, "Why is not kept for this event."));
      }
      const opens = isChosen && why.hidden;
      why.hidden = !isChosen;
      if (opens) row.scrollIntoView({ block: "nearest" });
    }
  }

  #frame(day) {
    const places = day.fixes.length ? day.fixes : day.visits.map(({ visit }) => visit);
    if (!places.length || place.value.event) return;
    let last = places[0].longitude;
    const lons = places.map(({ longitude }) => (last = longitude - 360 * Math.round((longitude - last) / 360)));
    const lats = places.map(({ latitude }) => latitude);
    const box = [[lons, Math.min], [lats, Math.min], [lons, Math.max], [lats, Math.max]]
      .map(([values, pick]) => values.reduce((a, b) => pick(a, b)));
    this.#app.scene.showBox(box, 16);
  }
}

/** A box that holds a fix with its accuracy, and the boundary that it is near. */
function around({ longitude, latitude, horizontalAccuracy = 0 }, why) {
  const meters = Math.max(60, 1.5 * (Math.abs(why?.distance ?? 0) + (why?.accuracy ?? horizontalAccuracy)));
  const [up, across] = [meters / 111_320, meters / (111_320 * Math.max(0.01, Math.cos((latitude * Math.PI) / 180)))];
  return [longitude - across, latitude - up, longitude + across, latitude + up];
}
