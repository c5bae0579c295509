import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";

/** Shows in the app bar whether the page is live, and the number of devices. */
export function showStatus(app) {
  const container = document.getElementById("status");
  const show = () => {
    const [kind, label] = describeState(app);
    if (container.dataset.shown === label) return;
    container.dataset.shown = label;
    setChildren(container, element(`span.status-dot.${kind}`, { "aria-hidden": true }), element("span", {}, label));
  };
  app.stream.state.watch(show);
  app.poller.state.subscribe(show);
  app.devices.changes.subscribe(show);
}

function describeState(app) {
  const texts = text.shell.status;
  const problem = app.poller.state.value?.problem;
  switch (app.stream.state.value) {
    case "live":
      if (app.poller.state.value === null) {
        const { count } = app.devices;
        return ["wait", count ? texts.loadingDevices(count) : texts.loading];
      }
      if (problem) return ["wait", texts.eventsOnly];
      return ["live", app.devices.count ? texts.liveDevices(app.devices.count) : texts.live];
    case "connecting":
      return ["wait", texts.connecting];
    case "reconnecting":
      return ["wait", navigator.onLine ? texts.reconnecting : texts.offline];
    default:
      return ["off", texts.off];
  }
}
