import { coordinatesIn } from "../core/coordinates.js";
import { element } from "../core/dom.js";
import { fragment, navigate } from "../core/fragment.js";
import { Observable } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { text } from "../text/text.js";
import { placeSearch } from "./place-search.js";

/** The filters of devices and events; the fragment holds them as `find` and `kind`. */
export function makeFilters(app) {
  const { findHint, findLabel, kindLabel, kinds } = text.live.filters;
  const changes = new Observable(read(fragment.value));
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

  fragment.watch((parts) => {
    const next = read(parts);
    if (find.value !== next.find && !coordinatesIn(find.value)) find.value = next.find;
    kind.value = next.kind in kinds ? next.kind : "";
    if (JSON.stringify(next) !== JSON.stringify(changes.value)) changes.value = next;
  });
  const apply = () => {
    app.mapView.deviceFilter.value = filterOf(changes.value, app);
    app.mapView.regionLayer.isIncluded = regionFilterOf(changes.value, app);
    app.mapView.regionLayer.redraw();
  };
  apply();
  changes.subscribe(apply);
  profiles.changes.subscribe(apply);
  return {
    changes,
    element: element("div", { role: "search" }, element("div.filters", {}, find, kind), placeSearch(app, find)),
    showsDevice: (id) => app.mapView.deviceFilter.value(app.devices.indexOf(id)),
    showsEvent: (event) => showsEvent(changes.value, event, app),
  };
}

const read = ({ find = "", kind = "" }) => ({ find, kind });

/** Whether the id or the name of a device has a text, which is in lower case. */
const isNamed = (id, wanted) => id.toLowerCase().includes(wanted) || profiles.nameOf(id).toLowerCase().includes(wanted);

function filterOf({ find }, app) {
  if (!find) return () => true;
  const wanted = find.toLowerCase();
  return (index) => {
    const { ids, regions } = app.devices;
    return isNamed(ids[index] ?? "", wanted)
      || (regions[index] ?? []).some((id) => app.regions.nameOf(id).toLowerCase().includes(wanted));
  };
}

/** Shows the regions whose name or tags match, and those with a device inside that matches. */
function regionFilterOf({ find }, app) {
  if (!find) return () => true;
  const wanted = find.toLowerCase();
  return (id) => {
    const { name = "", tags = "" } = app.regions.get(id)?.properties ?? {};
    if (`${id} ${name} ${tags}`.toLowerCase().includes(wanted)) return true;
    const { ids, regions } = app.devices;
    return ids.some((device, index) => isNamed(device, wanted) && regions[index].includes(id));
  };
}

function showsEvent({ find, kind }, event, app) {
  const fits = kind === "service" ? /^(endpoint|delivery|webhook)\./.test(event.type) : event.type.startsWith(kind);
  if (!fits) return false;
  if (!find) return true;
  const wanted = find.toLowerCase();
  const names = [event.deviceId, event.deviceId && profiles.nameOf(event.deviceId),
    event.region && (event.region.name ?? event.region.id), ...(event.visit?.regions ?? []).map(app.regions.nameOf)];
  return names.some((name) => name?.toLowerCase().includes(wanted));
}
