import { coordinatesIn } from "../core/coordinates.js";
import { element, setChildren } from "../core/dom.js";
import { groups } from "../core/groups.js";
import { oncePerFrame } from "../core/observable.js";
import { text } from "../text/text.js";
import { findOnMap } from "./matching.js";

/** The list has at most so many regions and groups. */
const mostShown = 5;

/**
 * The regions and groups that the search field finds: a press moves the map there, Enter to the first one.
 * @param {HTMLInputElement} find the search field.
 */
export function foundList(app, find) {
  const texts = text.live.found;
  const list = element("ul.lines.found", { "aria-label": texts.label, hidden: true });

  const devicesOf = (tag) => app.devices.ids.filter((id) => groups.has(tag, id));
  const show = ({ kind, id }) => {
    if (kind === "region") app.mapView.showRegion(id);
    else app.mapView.showDevices(devicesOf(id));
  };
  const found = () => (coordinatesIn(find.value) ? [] : findOnMap(find.value, { regions: app.regions, groups }));
  const draw = () => {
    const shown = found().slice(0, mostShown);
    list.hidden = !shown.length;
    setChildren(list, shown.map((place) => element("li", {},
      element("button.quiet", { type: "button", onClick: () => show(place) }, place.name),
      element("small", {}, place.kind === "region"
        ? texts.region : texts.group(text.common.devices(devicesOf(place.id).length))))));
  };
  const scheduleDraw = oncePerFrame(draw);
  find.addEventListener("input", scheduleDraw);
  find.addEventListener("keydown", (event) => {
    const [first] = event.key === "Enter" ? found() : [];
    if (first) show(first);
  });
  groups.changes.subscribe(scheduleDraw);
  return { element: list, draw: scheduleDraw };
}
