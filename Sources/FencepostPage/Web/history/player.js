import { fill, h, s } from "../core/dom.js";
import { moment, span } from "../core/time.js";
import { count, meters, speed } from "../core/words.js";
import { speeds } from "./playback.js";

const paths = { play: "M4 2.500 13 8 4 13.500z", pause: "M4 2.500h2.500v11H4zM9.500 2.500H12v11H9.500z",
  back: "M12 3 6 8l6 5zM4 3v10", on: "M4 3l6 5-6 5zM12 3v10" };
const icon = (name) => s("svg", { class: "player-icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
  s("path", { d: paths[name] }));

/** The buttons and the slider of the playback, and in words where the device is at its moment. */
export function player(app, playback, { onEvent }) {
  const play = h("button.icon-only.primary", { type: "button", onClick: () => playback.toggle() });
  const go = (label, name, way) => h("button.icon-only", {
    type: "button", "aria-label": label, title: label, onClick: () => {
      const event = playback.step(playback.day?.events ?? [], way);
      if (event) onEvent(event);
    },
  }, icon(name));
  const slider = h("input.day-slider", {
    type: "range", "aria-label": "Moment of the day", min: 0, max: 1, step: 1000,
    onInput: () => {
      playback.pause();
      playback.seek(Number(slider.value));
    },
    onKeydown: (event) => {
      // From fix to fix, which is what there is to be seen; by the hour with Page Up and Page Down.
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      const hours = { PageUp: 1, PageDown: -1 }[event.key];
      if (!way && !hours) return;
      event.preventDefault();
      if (way) playback.step(playback.day?.fixes ?? [], way);
      else playback.seek(playback.time.value + hours * 3_600_000);
    },
  });
  const rate = h("select.rate", {
    "aria-label": "How fast", onChange: () => {
      playback.speed.value = Number(rate.value);
    },
  }, speeds.map((value) => h("option", { value }, value === 1 ? "as it was" : `${value} ×`)));
  rate.value = String(playback.speed.value);
  const clock = h("strong.day-clock");
  const where = h("span.day-where");
  const element = h("div.player", { role: "group", "aria-label": "Playback" },
    go("Event before", "back", -1), play, go("Next event", "on", 1),
    h("p.day-now", {}, clock, where), rate, slider);

  element.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("button, select")) return;
    event.preventDefault();
    playback.toggle();
  });
  playback.isPlaying.watch((isPlaying) => {
    fill(play, icon(isPlaying ? "pause" : "play"));
    play.setAttribute("aria-label", isPlaying ? "Pause" : "Play the day");
    play.title = isPlaying ? "Pause" : "Play the day";
  });
  playback.time.watch((time) => {
    const { day } = playback;
    if (!day || time === null) return;
    [slider.min, slider.max] = [day.from, day.to];
    slider.value = String(time);
    clock.textContent = moment(time);
    where.textContent = whereabouts(app, day, time);
    slider.setAttribute("aria-valuetext", `${moment(time)}, ${where.textContent}`);
  });
  return element;
}

/** `in Office and Old Town, 4 km/h, ± 12 m`. */
function whereabouts(app, day, time) {
  const here = day.positionAt(time);
  const inside = day.regionsAt(time).map(app.book.nameOf);
  const parts = [inside.length ? `in ${inside.join(", ")}` : "in no region"];
  if (!here) return `${parts[0]}, not seen yet`;
  if (here.age > 10 * 60_000) parts.push(`last seen ${span(here.age / 1000)} before`);
  else if (here.speed > 0.3) parts.push(speed(here.speed));
  if (here.horizontalAccuracy !== undefined) parts.push(`± ${meters(here.horizontalAccuracy)}`);
  return parts.join(", ");
}

/** The day in one sentence. */
export function summary(day) {
  return [count(day.fixes.length, "fix", "fixes"), count(day.stays.length, "stay in a region", "stays in regions"),
    count(day.visits.length, "visit"), count(day.events.length, "event")].join(", ");
}
