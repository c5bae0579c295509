import { coordinatesIn } from "../core/coordinates.js";
import { element } from "../core/dom.js";
import { fragment, navigate } from "../core/fragment.js";
import { groups } from "../core/groups.js";
import { Observable } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { text } from "../text/text.js";
import { foundList } from "./found.js";
import { deviceMatcher, isEventShown, regionMatcher } from "./matching.js";
import { placeSearch } from "./place-search.js";

/** The filters of devices and events; the fragment holds them as `find` and `kind`. */
export function makeFilters(app) {
  const { findHint, findLabel, kindLabel, kinds } = text.live.filters;
  const changes = new Observable(read(fragment.value));
  const data = { devices: app.devices, regions: app.regions, profiles, groups };
  const find = element("input", {
    type: "search", placeholder: findHint,
    "aria-label": findLabel,
    onInput: () => {
      const position = coordinatesIn(find.value);
      if (position) app.mapView.showPosition(position);
      navigate({ find: position ? null : find.value || null });
    },
  });
  const kind = element("select", {
    "aria-label": kindLabel, onChange: () => navigate({ kind: kind.value || null }),
  }, Object.entries(kinds).map(([value, label]) => element("option", { value }, label)));

  const found = foundList(app, find);

  fragment.watch((parts) => {
    const next = read(parts);
    if (find.value !== next.find && !coordinatesIn(find.value)) {
      find.value = next.find;
      found.draw();
    }
    kind.value = next.kind in kinds ? next.kind : "";
    if (JSON.stringify(next) !== JSON.stringify(changes.value)) changes.value = next;
  });
  const apply = () => {
    app.mapView.deviceFilter.value = deviceMatcher(changes.value, data);
    app.mapView.regionLayer.isIncluded = regionMatcher(changes.value, data);
    app.mapView.regionLayer.redraw();
  };
  apply();
  changes.subscribe(apply);
  profiles.changes.subscribe(apply);
  groups.changes.subscribe(apply);
  return {
    changes,
    element: element("div", { role: "search" }, element("div.filters", {}, find, kind),
      found.element, placeSearch(app, find)),
    showsDevice: (id) => app.mapView.deviceFilter.value(app.devices.indexOf(id)),
    showsEvent: (event) => isEventShown(changes.value, event, data),
  };
}

const read = ({ find = "", kind = "" }) => ({ find, kind });
