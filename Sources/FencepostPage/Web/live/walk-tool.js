import { fill, h } from "../core/dom.js";
import { perFrame } from "../core/observable.js";
import { armTestApp } from "./test-app.js";
import { Walk, pathInto } from "./walk.js";

const speeds = { 1.5: "on foot", 5: "by bicycle", 14: "by car" };

/** Walks a test device into a region or along clicks on the map, to see what would happen. */
export function walkTool(app) {
  const device = h("input#walk-device", { value: "test/walker", required: true, maxlength: 128 });
  const region = h("select#walk-region");
  const speed = h("select#walk-speed", {}, Object.entries(speeds).map(([value, text]) => h("option", { value }, text)));
  speed.value = "14";
  const hasApp = h("input", { type: "checkbox", checked: true });
  const state = h("p.hint", { role: "status" });
  const start = h("button.primary", { type: "submit" }, "Walk in");
  const out = h("button", { type: "button", onClick: () => begin(region.value, true) }, "Walk out");
  const draw = h("button", { type: "button", "aria-pressed": "false", onClick: () => toggleDrawing() }, "Click a way");
  const stop = h("button", { type: "button", hidden: true, onClick: () => walk?.stop() }, "Stop");
  let walk = null;
  let way = [];

  const begin = (id, isOut) => {
    const feature = app.book.get(id);
    if (!feature) return;
    const path = pathInto(feature);
    go(isOut ? path.reverse() : path);
  };
  const go = async (path) => {
    walk?.stop();
    const id = device.value.trim();
    if (!id) return device.focus();
    app.setSheet("half");
    if (hasApp.checked) {
      try {
        await armTestApp(id);
      } catch (problem) {
        app.toast(`There is no test app on ${id}: ${problem.message}`, { tone: "bad" });
      }
    }
    stop.hidden = false;
    state.textContent = `${id} is on its way.`;
    app.scene.showPlace(path[0], 15.5);
    app.select({ device: id, event: null });
    app.scene.follows.value = true;
    walk = new Walk({
      deviceId: id, path, speed: Number(speed.value),
      onFix: (fix) => {
        app.fleet.take([{ ...(app.fleet.device(id) ?? { id, regions: [] }), isStale: false, lastLocation: fix }]);
      },
      onEnd: (problem) => {
        walk = null;
        stop.hidden = true;
        state.textContent = problem ? wordsOf(problem) : `${id} stands still.`;
      },
    });
  };
  const toggleDrawing = (isOn = draw.getAttribute("aria-pressed") !== "true") => {
    draw.setAttribute("aria-pressed", String(isOn));
    draw.textContent = isOn ? "Walk this way" : "Click a way";
    app.map.getContainer().classList.toggle("drawing", isOn);
    if (isOn) {
      way = [];
      state.textContent = "Click the corners of the way on the map.";
      app.scene.capture = (position) => {
        way.push(position);
        state.textContent = way.length < 2 ? "And where to?" : "Another corner, or walk.";
      };
    } else {
      app.scene.capture = null;
      if (way.length) go(way);
    }
  };

  const choices = perFrame(() => {
    const chosen = region.value || app.selection.value.region;
    fill(region, [...app.book.all.keys()].slice(0, 1000).map((id) => h("option", { value: id }, app.book.nameOf(id))));
    if (chosen && app.book.get(chosen)) region.value = chosen;
    start.disabled = out.disabled = !app.book.all.size;
  });
  app.book.changes.watch(choices);
  app.selection.follow(({ region: id }) => {
    if (id && app.book.get(id)) region.value = id;
  });
  /** For "try it" beside a region. */
  app.walkInto = (id) => {
    tool.open = true;
    region.value = id;
    begin(id, false);
  };

  const tool = h("details.block.tool", {}, h("summary", {}, "Walk a test device"),
    h("form.form", { onSubmit: (event) => {
      event.preventDefault();
      begin(region.value, false);
    } },
    h("label", { for: "walk-device" }, "Device"), device,
    h("label", { for: "walk-region" }, "Region"), region,
    h("label", { for: "walk-speed" }, "How fast"), speed,
    h("label.check", {}, hasApp, "With an iPhone app that the system has terminated"),
    h("div.row", {}, start, out, draw, stop), state));
  return tool;
}

const wordsOf = (problem) => (problem.status === 403
  ? "This token may not send locations: it lacks the scope “ingest”." : `It cannot go on: ${problem.message}`);
