// Where the page begins: it makes the parts, hands them to each other, and starts and stops with the session.

import { colors, startTheme } from "../core/theme.js";
import { Observable } from "../core/observable.js";
import { session } from "../core/session.js";
import { Stream } from "../core/stream.js";
import { go, place } from "../core/hash.js";
import { announce } from "../core/dom.js";
import { sentence } from "../core/words.js";
import { Fleet } from "../state/fleet.js";
import { RegionBook } from "../state/region-book.js";
import { EventLog } from "../state/event-log.js";
import { Follower } from "../state/follower.js";
import { readLatest } from "../state/latest.js";
import { makeMap } from "../map/map.js";
import { makeScene } from "../map/scene.js";
import { explainOnMap } from "../map/why-layer.js";
import { livePanel } from "../live/panel.js";
import { regionsPanel } from "../regions/panel.js";
import { historyPanel } from "../history/panel.js";
import { webhooksPanel } from "../webhooks/panel.js";
import { appsPanel } from "../apps/panel.js";
import { makeTabs } from "./tabs.js";
import { makeSheet } from "./sheet.js";
import { showGate } from "./gate.js";
import { showStatus } from "./status.js";
import { showTools } from "./tools.js";
import { toast } from "./toasts.js";

/**
 * What every panel gets.
 *
 * `fleet`, `book`, `log`: devices, regions, latest events. `map`: Leaflet's. `scene`: the layers, `show…` to bring
 * things into view. `selection`: `{device, region, event}`, ids or null; `select(parts)` changes it and the address.
 * `toast(text, options)` says something for some seconds. `reload()` reads the regions anew.
 */
function makeApp() {
  const fleet = new Fleet();
  const book = new RegionBook();
  const log = new EventLog();
  const selection = new Observable(chosenIn(place.value));
  const map = makeMap(document.getElementById("map"));
  const app = { fleet, book, log, selection, map, toast };
  app.select = (parts) => {
    go(parts, true);
  };
  place.follow((parts) => {
    const chosen = chosenIn(parts);
    const old = selection.value;
    if (["device", "region", "event"].some((name) => chosen[name] !== old[name])) selection.value = chosen;
  });
  app.follower = new Follower(fleet, book);
  app.reload = () => app.follower.loadRegions();
  app.scene = makeScene(app);
  explainOnMap(app);
  app.stream = new Stream(inBatches((events) => takeEvents(app, events)), () => readLatest(app));
  return app;
}

const chosenIn = ({ device = null, region = null, event = null }) => ({ device, region, event });

/** Gathers what comes at about the same time: a catch-up is thousands of events at once. */
function inBatches(take) {
  let batch = [];
  return (event) => {
    batch.push(event);
    if (batch.length > 1) return;
    setTimeout(() => {
      const events = batch;
      batch = [];
      take(events);
    }, 50);
  };
}

function takeEvents(app, events) {
  app.log.take(events);
  const isKnown = app.fleet.takeEvents(events);
  // A device that is not known yet comes with the next look at all of them.
  if (!isKnown) app.follower.look();
  if (events.some((event) => event.type.startsWith("region.") && event.reason === "deleted")) app.reload();
  for (const event of events) announce(sentence(event, app.book.nameOf));
}

function start() {
  startTheme();
  const gate = document.getElementById("gate");
  const shell = document.getElementById("app");
  let app = null;
  session.token.watch((token) => {
    gate.hidden = token !== null;
    shell.hidden = token === null;
    if (token === null) {
      app?.stream.close();
      app?.follower.stop();
      app?.fleet.clear();
      app?.log.clear();
      showGate(gate);
      return;
    }
    if (!app) {
      app = makeApp();
      makeSheet(app);
      makeTabs(app, [livePanel, regionsPanel, historyPanel, webhooksPanel, appsPanel]);
      showStatus(app);
      showTools();
      colors.tell();
    }
    app.map.invalidateSize();
    app.follower.start();
    app.stream.open();
    readLatest(app);
  });
}

start();
