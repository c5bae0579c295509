import { fill, h } from "../core/dom.js";
import { count } from "../core/words.js";

/** Says in the bar whether what is seen is live, and of how many devices. */
export function showStatus(app) {
  const element = document.getElementById("status");
  const show = () => {
    const [kind, text] = words(app);
    if (element.dataset.text === text) return;
    element.dataset.text = text;
    fill(element, h(`span.pulse.${kind}`, { "aria-hidden": true }), h("span", {}, text));
  };
  app.stream.state.watch(show);
  app.follower.state.follow(show);
  app.fleet.changes.follow(show);
}

function words(app) {
  const problem = app.follower.state.value?.problem;
  switch (app.stream.state.value) {
    case "live":
      if (problem) return ["wait", "Events are live, positions are not"];
      return ["live", app.fleet.count ? `Live, ${count(app.fleet.count, "device")}` : "Live"];
    case "connecting":
      return ["wait", "Connecting …"];
    case "reconnecting":
      return ["wait", navigator.onLine ? "Reconnecting …" : "Offline, waiting for the network"];
    default:
      return ["off", "Not connected"];
  }
}
