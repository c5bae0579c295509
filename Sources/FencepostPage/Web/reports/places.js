import { pathSegment, request } from "../core/api.js";
import { element } from "../core/dom.js";
import { addressAttribution } from "../core/geocoder.js";
import { formatDuration } from "../core/time.js";
import { text } from "../text/text.js";

const texts = text.reports.suggestions;

/** Suggested places, each with the events that it would have given as a region, and a button to make it one. */
export function placeList(app, places, query, changed) {
  if (!places.length) {
    return element("p.hint", {}, texts.none);
  }
  const list = element("ul.lines.place-list", {}, places.slice(0, 20).map((place, index) => {
    const known = place.regions.map(app.regions.nameOf).join(", ");
    const name = element("input", {
      "aria-label": texts.name, value: (place.address ?? texts.numbered(index + 1)).slice(0, 100), maxlength: 100,
    });
    return element("li", {},
      element("button.quiet", {
        type: "button", onClick: () => app.mapView.showBox(around(place), 17),
      }, known || place.address || `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`),
      element("small", {}, texts.facts({
        visits: place.visits, duration: formatDuration(place.seconds), hours: place.typicalHours, radius: place.radius,
      })),
      element("small", {}, texts.lastMonth(place.lastMonth.entered, place.lastMonth.exited)),
      !known && element("form.row", {
        data: { needs: "write" }, onSubmit: async (event) => {
          event.preventDefault();
          try {
            await request("POST", `/v1/places/${pathSegment(place.id)}/region`, { json: { name: name.value }, query });
            app.toast(texts.added(name.value));
            app.reloadRegions();
            changed();
          } catch (problem) {
            app.toast(problem.message, { tone: "bad" });
          }
        },
      }, name, element("button", { type: "submit" }, texts.add)));
  }));
  return element("div", {}, list, places.some(({ address }) => address) && addressAttribution());
}

function around({ longitude, latitude, radius }) {
  const [up, across] = [radius / 70_000, radius / (70_000 * Math.max(0.01, Math.cos((latitude * Math.PI) / 180)))];
  return [longitude - across, latitude - up, longitude + across, latitude + up];
}
