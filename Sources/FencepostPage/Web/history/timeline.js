import { fill, h } from "../core/dom.js";
import { minute, moment, span } from "../core/time.js";
import { count, sentence } from "../core/words.js";
import { mark } from "../live/marks.js";

/** With more regions than this, those with the shortest stays share the last lane. */
const mostRegionLanes = 6;
const steps = [1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3_600_000);
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric" });
/** Pixels that an hour's name needs, and that a mark does. */
const [nameWidth, markWidth] = [52, 20];

/**
 * The lanes of a day beneath one another: fixes, regions, visits, events, and a line at the moment of the playback.
 * A click anywhere goes to that moment; the slider above does the same for the keyboard.
 */
export function timeline(app, playback, { onEvent }) {
  const lanes = h("div.lanes.day-lanes");
  const element = h("div.day-scroll", {}, lanes);
  const cursor = h("div.day-cursor", { "aria-hidden": true });
  let day = null;

  const percent = (time) => `${(100 * (time - day.from)) / (day.to - day.from)}%`;
  const at = (from, to) => {
    const [start, end] = [Math.max(day.from, from ?? day.from), Math.min(day.until, to ?? day.until)];
    return { left: percent(start), width: `max(3px, ${(100 * Math.max(0, end - start)) / (day.to - day.from)}%)` };
  };
  const lane = (title, ...children) => [
    h("div.lane-title", { title }, h("span", {}, title)), h("div.strip", {}, ...children),
  ];

  const draw = () => {
    day = playback.day;
    if (!day) {
      fill(lanes);
      return;
    }
    const width = Math.max(160, lanes.clientWidth - 130);
    const step = steps.find((one) => ((day.to - day.from) / one) * nameWidth < width) ?? steps.at(-1);
    const ticks = [];
    for (let time = day.from; time < day.to; time = after(time, step)) {
      const name = day.to - day.from > 100_000_000 && isMidnight(time) ? weekday.format(time) : minute(time);
      ticks.push(h("span.tick.hour", { style: { left: percent(time) } }, h("span.when", {}, name)));
    }
    const rows = rowsOf(day, width);
    fill(lanes,
      h("div.lane-title", {}, "Time"), h("div.strip.hours", { "aria-hidden": true }, ticks),
      lane("Fixes", fixStrip(day)),
      regionLanes(app, day).map(([title, stays]) => lane(title, stays.map((stay) =>
        h("div.lane-bar.timed.tint-green", { style: at(stay.from, stay.to), title: stayWords(app, stay, day) },
          h("span", {}, stays.length && title === others ? app.book.nameOf(stay.region) : lengthOf(stay, day)))))),
      day.visits.length > 0 && lane("Visits", day.visits.map(({ visit, from, to, isOpen }, index) =>
        h(`div.lane-bar.tint-amber${isOpen ? ".open" : ""}`, {
          style: at(from, to),
          title: `Visit ${index + 1}: ${visit.regions.map(app.book.nameOf).join(", ") || "a place"}`
            + (isOpen ? ", arrival unknown" : ""),
        }, h("span", {}, String(index + 1))))),
      day.events.length > 0 && lane("Events", day.events.map((event, index) => h("button.day-mark", {
        type: "button", tabindex: -1, data: { step: event.id },
        style: { left: percent(event.time), "--row": String(rows[index]) },
        title: `${moment(event.time)} ${sentence(event, app.book.nameOf)}`,
        "aria-label": `${minute(event.time)} ${sentence(event, app.book.nameOf)}`,
        onClick: () => onEvent(event),
      }, mark(event.type))), h("div.mark-rows", { style: { "--rows": String(1 + Math.max(0, ...rows)) } })),
      cursor);
    move();
  };
  const move = () => {
    const time = playback.time.value;
    cursor.hidden = time === null || !day;
    if (!cursor.hidden) cursor.style.setProperty("--at", String((time - day.from) / (day.to - day.from)));
  };
  playback.time.follow(() => (playback.day === day ? move() : draw()));
  app.book.changes.follow(draw);

  const seek = (event) => {
    const box = lanes.querySelector(".strip")?.getBoundingClientRect();
    if (box && day) playback.seek(day.from + ((event.clientX - box.left) / box.width) * (day.to - day.from));
  };
  lanes.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button, .lane-title") || event.button !== 0) return;
    playback.pause();
    seek(event);
    lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener("pointermove", (event) => lanes.hasPointerCapture(event.pointerId) && seek(event));
  new ResizeObserver(() => playback.day && draw()).observe(element);
  return element;
}

const isMidnight = (time) => new Date(time).getHours() === 0;

/** The next tick: of whole days by the calendar, since not all days have 24 hours. */
function after(time, step) {
  if (step < 86_400_000) return time + step;
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + step / 86_400_000).getTime();
}

/** In which row each event's mark stands: events that are near in time stand beneath one another. */
function rowsOf(day, width) {
  const ends = [];
  return day.events.map((event) => {
    const x = ((event.time - day.from) / (day.to - day.from)) * width;
    let row = ends.findIndex((end) => x - end >= markWidth);
    if (row < 0) row = ends.length < mostMarkRows ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = x;
    return row;
  });
}

/** How many fixes there were, in 96 parts of the time (quarters of an hour in a day): a bar for each. */
function fixStrip(day) {
  const quarter = (day.to - day.from) / 96;
  const counts = new Array(96).fill(0);
  for (const fix of day.fixes) counts[Math.min(95, Math.floor((fix.time - day.from) / quarter))] += 1;
  const most = Math.max(1, ...counts);
  return h("div.fix-bars", {
    role: "img", "aria-label": `${count(day.fixes.length, "fix", "fixes")} in the day`,
    style: { "--bars": String(counts.length) },
  }, counts.map((number, index) => h("i", {
    title: number ? `${minute(day.from + index * quarter)}: ${count(number, "fix", "fixes")}` : null,
    style: { height: number ? `${Math.round(15 + (85 * Math.sqrt(number)) / Math.sqrt(most))}%` : "0" },
  })));
}

/** Marks stand on one another when there are more. */
const mostMarkRows = 3;
const others = "Other regions";

function regionLanes(app, day) {
  const byRegion = Map.groupBy(day.stays, (stay) => stay.region);
  const length = (stays) => stays.reduce((sum, stay) => sum + (stay.to ?? day.until) - (stay.from ?? day.from), 0);
  const lanes = [...byRegion].sort((a, b) => length(b[1]) - length(a[1]));
  const own = lanes.slice(0, lanes.length > mostRegionLanes ? mostRegionLanes - 1 : mostRegionLanes);
  const rest = lanes.slice(own.length).flatMap(([, stays]) => stays);
  const named = own.map(([id, stays]) => [app.book.nameOf(id), stays]);
  return rest.length ? [...named, [others, rest]] : named;
}

const lengthOf = (stay, day) => span(((stay.to ?? day.until) - (stay.from ?? day.from)) / 1000);

function stayWords(app, stay, day) {
  const from = stay.from === null ? "before the day" : minute(stay.from);
  const to = stay.to === null ? (day.until < day.to ? "now" : "after the day") : minute(stay.to);
  return `${app.book.nameOf(stay.region)}: ${from} to ${to}`;
}
