// Who was in an area that is drawn on the map.

import { request } from "../core/api.js";
import { announce, element, setChildren } from "../core/dom.js";
import { download } from "../core/download.js";
import { formatNumber } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { oncePerFrame } from "../core/observable.js";
import { isTouch } from "../core/pointer.js";
import { profiles } from "../core/profiles.js";
import { formatDuration, formatTime, localDate, zoneLabel } from "../core/time.js";
import { timeZone } from "../core/zone.js";
import { fieldTime, timeInField } from "../history/time-field.js";
import { text } from "../text/text.js";
import { Draft, vertexOf } from "./draft.js";
import { beginDrawing, endDrawing } from "./drawing-mode.js";
import { Handles } from "./handles.js";
import { vertexTable } from "./vertex-table.js";

const texts = text.presences;
const path = "/v1/query/presences";
/** The rows of a page. */
const pageSize = 100;
const dayLength = 86_400_000;

/**
 * Opens the tool, until it is closed.
 * @param {Element} container the parent of the form.
 * @param {() => void} onEnd is called when the user closes it.
 * @returns {() => void} closes it.
 */
export function openPresences(app, container, onEnd) {
  const tool = new PresenceTool(app, container, onEnd);
  return () => tool.close();
}

class PresenceTool {
  #app;
  #container;
  #abort = new AbortController();
  #draft;
  #handles;
  #table;
  #stop = () => {};
  /** What was asked last, for the next page and for files. */
  #question = null;
  #cursor = null;

  constructor(app, container, onEnd) {
    this.#app = app;
    this.#container = container;
    const now = Date.now();
    this.shape = element("select#presence-shape", { onChange: () => this.#draw(this.shape.value) },
      Object.entries(texts.shapes).map(([value, label]) => element("option", { value }, label)));
    this.from = timeField("presence-from", now - dayLength);
    this.to = timeField("presence-to", now);
    this.hint = element("p.hint");
    this.coordinates = element("div");
    this.missing = element("p.hint", { role: "status" });
    this.submit = element("button.primary", { type: "submit" }, texts.ask);
    this.result = element("div");
    setChildren(container, element("form.form.editor", { "aria-label": texts.title, onSubmit: (event) => {
      event.preventDefault();
      this.#ask();
    } },
    element("h2", { tabindex: -1 }, texts.title),
    element("p.hint", {}, texts.about),
    element("label", { for: "presence-shape" }, texts.shape), this.shape, this.hint,
    element("div.row", {}, element("button", { type: "button", onClick: () => {
      const { lng, lat } = app.map.getCenter();
      this.#handles.click([lng, lat]);
    } }, text.regions.editor.addCentre)),
    element("label", { for: "presence-from" }, texts.from, " ",
      element("span.hint", {}, text.reports.timeZone(zoneLabel()))), this.from,
    element("label", { for: "presence-to" }, texts.to), this.to,
    element("details", {}, element("summary", {}, text.regions.editor.coordinates), this.coordinates),
    this.result, this.missing,
    element("div.row.sticky", {}, this.submit, element("button", { type: "button", onClick: () => {
      this.close();
      onEnd();
    } }, texts.close))));
    this.#draw("circle");
    container.querySelector("h2").focus({ preventScroll: true });
    container.closest(".views")?.scrollTo({ top: 0 });
  }

  close() {
    this.#abort.abort();
    this.#stop();
    this.#handles.close();
    endDrawing(this.#app);
    setChildren(this.#container);
  }

  /** Begins a new shape. */
  #draw(kind) {
    this.#stop();
    this.#handles?.close();
    this.#draft = Draft.create(kind, "area");
    this.#handles = new Handles(this.#app.map, this.#draft);
    this.#table = vertexTable(this.#draft, this.#handles);
    setChildren(this.coordinates, this.#table.element);
    const hints = isTouch() ? text.regions.editor.touchHints : text.regions.editor.hints;
    this.hint.textContent = hints[kind];
    announce(hints[kind]);
    this.#stop = this.#draft.changes.watch(oncePerFrame(() => this.#update()));
    this.#update();
    beginDrawing(this.#app, this.#handles);
  }

  #update() {
    this.missing.textContent = this.#draft.missing ?? "";
    this.submit.disabled = this.#draft.missing !== null;
  }

  /** Reads the first page about the area and the times of the form. */
  async #ask() {
    const [from, to] = [this.from, this.to].map((field) => timeInField(field.value));
    this.to.setCustomValidity(from < to ? "" : texts.endsBefore);
    if (!this.to.reportValidity()) return;
    const { geometry, properties } = this.#draft.feature;
    this.#question = {
      geometry, ...(properties.radius && { radius: properties.radius }), from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    };
    this.#cursor = null;
    this.list = element("ol.lines.presences", { "aria-label": texts.title });
    this.more = element("div");
    setChildren(this.result, element("div", { role: "status" }), this.list, this.more);
    await this.#read();
    this.result.scrollIntoView({ block: "start" });
  }

  /** Reads pages until there are rows. */
  async #read() {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#showErrors([]);
    this.submit.disabled = true;
    setChildren(this.more, element("p.hint", { role: "status" }, texts.asking));
    try {
      do {
        const { data } = await request("POST", path, {
          json: this.#question, query: { limit: pageSize, cursor: this.#cursor }, signal,
        });
        if (signal.aborted) return;
        this.list.append(...data.data.map((presence) => this.#row(presence)));
        this.#cursor = data.nextCursor;
        if (data.data.length) break;
      } while (this.#cursor);
      this.#showEnd();
    } catch (problem) {
      if (signal.aborted || problem.name === "AbortError") return;
      this.#showErrors(problem.errors ?? []);
      setChildren(this.more, element("div.empty.bad", { role: "alert" },
        element("p.empty-title", {}, texts.notAnswered),
        element("p", {}, problem.message),
        element("ul.lines", {}, (problem.errors ?? []).map(({ detail }) => element("li", {}, detail)))));
    } finally {
      if (!signal.aborted) this.#update();
    }
  }

  #showEnd() {
    const count = this.list.children.length;
    if (!count) {
      setChildren(this.more, element("div.empty", { role: "status" },
        element("p.empty-title", {}, texts.nobody), element("p", {}, texts.nobodyHint)));
      return;
    }
    const button = (label, onClick) => element("button", { type: "button", onClick }, label);
    setChildren(this.more, element("p.hint", { role: "status" }, texts.found(count, this.#cursor !== null)),
      element("div.row", {}, this.#cursor && button(texts.showMore, () => this.#read()),
        button(text.reports.summary.saveAsCSV, () => this.#save("csv")),
        button(text.reports.summary.saveAsExcel, () => this.#save("xlsx"))));
  }

  /** A presence as a link to the day of the device. */
  #row({ deviceId, arrival, departure, arrivalConfidence, departureConfidence }) {
    const sure = [arrivalConfidence, departureConfidence].filter((value) => value !== undefined);
    const day = localDate(Date.parse(arrival ?? this.#question.from));
    return element("li", {},
      element("a", { href: linkTo({ tab: "history", device: deviceId, day, days: null, region: null, event: null,
        part: null, span: null }) }, profiles.labelOf(deviceId)),
      element("small", {}, texts.presence({
        arrival: arrival && formatTime(arrival), departure: departure && formatTime(departure),
        duration: arrival && departure ? formatDuration((Date.parse(departure) - Date.parse(arrival)) / 1000) : null,
        sure: sure.length ? formatNumber(Math.floor(Math.min(...sure) * 100)) : null,
      })));
  }

  async #save(format) {
    try {
      const { data } = await request("POST", path, {
        json: this.#question, isBinary: true, accept: "*/*",
        query: { format, ...(format === "xlsx" && { timeZone }) },
      });
      download(`presences.${format}`, data);
    } catch (problem) {
      this.#app.toast(problem.message, { tone: "bad" });
    }
  }

  /** Marks the vertices of the area that are wrong. */
  #showErrors(errors) {
    const vertices = errors.map((error) => ({ ...vertexOf(this.#draft, error.pointer ?? ""), text: error.detail }))
      .filter(({ pathIndex }) => pathIndex);
    this.#handles.showErrors(vertices);
    this.#table.showErrors(vertices);
  }
}

const timeField = (id, time) => element(`input#${id}`, {
  type: "datetime-local", required: true, value: fieldTime(time), onInput: (event) => {
    event.target.form?.querySelectorAll("input").forEach((input) => input.setCustomValidity(""));
  },
});
