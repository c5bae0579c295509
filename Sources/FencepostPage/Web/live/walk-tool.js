import { usesApps } from "../apps/use.js";
import { pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { compareNaturally } from "../core/natural-order.js";
import { oncePerFrame } from "../core/observable.js";
import { isTouch } from "../core/pointer.js";
import { text } from "../text/text.js";
import { openTool } from "./add-menu.js";
import { prepareTestApp, removeTestApp } from "./test-app.js";
import { pathInto, Walk } from "./walk.js";

/** Regions in the list of the form at most. */
const maximumRegions = 1000;

/** The form that walks a test device into a region, out of it, or along a route drawn on the map. */
export function walkTool(app) {
  const tool = new WalkTool(app);
  /** Walks the test device into a region; the card of a region calls it. */
  app.walkInto = (id) => tool.walkInto(id);
  return tool.element;
}

class WalkTool {
  #app;
  #walk = null;
  #route = [];
  /** The id of the device that walked last. */
  #walked = null;

  constructor(app) {
    this.#app = app;
    const texts = text.live.walk;
    this.device = element("input#walk-device", { value: "test/walker", required: true, maxlength: 128 });
    this.region = element("select#walk-region");
    this.speed = element("select#walk-speed", {}, Object.entries(texts.speeds).map(([value, label]) =>
      element("option", { value }, label)));
    this.speed.value = "14";
    this.hasApp = element("input", { type: "checkbox" });
    this.appChoice = element("label.check", { hidden: true }, this.hasApp, texts.simulateApp);
    this.status = element("p.hint", { role: "status" });
    this.enterButton = element("button.primary", { type: "submit" }, texts.walkIn);
    this.exitButton = element("button", { type: "button", onClick: () => this.#crossRegion(true) }, texts.walkOut);
    this.drawButton = element("button", {
      type: "button", "aria-pressed": "false", onClick: () => this.#toggleDrawing(),
    }, texts.drawRoute);
    this.stopButton = element("button", { type: "button", hidden: true, onClick: () => this.#walk?.stop() },
      texts.stop);
    this.removeButton = element("button.danger", { type: "button", hidden: true, onClick: () => this.#remove() },
      texts.remove);
    // Only an administrator may erase a device; `data-needs` hides this row from others.
    this.removal = element("div.row", { data: { needs: "admin" } }, this.removeButton);
    this.element = this.#makeElement();

    // Only who uses simulated apps reads of iOS here.
    usesApps.watch((isUsed) => {
      this.appChoice.hidden = !isUsed;
      this.hasApp.checked = isUsed;
    });
    const updateRegions = oncePerFrame(() => this.#updateRegions());
    app.regions.changes.watch(updateRegions);
    app.selection.subscribe(({ region: id }) => {
      if (id && app.regions.get(id)) this.region.value = id;
    });
  }

  walkInto(id) {
    openTool(this.element);
    this.region.value = id;
    this.#crossRegion(false);
  }

  #makeElement() {
    const texts = text.live.walk;
    return element("details.block.tool", { data: { needs: "ingest" } }, element("summary", {}, texts.title),
      element("form.form", { onSubmit: (event) => {
        event.preventDefault();
        this.#crossRegion(false);
      } },
      element("label", { for: "walk-device" }, texts.device), this.device,
      element("label", { for: "walk-region" }, texts.region), this.region,
      element("label", { for: "walk-speed" }, texts.speed), this.speed,
      this.appChoice,
      element("p.hint", {}, texts.hint),
      element("div.row", {}, this.enterButton, this.exitButton, this.drawButton, this.stopButton), this.status,
      this.removal));
  }

  #updateRegions() {
    const { regions, selection } = this.#app;
    const selected = this.region.value || selection.value.region;
    const ids = [...regions.all.keys()].sort((a, b) => compareNaturally(regions.nameOf(a), regions.nameOf(b)))
      .slice(0, maximumRegions);
    setChildren(this.region, ids.map((id) => element("option", { value: id }, regions.nameOf(id))));
    if (selected && regions.get(selected)) this.region.value = selected;
    this.enterButton.disabled = !ids.length;
    this.exitButton.disabled = !ids.length;
  }

  /** Walks into the selected region, or out of it. */
  #crossRegion(isExit) {
    const feature = this.#app.regions.get(this.region.value);
    if (!feature) return;
    const path = pathInto(feature);
    this.#start(isExit ? path.reverse() : path);
  }

  async #start(path) {
    const app = this.#app;
    this.#walk?.stop();
    const id = this.device.value.trim();
    if (!id) {
      this.device.focus();
      return;
    }
    app.setSheetHeight("half");
    if (this.hasApp.checked) await this.#prepareApp(id);
    this.stopButton.hidden = false;
    this.removeButton.hidden = true;
    this.status.textContent = text.live.walk.moving(id);
    app.mapView.showPosition(path[0], 15.5);
    app.select({ device: id, event: null });
    app.mapView.isFollowing.value = true;
    this.#walk = new Walk({
      deviceId: id, path, speed: Number(this.speed.value),
      onFix: (fix) => {
        const device = app.devices.device(id) ?? { id, regions: [] };
        app.devices.update([{ ...device, isStale: false, lastLocation: fix }]);
      },
      onEnd: (problem) => {
        this.#walk = null;
        this.stopButton.hidden = true;
        this.#walked = id;
        this.removeButton.hidden = false;
        this.status.textContent = problem ? messageFor(problem) : text.live.walk.stopped(id);
      },
    });
  }

  /** Erases the device that walked, with its events, and the test app. */
  async #remove() {
    const { devices, eventLog, select, selection, toast } = this.#app;
    const id = this.#walked;
    this.removeButton.disabled = true;
    try {
      if (usesApps.value) await removeTestApp();
      await request("DELETE", `/v1/devices/${pathSegment(id)}?erase=true`);
      if (selection.value.device === id) select({ device: null, event: null });
      devices.retain(devices.ids.filter((other) => other !== id));
      eventLog.removeDevice(id);
      this.removeButton.hidden = true;
      this.status.textContent = text.live.walk.removed(id);
    } catch (problem) {
      toast(text.live.walk.removalFailed(problem.message), { tone: "bad" });
    } finally {
      this.removeButton.disabled = false;
    }
  }

  async #prepareApp(deviceID) {
    try {
      await prepareTestApp(deviceID);
    } catch (problem) {
      this.#app.toast(text.live.walk.appFailed(deviceID, problem.message), { tone: "bad" });
    }
  }

  /** Starts to draw a route by clicks on the map; the second press walks along it. */
  #toggleDrawing() {
    const { map, mapView } = this.#app;
    const { drawRoute, walkRoute, ...byPointer } = text.live.walk;
    const texts = { drawRoute, walkRoute, ...byPointer[isTouch() ? "touch" : "mouse"] };
    const isOn = this.drawButton.getAttribute("aria-pressed") !== "true";
    this.drawButton.setAttribute("aria-pressed", String(isOn));
    this.drawButton.textContent = isOn ? texts.walkRoute : texts.drawRoute;
    map.getContainer().classList.toggle("drawing", isOn);
    if (!isOn) {
      mapView.onMapClick = null;
      if (this.#route.length) this.#start(this.#route);
      return;
    }
    this.#route = [];
    this.status.textContent = texts.first;
    mapView.onMapClick = (position) => {
      this.#route.push(position);
      this.status.textContent = this.#route.length < 2 ? texts.next : texts.more;
    };
  }
}

const messageFor = (problem) =>
  (problem.status === 403 ? text.live.walk.cannotSend : text.live.walk.failed(problem.message));
