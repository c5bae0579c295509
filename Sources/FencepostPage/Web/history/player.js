import { element, setChildren, svgElement } from "../core/dom.js";
import { formatDistance, formatSpeed } from "../core/format.js";
import { formatDuration, formatTime } from "../core/time.js";
import { text } from "../text/text.js";
import { maximumGap } from "./day.js";
import { speeds } from "./playback.js";

const texts = text.history.player;
const paths = { play: "M4 2.500 13 8 4 13.500z", pause: "M4 2.500h2.500v11H4zM9.500 2.500H12v11H9.500z",
  previous: "M12 3 6 8l6 5zM4 3v10", next: "M4 3l6 5-6 5zM12 3v10" };
const icon = (name) => svgElement("svg", { class: "player-icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
  svgElement("path", { d: paths[name] }));

/** The controls of the playback: buttons, speed, slider, and the device's position at the current time as text. */
export function player(app, playback, view, { onEvent }) {
  const play = element("button.icon-only.primary", { type: "button", onClick: () => playback.toggle() });
  const eventButton = (label, name, direction) => element("button.icon-only", {
    type: "button", "aria-label": label, title: label, onClick: () => {
      const event = playback.step(playback.day?.events ?? [], direction);
      if (event) onEvent(event);
    },
  }, icon(name));
  const slider = element("input.day-slider", {
    type: "range", "aria-label": texts.time, min: 0, max: 1, step: 1000,
    onInput: () => {
      playback.pause();
      playback.seek(Number(slider.value));
    },
    onKeydown: (event) => {
      // Arrow keys go from fix to fix, because nothing changes in between; Page Up and Page Down go by the hour.
      const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      const hours = { PageUp: 1, PageDown: -1 }[event.key];
      if (!direction && !hours) return;
      event.preventDefault();
      if (direction) playback.step(playback.day?.fixes ?? [], direction);
      else playback.seek(playback.time.value + hours * 3_600_000);
    },
  });
  const rate = element("select.rate", {
    "aria-label": texts.speed, onChange: () => {
      playback.speed.value = Number(rate.value);
    },
  }, speeds.map((value) => element("option", { value }, value === 1 ? texts.realTime : `${value} ×`)));
  rate.value = String(playback.speed.value);
  const clock = element("strong.day-clock");
  const position = element("span.day-position");
  const root = element("div.player", { role: "group", "aria-label": texts.label },
    eventButton(texts.previousEvent, "previous", -1), play, eventButton(texts.nextEvent, "next", 1),
    element("p.day-now", {}, clock, position), rate, slider);

  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || /** @type {Element} */ (event.target).closest("button, select")) return;
    event.preventDefault();
    playback.toggle();
  });
  playback.isPlaying.watch((isPlaying) => {
    setChildren(play, icon(isPlaying ? "pause" : "play"));
    play.setAttribute("aria-label", isPlaying ? texts.pause : texts.play);
    play.title = isPlaying ? texts.pause : texts.play;
  });
  const update = () => {
    const [day, time] = [playback.day, playback.time.value];
    if (!day || time === null) return;
    [slider.min, slider.max] = [view.from, view.to];
    slider.value = String(time);
    clock.textContent = formatTime(time);
    position.textContent = positionText(app, day, time);
    slider.setAttribute("aria-valuetext", `${formatTime(time)}, ${position.textContent}`);
  };
  playback.time.watch(update);
  view.changes.subscribe(update);
  return root;
}

/** `in Office and Old Town, 4 km/h, ± 12 m`. */
function positionText(app, day, time) {
  const here = day.positionAt(time);
  const inside = day.regionsAt(time).map(app.regions.nameOf);
  const parts = [inside.length ? texts.inRegions(inside.join(", ")) : texts.inNoRegion];
  if (!here) return texts.noPosition(parts[0]);
  if (here.age > maximumGap) parts.push(texts.lastPosition(formatDuration(here.age / 1000)));
  else if (here.speed > 0.3) parts.push(formatSpeed(here.speed));
  if (here.horizontalAccuracy !== undefined) parts.push(`± ${formatDistance(here.horizontalAccuracy)}`);
  return parts.join(", ");
}
