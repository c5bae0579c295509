import { fill, h } from "../core/dom.js";
import { perFrame } from "../core/observable.js";
import { ago, wholeMoment } from "../core/time.js";
import { link } from "../core/hash.js";
import { heading, meters, speed } from "../core/words.js";

/** The chosen device: where, how exactly, how old, in which regions, and a switch to follow it. */
export function deviceCard(app) {
  const element = h("article.card", { hidden: true, "aria-label": "Chosen device" });
  const follow = h("input", { type: "checkbox", onChange: () => {
    app.scene.follows.value = follow.checked;
    if (follow.checked) app.scene.showDevice(app.selection.value.device);
  } });
  app.scene.follows.watch((value) => {
    follow.checked = value;
  });
  const title = h("h2");
  const facts = h("dl.facts");
  const history = h("a.button", {}, "Its day");
  element.append(
    h("header.card-head", {}, h("span.dot", { "aria-hidden": true }), title,
      h("button.quiet.icon-only", {
        type: "button", "aria-label": "Close", onClick: () => app.select({ device: null, event: null }),
      }, "×")),
    facts,
    h("div.row", {},
      h("label.check", {}, follow, "Follow"),
      h("button", { type: "button", onClick: () => app.scene.showDevice(app.selection.value.device) }, "Show on map"),
      history));

  const draw = perFrame(() => {
    const id = app.selection.value.device;
    const device = id === null ? null : app.fleet.device(id);
    element.hidden = id === null;
    if (id === null) return;
    title.textContent = id;
    history.href = link({ tab: "history", device: id, event: null });
    fill(facts, device ? factsOf(app, device) : h("p.hint", {}, "Nothing is known of this device now."));
  });
  app.selection.watch(() => {
    if (app.selection.value.device === null) app.scene.follows.value = false;
    draw();
  });
  app.fleet.changes.follow(draw);
  setInterval(() => document.hidden || draw(), 5000);
  return element;
}

function factsOf(app, device) {
  const at = device.lastLocation;
  const known = (value, write) => (value === null || value === undefined ? null : write(value));
  return [
    at ? fact("Last heard", ago(at.timestamp), wholeMoment(at.timestamp)) : fact("Last heard", "no position yet"),
    device.isStale && fact("State", "silent for longer than it should be"),
    at && fact("Position", `${at.latitude.toFixed(5)}, ${at.longitude.toFixed(5)}`,
      known(at.horizontalAccuracy, (value) => `± ${meters(value)}`)),
    known(at?.speed, (value) => fact("Speed", speed(value), known(at.course, heading))),
    known(at?.batteryLevel, (value) => fact("Battery", `${Math.round(value * 100)} %`)),
    fact("Inside", device.regions.length
      ? device.regions.map((id, index) => [index ? ", " : "",
        h("a", { href: link({ tab: "regions", region: id, device: null }) }, app.book.nameOf(id))])
      : "no region"),
    device.visit && fact("Visit", device.visit.arrival ? `since ${wholeMoment(device.visit.arrival)}` : "under way"),
  ];
}

const fact = (name, value, note) => h("div", {}, h("dt", {}, name), h("dd", {}, value, note && h("small", {}, note)));
