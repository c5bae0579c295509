import { h } from "../core/dom.js";
import { go, place } from "../core/hash.js";
import { Observable } from "../core/observable.js";

const kinds = {
  "": "Everything", "region.": "Regions", "visit.": "Visits", "device.": "Silence", "app.": "Apps started",
  "service": "Webhooks",
};

/** Which devices and events are shown; kept in the address as `find`, `kind` and `in`. */
export function makeFilters(app) {
  const changes = new Observable(read(place.value));
  const find = h("input", {
    type: "search", placeholder: "Device or region", "aria-label": "Only devices and regions with this in their name",
    onInput: () => go({ find: find.value || null }),
  });
  const kind = h("select", {
    "aria-label": "Only events of this kind", onChange: () => go({ kind: kind.value || null }),
  }, Object.entries(kinds).map(([value, text]) => h("option", { value }, text)));

  place.watch((parts) => {
    const next = read(parts);
    if (find.value !== next.find) find.value = next.find;
    kind.value = next.kind in kinds ? next.kind : "";
    if (JSON.stringify(next) !== JSON.stringify(changes.value)) changes.value = next;
  });
  const apply = () => {
    app.scene.isShown.value = filterOf(changes.value, app);
  };
  apply();
  changes.follow(apply);
  return {
    changes,
    element: h("div.filters", { role: "search" }, find, kind),
    showsDevice: (id) => app.scene.isShown.value(app.fleet.place(id)),
    showsEvent: (event) => showsEvent(changes.value, event, app),
  };
}

const read = ({ find = "", kind = "" }) => ({ find, kind });

function filterOf({ find }, app) {
  if (!find) return () => true;
  const wanted = find.toLowerCase();
  return (at) => {
    const { ids, regions } = app.fleet;
    return ids[at]?.toLowerCase().includes(wanted)
      || (regions[at] ?? []).some((id) => app.book.nameOf(id).toLowerCase().includes(wanted));
  };
}

function showsEvent({ find, kind }, event, app) {
  const fits = kind === "service" ? /^(endpoint|delivery|webhook)\./.test(event.type) : event.type.startsWith(kind);
  if (!fits) return false;
  if (!find) return true;
  const wanted = find.toLowerCase();
  const names = [event.deviceId, event.region && (event.region.name ?? event.region.id),
    ...(event.visit?.regions ?? []).map(app.book.nameOf)];
  return names.some((name) => name?.toLowerCase().includes(wanted));
}
