import { element, setChildren } from "../core/dom.js";
import { formatCount } from "../core/format.js";

/** Shows in the app bar whether the page is live, and the number of devices. */
export function showStatus(app) {
  const container = document.getElementById("status");
  const show = () => {
    const [kind, text] = describeState(app);
    if (container.dataset.text === text) return;
    container.dataset.text = text;
    setChildren(container, element(`span.status-dot.${kind}`, { "aria-hidden": true }), element("span", {}, text));
  };
  app.stream.state.watch(show);
  app.poller.state.subscribe(show);
  app.devices.changes.subscribe(show);
}

function describeState(app) {
  const problem = app.poller.state.value?.problem;
  switch (app.stream.state.value) {
    case "live":
      if (app.poller.state.value === null) {
        const { count } = app.devices;
        return ["wait", count ? `Loading, ${formatCount(count, "device")} so far` : "Loading …"];
      }
      if (problem) return ["wait", "Events are live, positions are delayed"];
      return ["live", app.devices.count ? `Live, ${formatCount(app.devices.count, "device")}` : "Live"];
    case "connecting":
      return ["wait", "Connecting …"];
    case "reconnecting":
      return ["wait", navigator.onLine ? "Reconnecting …" : "Offline, waiting for the network"];
    default:
      return ["off", "Not connected"];
  }
}
