import { element, setChildren } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { compareNaturally } from "../core/natural-order.js";
import { profiles } from "../core/profiles.js";
import { formatDuration } from "../core/time.js";
import { locale } from "../text/choice.js";
import { text } from "../text/text.js";
import { saveButtons } from "./tables.js";

const { byChoices, summary: texts } = text.reports;

/** Rows that are shown at first, and so many more with each press. A fleet has thousands. */
const [initialCount, moreCount] = [50, 200];

/** Tables with more rows have a field that searches them. */
const searchedFrom = 12;

/** A rounded value that a pointer and programs can read in full: seconds, or metres. */
const exact = (value, format) => element("data", { value, title: value.toLocaleString(locale) }, format(value));

/** The columns of numbers: the member of a row, and how it is written. */
const numbers = {
  inside: { member: "secondsInside", write: (value) => exact(value, formatDuration) },
  visits: { member: "visits", write: (value) => String(value) },
  trips: { member: "trips", write: (value) => String(value) },
  distance: { member: "distance", write: (value) => exact(value, formatDistance) },
  unknown: { member: "secondsUnknown", write: (value) => exact(value, formatDuration) },
};

/**
 * The rows of `/v1/summaries` as a table that can be sorted and searched, with buttons to save all rows as CSV or as an
 * Excel workbook. Rows of devices have the totals of those that match.
 */
export function summaryTable(summary, query, nameOf) {
  if (!summary.data.length) return element("p.hint", {}, texts.none);
  const titleOf = (row) => (row.regionId ? nameOf(row.regionId)
    : row.deviceId ? profiles.labelOf(row.deviceId) : row.tag ?? row.group);
  const rows = summary.data.map((row) => ({ row, title: titleOf(row), id: row.regionId ?? row.deviceId ?? "" }));
  const hasUnknown = summary.by === "device" || summary.by === "group";
  const figures = Object.entries(numbers).filter(([name]) => name !== "unknown" || hasUnknown);
  const compare = {
    from: (a, b) => compareNaturally(a.row.date, b.row.date),
    title: (a, b) => compareNaturally(a.title, b.title),
    ...Object.fromEntries(figures.map(([name, { member }]) =>
      [name, (a, b) => (a.row[member] ?? 0) - (b.row[member] ?? 0)])),
  };
  // As the service has sorted them, until a column is chosen.
  let [order, isDescending, shown] = [null, false, initialCount];
  const choice = byChoices[summary.by] ?? summary.by;
  const labels = { ...texts, title: choice[0].toLocaleUpperCase(locale) + choice.slice(1) };
  const heads = Object.fromEntries(Object.keys(compare).map((name) => [name, element("th", { scope: "col" },
    element("button.quiet.sort", { type: "button", onClick: () => sortBy(name) }, labels[name]))]));
  const [body, foot] = [element("tbody"), element("tfoot")];
  const count = element("p.hint", { role: "status" });
  const more = element("button.quiet", { type: "button", onClick: () => {
    shown += moreCount;
    draw();
  } }, text.live.showMore);
  const search = element("input", {
    type: "search", "aria-label": texts.search, placeholder: texts.search, hidden: rows.length <= searchedFrom,
    onInput: () => {
      shown = initialCount;
      draw();
    },
  });

  /** The largest number is first, and the first text; a second press turns the order round. */
  function sortBy(name) {
    isDescending = order === name ? !isDescending : name in numbers;
    order = name;
    draw();
  }

  function draw() {
    const wanted = search.value.trim().toLocaleLowerCase(locale);
    const found = rows.filter(({ title, id }) => [title, id].some((name) =>
      name.toLocaleLowerCase(locale).includes(wanted)));
    if (order) found.sort((a, b) => (isDescending ? -1 : 1) * compare[order](a, b));
    for (const [name, head] of Object.entries(heads)) {
      head.setAttribute("aria-sort", name !== order ? "none" : isDescending ? "descending" : "ascending");
    }
    setChildren(body, found.slice(0, shown).map(({ row, title }) => element("tr", {},
      element("td", {}, row.date), element("th", { scope: "row" }, title),
      figures.map(([, { member, write }]) => element("td", {}, write(row[member] ?? 0))))));
    const sum = ({ member }) => found.reduce((total, { row }) => total + (row[member] ?? 0), 0);
    // Regions overlap, and a device is in several groups: a total of their rows would count the same time twice.
    const hasTotal = summary.by === "device" && found.length > 1;
    setChildren(foot, hasTotal && element("tr", {}, element("td", {}, texts.total), element("td"),
      figures.map(([, column]) => element("td", {}, column.write(sum(column))))));
    count.textContent = rows.length > initialCount || wanted
      ? texts.count(Math.min(shown, found.length), found.length) : "";
    more.hidden = found.length <= shown;
  }

  draw();
  return element("div", {}, search, count,
    element("div.table-scroll", { tabindex: 0, role: "group", "aria-label": texts.table },
      element("table.list", {}, element("thead", {}, element("tr", {}, Object.values(heads))), body, foot)),
    more, saveButtons("/v1/summaries", query, "summary"));
}
