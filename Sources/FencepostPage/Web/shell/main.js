// The entry point: creates the parts of the page, connects them, and starts and stops them with the session.

import { accessPanel } from "../access/panel.js";
import { alertsPanel } from "../alerts/panel.js";
import { appsPanel } from "../apps/panel.js";
import { announce } from "../core/dom.js";
import { eventSentence } from "../core/event-types.js";
import { fragment, navigate } from "../core/fragment.js";
import { groups } from "../core/groups.js";
import { Observable } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { failureText, returnFromProvider } from "../core/provider.js";
import { session } from "../core/session.js";
import { Stream } from "../core/stream.js";
import { colors, startTheme } from "../core/theme.js";
import { startUnits } from "../core/units.js";
import { browserZone, canonicalZone, showTimeZone, timeZone } from "../core/zone.js";
import { historyPanel } from "../history/panel.js";
import { importPanel } from "../import/panel.js";
import { livePanel } from "../live/panel.js";
import { addExplanationLayer } from "../map/explanation-layer.js";
import { addFenceLayer } from "../map/fence-layer.js";
import { makeMapView } from "../map/map-view.js";
import { makeMap } from "../map/map.js";
import { mqttPanel } from "../mqtt/panel.js";
import { plansPanel } from "../plans/panel.js";
import { regionsPanel } from "../regions/panel.js";
import { reportsPanel } from "../reports/panel.js";
import { DeviceStore } from "../state/device-store.js";
import { EventLog } from "../state/event-log.js";
import { readLatestEvents } from "../state/latest-events.js";
import { Poller } from "../state/poller.js";
import { RegionStore } from "../state/region-store.js";
import { TagColors } from "../state/tag-colors.js";
import { text, translateDocument } from "../text/text.js";
import { webhooksPanel } from "../webhooks/panel.js";
import { makeBottomSheet } from "./bottom-sheet.js";
import { makeMenu } from "./menu.js";
import { makeResizer } from "./resizer.js";
import { showSignIn } from "./sign-in.js";
import { showStatus } from "./status.js";
import { makeTabs } from "./tabs.js";
import { toast } from "./toasts.js";

/**
 * Creates the object that every panel gets.
 *
 * `devices`, `regions`, `eventLog`: the stores. `tagColors`: the colours of regions. `map`: the Leaflet map. `mapView`:
 * the map layers, and functions that pan and zoom. `selection`: `{device, region, event}`, ids or null;
 * `select(parts)` changes it and the fragment. `toast(text, options)` shows a short message.
 * `reloadRegions()` loads the regions again.
 */
function makeApp() {
  const devices = new DeviceStore();
  const regions = new RegionStore();
  const eventLog = new EventLog();
  const selection = new Observable(selectionIn(fragment.value));
  const map = makeMap(document.getElementById("map"));
  const tagColors = new TagColors(regions);
  const app = { devices, regions, tagColors, eventLog, selection, map, toast };
  app.select = (parts) => {
    navigate(parts, true);
  };
  fragment.subscribe((parts) => {
    const selected = selectionIn(parts);
    const old = selection.value;
    if (["device", "region", "event"].some((name) => selected[name] !== old[name])) selection.value = selected;
  });
  app.poller = new Poller(devices, regions);
  app.reloadRegions = () => app.poller.loadRegions();
  app.mapView = makeMapView(app);
  addExplanationLayer(app);
  addFenceLayer(app);
  app.stream = new Stream(batched((events) => applyEvents(app, events)), () => readLatestEvents(app));
  return app;
}

const selectionIn = ({ device = null, region = null, event = null }) => ({ device, region, event });

/** Collects events for 50 ms into one batch: after a reconnect, thousands of events can arrive at once. */
function batched(handleBatch) {
  let batch = [];
  return (event) => {
    batch.push(event);
    if (batch.length > 1) return;
    setTimeout(() => {
      const events = batch;
      batch = [];
      handleBatch(events);
    }, 50);
  };
}

function applyEvents(app, events) {
  app.eventLog.add(events);
  const isKnown = app.devices.applyEvents(events);
  // The next poll adds the new device.
  if (!isKnown) app.poller.poll();
  if (events.some((event) => event.type.startsWith("region.") && event.reason === "deleted")) app.reloadRegions();
  for (const event of events) announce(eventSentence(event, app.regions.nameOf));
}

async function start() {
  translateDocument();
  startTheme();
  startUnits();
  const failure = returnFromProvider();
  await session.restore();
  if (session.token.value === null) session.signOutReason = failureText(failure, session.access.value.signIn);
  const signIn = document.getElementById("sign-in");
  const shell = document.getElementById("app");
  let app = null;
  let shownZone = null;
  session.access.watch(() => session.can("admin") && groups.load());
  session.token.watch((token) => {
    signIn.hidden = token !== null;
    shell.hidden = token === null;
    if (token === null) {
      app?.stream.close();
      app?.poller.stop();
      app?.devices.clear();
      app?.eventLog.clear();
      profiles.clear();
      groups.replace([]);
      showSignIn(signIn);
      return;
    }
    signIn.replaceChildren();
    const zone = session.timeZone ?? browserZone;
    // Somebody else has signed in. All times are written again.
    if (app && shownZone !== zone) {
      location.reload();
      return;
    }
    if (!app) {
      shownZone = zone;
      showTimeZone(zone);
      if (canonicalZone(zone) === null) toast(text.common.time.unknownZone(zone, timeZone), { tone: "bad" });
      app = makeApp();
      makeBottomSheet(app);
      const others = makeTabs(app, [livePanel, regionsPanel, historyPanel, reportsPanel],
        [alertsPanel, plansPanel, importPanel, webhooksPanel, mqttPanel, appsPanel, accessPanel]);
      showStatus(app);
      makeMenu(others);
      makeResizer(app);
      colors.notify();
    }
    app.map.invalidateSize();
    profiles.load();
    app.poller.start();
    app.stream.open();
    readLatestEvents(app);
  });
}

start();
