import { get } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { geocoder } from "../core/geocoder.js";
import { groups } from "../core/groups.js";
import { profiles } from "../core/profiles.js";
import { localDate, localDayBounds, zoneLabel } from "../core/time.js";
import { partsOf, timeOf, timeZone } from "../core/zone.js";
import { isNarrow } from "../history/dock.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { heatMap, distanceBars, weekLanes } from "./plots.js";
import { placeList } from "./places.js";
import { schedulesSection } from "./schedules.js";
import { summaryTable } from "./summary-table.js";
import { shownVisits, tripTable, visitList } from "./tables.js";

const texts = text.reports;

/** Milliseconds after midnight: with this margin, whole days later it is another date even if the clock changes. */
const clockChangeMargin = 7_200_000;
const dayLength = 86_400_000;

/** The Reports tab: a week as lanes, a heat map, distances, a summary, visits, trips, and suggested places. */
export const reportsPanel = {
  id: "reports",
  isWide: true,
  title: texts.title,
  mount(app, container) {
    const reports = new Reports(app, container);
    return sessionPanel({
      load() {
        reports.open();
        reports.schedules.load();
      },
      clear: () => reports.clear(),
    });
  },
};

class Reports {
  #app;
  #abort = new AbortController();
  /** Whether the tab waits for the first device. */
  #isWaiting = false;

  constructor(app, container) {
    this.#app = app;
    this.device = new Picker({ id: "report-device", source: deviceSource(app), isRequired: true });
    this.week = element("input#report-week", { type: "date", required: true, value: mondayOf(Date.now()) });
    this.by = select("report-by", texts.byChoices);
    this.period = select("report-period", texts.periods);
    this.dayStart = element("input#report-day-start", { type: "time", required: true, value: "00:00" });
    this.of = element("select#report-of");
    this.result = element("div");
    this.schedules = schedulesSection(app);
    container.append(element("h2", {}, texts.title), element("form.form.report-form", {
      onSubmit: (event) => {
        event.preventDefault();
        this.read();
      },
    },
    element("label", { for: "report-device" }, texts.device), this.device.element,
    element("label", { for: "report-week" }, texts.week, " ", element("span.hint", {}, texts.timeZone(zoneLabel()))),
    this.week,
    element("div.report-choices", {},
      element("div", {}, element("label", { for: "report-of" }, texts.of), this.of),
      element("div", {}, element("label", { for: "report-by" }, texts.by), this.by),
      element("div", {}, element("label", { for: "report-period" }, texts.period), this.period),
      element("div", {}, element("label", { for: "report-day-start" }, texts.dayStart), this.dayStart)),
    element("div.row", {}, element("button.primary", { type: "submit" }, texts.show))),
    this.result, this.schedules.element);
    profiles.changes.subscribe(() => this.device.refresh());
    groups.changes.watch(() => this.#offerGroups());
    app.devices.changes.subscribe(() => this.#isWaiting && app.devices.ids.length && this.open());
  }

  /** Whose figures, visits and trips there are: of the chosen device, of all, or of a group. */
  #offerGroups() {
    const value = this.of.options.length ? this.of.value : "device";
    setChildren(this.of, option("device", texts.ofDevice), option("", texts.ofAll),
      groups.all.map(({ tag }) => option(`group:${tag}`, texts.ofGroup(tag))));
    this.of.value = [...this.of.options].some((one) => one.value === value) ? value : "device";
  }

  open() {
    const { device } = this.#app.selection.value;
    const selected = device ?? (this.device.value || this.#app.devices.ids[0]);
    this.#isWaiting = !selected;
    if (this.#isWaiting) {
      this.#showEmpty();
      return;
    }
    this.device.value = selected;
    this.read();
  }

  clear() {
    this.#abort.abort();
    this.#isWaiting = false;
    setChildren(this.result);
    this.device.clear();
    this.schedules.clear();
  }

  async read() {
    if (!this.device.value || !this.week.value || !this.dayStart.value) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const monday = localDayBounds(mondayOf(localDayBounds(this.week.value)[0]))[0];
    const days = Array.from({ length: 8 }, (_, index) =>
      dayBegin(localDate(monday + index * dayLength + clockChangeMargin), this.dayStart.value));
    const deviceId = this.device.value;
    const query = { from: iso(days[0]), to: iso(days[7]), timeZone };
    setChildren(this.result, element("div.empty.loading", { role: "status" }, element("p", {}, texts.loading)));
    try {
      const dayStartsAt = this.dayStart.value;
      const of = this.of.value === "device" ? { deviceId }
        : this.of.value ? { group: this.of.value.slice("group:".length) } : {};
      const summary = { ...query, ...of, by: this.by.value, period: this.period.value, dayStartsAt };
      const wanted = { from: query.from, to: query.to, ...of };
      // The figures of many devices take as long as there are devices: what is about this one does not wait for them.
      const later = [
        get("/v1/summaries", summary, { signal }), get("/v1/visits", { ...wanted, limit: shownVisits }, { signal }),
        get("/v1/trips", wanted, { signal }),
      ].map((answer) => answer.then((data) => ({ data, problem: null }), (problem) => ({ data: null, problem })));
      const [timeline, byDay, places] = await Promise.all([
        get("/v1/timeline", { ...query, deviceId }, { signal }),
        get("/v1/summaries", { ...query, dayStartsAt, deviceId }, { signal }),
        get("/v1/places", { deviceId, timeZone, ...geocoder.query }, { signal }),
      ]);
      if (signal.aborted) return;
      const { nameOf } = this.#app.regions;
      const [table, visits, trips] = later.map(() =>
        element("div", {}, element("p.hint", { role: "status" }, texts.loading)));
      setChildren(this.result,
        block(texts.lanes.title, weekLanes(timeline, days, nameOf)),
        block(texts.hours.title, heatMap(timeline.hours)),
        block(texts.distances.title, distanceBars(byDay.data, days)),
        block(texts.summary.title, table),
        block(texts.visits.title, visits),
        block(texts.trips.title, trips),
        block(texts.suggestions.title, placeList(this.#app, places.data, { deviceId, timeZone }, () => this.read())));
      if (isNarrow()) this.result.scrollIntoView({ block: "start" });
      const show = async (answer, node, content) => {
        const { data, problem } = await answer;
        if (signal.aborted) return;
        if (problem) showError(node, problem, () => this.read());
        else setChildren(node, content(data));
      };
      await Promise.all([
        show(later[0], table, (rows) => summaryTable(rows, summary, nameOf)),
        show(later[1], visits, (page) => visitList(page, wanted, nameOf)),
        show(later[2], trips, ({ data }) => tripTable(data, wanted, nameOf)),
      ]);
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      showError(this.result, problem, () => this.read());
    }
  }

  #showEmpty() {
    setChildren(this.result, element("div.empty", { role: "status" }, element("p.empty-title", {}, texts.empty.title),
      element("p", {}, texts.empty.hint)));
  }
}

const block = (title, ...children) => element("section.report-block", { "aria-label": title },
  element("h3", {}, title), ...children);
const iso = (time) => new Date(time).toISOString();
const option = (value, label) => element("option", { value }, label);
const select = (id, choices) => element(`select#${id}`, {},
  Object.entries(choices).map(([value, label]) => option(value, label)));

/** When a local day begins: at a time of day such as `04:00`. */
function dayBegin(dayText, dayStart) {
  const [hours, minutes] = dayStart.split(":").map(Number);
  const [year, month, day] = dayText.split("-").map(Number);
  return timeOf(year, month, day, hours, minutes);
}

/** The date of the Monday on or before a time. */
function mondayOf(time) {
  const { year, month, day, weekday } = partsOf(time);
  return localDate(timeOf(year, month, day - ((weekday + 6) % 7)));
}
