import { get, pathSegment, request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { download } from "../core/download.js";
import { formatTime, localDate } from "../core/time.js";
import { timeZone } from "../core/zone.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { verdictWords } from "./plan-words.js";

const texts = text.plans.rounds;

/** The rounds of a plan on a date: a table with a row for each place, and files. */
export function roundsView(app, names) {
  let plan = null;
  const date = element("input", { id: uniqueID("round-date"), type: "date", onChange: () => read() });
  const title = element("h3", {});
  const list = element("div.block");
  const path = () => `/v1/plans/${pathSegment(plan.id)}/rounds`;

  async function read() {
    if (!plan) return;
    try {
      const { data } = await get(path(), { from: date.value });
      setChildren(list, data.length ? data.map((round) => roundTable(round, names))
        : element("p.hint", {}, texts.none));
    } catch (problem) {
      showError(list, problem, read);
    }
  }

  async function save(format) {
    try {
      const { data } = await request("GET", path(), {
        isBinary: true, accept: "*/*", query: { from: date.value, format, ...(format === "xlsx" && { timeZone }) },
      });
      download(`rounds.${format}`, data);
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
  }

  const section = element("section.block", { "aria-label": texts.label, hidden: true }, title,
    element("div.row", {}, element("label", { for: date.id }, texts.date), date,
      ["csv", "xlsx"].map((format) => element("button", { type: "button", onClick: () => save(format) },
        texts.save(format.toUpperCase())))), list);
  return {
    element: section,
    read,
    /** Shows the rounds of a plan, today at first. */
    show(next) {
      plan = next;
      title.textContent = texts.title(plan.name ?? plan.id);
      date.value ||= localDate(Date.now());
      section.hidden = false;
      read();
      section.scrollIntoView({ block: "nearest" });
    },
    clear() {
      plan = null;
      section.hidden = true;
      setChildren(list);
    },
  };
}

/** A round of one device. */
function roundTable(round, names) {
  const counts = texts.counts({ ...round, total: round.places.length });
  const name = names.device(round.deviceId);
  return element("div.table-scroll", { tabindex: 0, role: "group", "aria-label": name }, element("table.list", {},
    element("caption", {}, `${name} · ${texts.states[round.state]} · ${counts}`,
      round.inOrder === false && ` · ${texts.notInOrder}`),
    element("thead", {}, element("tr", {}, texts.columns.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, round.places.map((place) => element("tr", { data: { state: place.state } },
      element("th.names", { scope: "row" }, `${place.place}. ${names.region(place.regionId)}`),
      element("td", {}, `${formatTime(place.from)} – ${formatTime(place.to)}`),
      element("td", {}, verdictWords(place)))))));
}
