import { element, setChildren, svgElement } from "../core/dom.js";
import { formatDistance } from "../core/format.js";
import { addressAttribution } from "../core/geocoder.js";
import { formatBetween, formatDuration, formatHourMinute, formatWeekday } from "../core/time.js";
import { text } from "../text/text.js";
import { daysOf, totalsOf } from "./diary.js";
import { lineSample } from "./modes.js";
import { namingForm, regionsOfStay } from "./place-name.js";
import { correctionForm } from "./stay-correction.js";

const texts = text.history.diary;
/** A mode that is less probable than this is called probable. */
const sureMode = 0.6;
/** What each list says before one of its parts is marked. */
const drawn = new WeakMap();

/**
 * Whether two lists of `diaryList` say the same: a row that is replaced without a change would lose the click that has
 * begun.
 */
export const saysTheSame = (a, b) => drawn.get(a) === drawn.get(b);

/**
 * The stays and trips of a history, each day with its totals. A row is a button that selects its part.
 * @param {any} app
 * @param {import("./diary.js").Part[]} parts
 * @param {(part: import("./diary.js").Part) => void} onSelect
 */
export function diaryList(app, parts, onSelect) {
  const days = [...daysOf(parts)];
  const isLong = days.length > 1;
  const list = element("div.diary", {}, days.map(([date, ofDay]) => element("section", { "aria-label": date },
    isLong && element("h3", {}, formatWeekday(ofDay[0].from)),
    element("p.day-totals", {}, totalsText(totalsOf(ofDay))),
    element("ol.diary-parts", { "aria-label": texts.label }, ofDay.map((part) => row(app, part, onSelect))))),
  parts.some(({ address }) => address) && addressAttribution());
  drawn.set(list, list.innerHTML);
  return list;
}

/**
 * Marks the rows of the selected part and of the one at the playback time. A selected stay without a region has a form
 * that names it, and each one has a form that corrects it.
 * @param {any} app
 * @param {HTMLElement} list
 * @param {import("./diary.js").Part[]} parts
 * @param {{selectedKey?: string, currentKey?: string}} keys
 * @param {{device: string, corrected: () => void}} history
 */
export function markParts(app, list, parts, { selectedKey, currentKey }, history) {
  for (const item of list.querySelectorAll(".diary-parts > li")) {
    const { key } = item.dataset;
    item.classList.toggle("selected", key === selectedKey);
    item.firstElementChild.setAttribute("aria-pressed", String(key === selectedKey));
    const part = key === selectedKey ? parts.find((one) => one.key === key) : null;
    const form = item.querySelector(".diary-naming");
    if (!isNameless(app, part)) form?.remove();
    else if (!form) item.append(namingForm(app, part));
    const correction = item.querySelector(".diary-correction");
    if (part?.kind !== "stay") correction?.remove();
    else if (!correction) {
      const next = parts.find(({ kind, from }) => kind === "stay" && from >= part.to);
      item.append(correctionForm(app, part, { ...history, next }));
    }
    if (key === currentKey) item.setAttribute("aria-current", "time");
    else item.removeAttribute("aria-current");
  }
}

const isNameless = (app, part) =>
  part?.kind === "stay" && part.visit !== undefined && !(part.isCorrected && part.name)
  && !regionsOfStay(part, app.regions).length;

function totalsText({ stays, stayed, moved, unknown, modes }) {
  const byMode = [...modes].filter(([, meters]) => meters >= 1).sort((a, b) => b[1] - a[1])
    .map(([mode, meters]) => texts.total.mode(formatDistance(meters), texts.by[mode] ?? mode));
  return [
    stays > 0 && texts.total.stays(stays, formatDuration(stayed)),
    byMode.length > 0 && texts.total.moved(byMode, formatDuration(moved)),
    unknown >= 60 && texts.total.unknown(formatDuration(unknown)),
  ].filter(Boolean).join(texts.total.separator);
}

function row(app, part, onSelect) {
  const { title, times, detail } = describe(app, part);
  // To the minute, as the times are.
  const duration = formatDuration(Math.max(60, Math.round((part.to - part.from) / 60_000) * 60));
  const item = element(`li.part-${part.kind}${part.isWithin ? ".within" : ""}`, { data: { key: part.key } },
    element("button.diary-row", {
      type: "button", "aria-pressed": "false", title: detail, onClick: () => onSelect(part),
    },
    part.kind === "stay" ? pin(part.number) : lineSample(part.kind === "leg" ? part.mode : "unknown"),
    element("span.diary-text", {}, element("span.diary-title", {}, title), " ", element("span.diary-time", {}, times)),
    element("span.diary-length", {}, duration)));
  for (const note of boundsOf(part)) setChildren(item, ...item.childNodes, element("p.diary-note", {}, note));
  return item;
}

/** What a row says: the title, the times, and more for a pointer that rests on it. */
export function describe(app, part) {
  const [from, to] = [formatHourMinute(part.from), formatHourMinute(part.to)];
  const times = timesOf(part, from, to);
  switch (part.kind) {
    case "stay":
      return { title: nameOf(app, part), times, detail: insideText(app, part) };
    case "leg": {
      const title = (texts.legs[part.mode] ?? texts.otherLeg)(formatDistance(part.distance), part.mode);
      return { title: part.modeConfidence < sureMode ? texts.probably(title) : title, times, detail: null };
    }
    case "unknown":
      return { title: texts.unknown, times, detail: null };
    default:
      return { title: texts.rest, times, detail: null };
  }
}

function timesOf(part, from, to) {
  const isStay = part.kind === "stay";
  if (isStay && part.isLastHeard && !part.beginsBefore) return texts.lastHeard(from, to);
  if (isStay && part.beginsBefore !== part.endsAfter) return part.beginsBefore ? texts.until(to) : texts.since(from);
  // A whole day begins and ends at the same time of day.
  return (isStay && part.beginsBefore) || from === to && part.to - part.from > 3_600_000
    ? texts.allTheTime : text.history.span(from, to);
}

/**
 * What a place is called: as the user has stated, or the smallest region around it, else its name in an imported file,
 * else its address.
 */
function nameOf(app, part) {
  const { address, name, isCorrected } = part;
  if (isCorrected && name) return name;
  const [smallest] = regionsOfStay(part, app.regions);
  if (smallest !== undefined) return app.regions.nameOf(smallest);
  return name ?? address ?? texts.unnamed;
}

function insideText(app, part) {
  const { visit } = part;
  const names = regionsOfStay(part, app.regions).map(app.regions.nameOf);
  return names.length ? texts.inside(names.join(", "))
    : visit ? texts.near(`${visit.latitude.toFixed(4)}, ${visit.longitude.toFixed(4)}`) : null;
}

/** Sentences about ends that are known only within bounds. */
function boundsOf({ kind, visit, beginsBefore, endsAfter }) {
  if (kind !== "stay" || !visit) return [];
  const { arrivalEarliest, arrivalLatest, departureEarliest, departureLatest } = visit;
  return [
    !beginsBefore && arrivalEarliest && arrivalLatest && texts.arrived(formatBetween(arrivalEarliest, arrivalLatest)),
    !endsAfter && departureEarliest && departureLatest && texts.left(formatBetween(departureEarliest, departureLatest)),
  ].filter(Boolean);
}

/** The pin of a visit with its number, as on the map; of a stay without a visit it has none. */
function pin(number) {
  return svgElement("svg", { class: "diary-pin", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svgElement("path", { d: "M12 23 5.600 15.400a8.500 8.500 0 1 1 12.800 0z" }),
    number !== undefined && svgElement("text", { x: 12, y: 13.500, "text-anchor": "middle" }, String(number)));
}
