import { element, setChildren } from "../core/dom.js";
import { eventSentence } from "../core/event-types.js";
import { oncePerFrame } from "../core/observable.js";
import { formatDuration, formatHourMinute, formatTime } from "../core/time.js";
import { partsOf, timeOf, zonedFormat } from "../core/zone.js";
import { eventIcon } from "../live/event-icon.js";
import { text } from "../text/text.js";
import { addZoomGestures } from "./zoom-gestures.js";

const texts = text.history.timeline;
/** With more regions than this, those with the shortest total stay share the last lane. */
const maximumRegionLanes = 6;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 5760, 10_080]
  .map((minutes) => minutes * 60_000);
const weekday = zonedFormat({ weekday: "short", day: "numeric" });
/** The widths of a letter of a tick label, and of an event icon, in pixels. */
const [letterWidth, eventIconWidth] = [8, 20];

/**
 * The time line: lanes for fixes, regions, visits and events, and a cursor at the playback time. A click moves the
 * playback; the slider of the player does the same with the keyboard. It shows the part of the history that `view` has.
 */
export function timeline(app, playback, view, { onEvent }) {
  const lanes = element("div.lanes.day-lanes");
  const root = element("div.day-scroll", {}, lanes);
  const cursor = element("div.day-cursor", { "aria-hidden": true });
  let day = null;

  const percent = (time) => `${(100 * (time - view.from)) / view.span}%`;
  const at = (from, to) => {
    const [start, end] = [Math.max(view.from, from), Math.min(view.to, day.until, to)];
    return { left: percent(start), width: `max(3px, ${(100 * Math.max(0, end - start)) / view.span}%)` };
  };
  const isShown = ({ from, to }) => to >= view.from && from <= view.to;
  const lane = (title, ...children) => [
    element("div.lane-title", { title }, element("span", {}, title)), element("div.strip", {}, ...children),
  ];

  const visitBar = ({ visit, from, to, isOpen, address }, index) => {
    const where = visit.regions.map(app.regions.nameOf).join(", ") || address || texts.outsideRegions;
    return element(`div.lane-bar.tint-amber${isOpen ? ".open" : ""}`, {
      style: at(from, to),
      title: isOpen ? texts.visitUnknownArrival(index + 1, where) : texts.visit(index + 1, where),
    }, element("span", {}, String(index + 1)));
  };

  const draw = () => {
    day = playback.day;
    if (!day) {
      setChildren(lanes);
      return;
    }
    const width = Math.max(160, lanes.clientWidth - 130);
    // `12:00 AM` takes more than `00:00`.
    const labelWidth = letterWidth * (formatHourMinute(view.from).length + 1.500);
    const step = steps.find((one) => (view.span / one) * labelWidth < width) ?? steps.at(-1);
    const ticks = [];
    for (let time = day.from; time < view.to; time = after(time, step)) {
      if (time < view.from) continue;
      const name = day.to - day.from > 100_000_000 && isMidnight(time) ? weekday(time) : formatHourMinute(time);
      ticks.push(element("span.tick.hour", { style: { left: percent(time) } }, element("span.when", {}, name)));
    }
    const events = day.events.filter(({ time }) => time >= view.from && time <= view.to);
    const rows = rowsOf(events, view, width);
    setChildren(lanes,
      element("div.lane-title", {}, texts.time), element("div.strip.hours", { "aria-hidden": true }, ticks),
      lane(texts.fixes, day.unknown.filter(isShown).map((part) => element("div.unknown", {
        style: at(part.from, part.to),
        title: texts.unknown(formatHourMinute(part.from), formatHourMinute(part.to)),
      })), fixStrip(day, view)),
      regionLanes(app, day).map(([title, stays]) => lane(title, stays.filter(isShown).map((stay) =>
        element("div.lane-bar.timed.tint-green", { style: at(stay.from, stay.to), title: stayText(app, stay) },
          element("span", {}, title === texts.otherRegions
            ? app.regions.nameOf(stay.region) : formatDuration(stay.seconds)))))),
      day.visits.length > 0
        && lane(texts.visits, day.visits.map((stay, index) => isShown(stay) && visitBar(stay, index))),
      day.events.length > 0 && lane(texts.events, events.map((event, index) => element("button.day-event", {
        type: "button", tabindex: -1, data: { step: event.id },
        style: { left: percent(event.time), "--row": String(rows[index]) },
        title: `${formatTime(event.time)} ${eventSentence(event, app.regions.nameOf)}`,
        "aria-label": `${formatHourMinute(event.time)} ${eventSentence(event, app.regions.nameOf)}`,
        onClick: () => onEvent(event),
      }, eventIcon(event))), element("div.event-rows", { style: { "--rows": String(1 + Math.max(0, ...rows)) } })),
      cursor);
    move();
  };
  const move = () => {
    const time = playback.time.value;
    cursor.hidden = time === null || !day || time < view.from || time > view.to;
    if (!cursor.hidden) cursor.style.setProperty("--at", String((time - view.from) / view.span));
  };
  let lastTime = null;
  playback.time.subscribe((time) => {
    if (playback.day !== day) draw();
    else if (time !== lastTime) view.reveal(time);
    lastTime = time;
    move();
  });
  app.regions.changes.subscribe(draw);
  view.changes.subscribe(oncePerFrame(draw));

  const timeAt = (x) => {
    const box = lanes.querySelector(".strip")?.getBoundingClientRect();
    return box && day ? view.from + ((x - box.left) / box.width) * view.span : NaN;
  };
  addZoomGestures(lanes, view, timeAt, { onSeek: (x) => {
    playback.pause();
    const time = timeAt(x);
    // A pointer that leaves the lanes seeks to their end; it does not move what they show.
    if (day) playback.seek(Math.min(view.to, Math.max(view.from, time)));
  } });
  new ResizeObserver(() => playback.day && draw()).observe(root);
  return root;
}

const isMidnight = (time) => partsOf(time).hour === 0;

/** The next tick. Steps of whole days follow the calendar, because a day with a clock change has 23 or 25 hours. */
function after(time, step) {
  if (step < 86_400_000) return time + step;
  const { year, month, day } = partsOf(time);
  return timeOf(year, month, day + step / 86_400_000);
}

/** The row of each event's icon: icons that would overlap get different rows. */
function rowsOf(events, view, width) {
  const ends = [];
  return events.map((event) => {
    const x = ((event.time - view.from) / view.span) * width;
    let row = ends.findIndex((end) => x - end >= eventIconWidth);
    if (row < 0) row = ends.length < maximumEventRows ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = x;
    return row;
  });
}

/** A bar chart of the number of fixes in 96 intervals: quarter hours for one day. */
function fixStrip(day, view) {
  const interval = view.span / 96;
  const counts = new Array(96).fill(0);
  for (const fix of day.fixes) {
    if (fix.time >= view.from && fix.time <= view.to) {
      counts[Math.min(95, Math.floor((fix.time - view.from) / interval))] += 1;
    }
  }
  const most = Math.max(1, ...counts);
  return element("div.fix-bars", {
    role: "img", "aria-label": texts.fixesInPeriod(day.fixes.length),
    style: { "--bars": String(counts.length) },
  }, counts.map((number, index) => element("i", {
    title: number ? texts.fixesAt(formatHourMinute(view.from + index * interval), number) : null,
    style: { height: number ? `${Math.round(15 + (85 * Math.sqrt(number)) / Math.sqrt(most))}%` : "0" },
  })));
}

/** With more rows, icons overlap. */
const maximumEventRows = 3;

function regionLanes(app, day) {
  const byRegion = Map.groupBy(day.stays, (stay) => stay.region);
  const length = (stays) => stays.reduce((sum, stay) => sum + stay.seconds, 0);
  const lanes = [...byRegion].sort((a, b) => length(b[1]) - length(a[1]));
  const own = lanes.slice(0, lanes.length > maximumRegionLanes ? maximumRegionLanes - 1 : maximumRegionLanes);
  const rest = lanes.slice(own.length).flatMap(([, stays]) => stays);
  const named = own.map(([id, stays]) => [app.regions.nameOf(id), stays]);
  return rest.length ? [...named, [texts.otherRegions, rest]] : named;
}

function stayText(app, stay) {
  const from = stay.beginsBefore ? texts.earlierDay : formatHourMinute(stay.from);
  const end = stay.endsAfter ? texts.laterDay : formatHourMinute(stay.to);
  const to = stay.isOpen && !stay.endsAfter ? texts.lastHeard(end) : end;
  return texts.stay(app.regions.nameOf(stay.region), from, to, formatDuration(stay.seconds));
}
