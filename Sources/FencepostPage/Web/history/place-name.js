// The name of a stay: that of a region, which a form makes of a stay in none.

import { request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { boundingBox, containsPosition } from "../core/geo.js";
import { text } from "../text/text.js";
import { smallestFirst } from "./diary.js";

const texts = text.history.naming;
/** Metres: as the service makes a region of a frequent place. */
const [leastRadius, mostRadius] = [50, 300];

/**
 * The regions of a stay, the smallest first: those that it was in, else those that are there now, such as one that was
 * made of it afterwards.
 * @param {any} part
 * @param {import("../state/region-store.js").RegionStore} store
 * @returns {string[]}
 */
export function regionsOfStay({ regions = [], visit }, store) {
  const known = regions.filter((id) => store.get(id));
  if (known.length || !visit) return smallestFirst(known.length ? known : regions, store);
  const position = /** @type {[number, number]} */ ([visit.longitude, visit.latitude]);
  const there = [...store.all.keys()].filter((id) => {
    const feature = store.get(id);
    return mayContain(feature, position) && containsPosition(feature, position);
  });
  return smallestFirst(there.length ? there : regions, store);
}

/** Whether a position is in the box of a region; across the antimeridian every one may be. */
function mayContain(feature, [lon, lat]) {
  const [west, south, east, north] = boundingBox(feature);
  return lat >= south && lat <= north && (east > 180 || west < -180 || (lon >= west && lon <= east));
}

/** A circle around a stay, as GeoJSON. */
export const regionOf = ({ longitude, latitude, horizontalAccuracy }, name) => ({
  type: "Feature", geometry: { type: "Point", coordinates: [longitude, latitude] },
  properties: {
    name, radius: Math.round(Math.min(mostRadius, Math.max(leastRadius, 2 * horizontalAccuracy))),
    // Who is there now has not just come.
    initialState: "silent",
  },
});

/**
 * A form that gives the place of a stay a name.
 * @param {any} app
 * @param {import("./diary.js").Part} part a stay with a visit, in no region.
 */
export function namingForm(app, part) {
  const name = element("input", {
    "aria-label": texts.name, placeholder: texts.name, required: true, maxlength: 100,
    value: part.name ?? part.address ?? "", autocomplete: "off",
  });
  const problem = element("p.field-problem", { role: "alert" });
  const submit = element("button", { type: "submit" }, texts.save);
  return element("form.diary-naming", { data: { needs: "write" }, onSubmit: async (event) => {
    event.preventDefault();
    const given = name.value.trim();
    if (!given) return;
    submit.disabled = true;
    setChildren(problem);
    try {
      await request("POST", "/v1/regions", { json: regionOf(part.visit, given), type: "application/geo+json" });
      app.toast(texts.saved(given));
      await app.reloadRegions();
    } catch (error) {
      const details = error.errors?.map(({ detail }) => detail) ?? [];
      setChildren(problem, details.length ? details.join(" ") : error.message);
      submit.disabled = false;
    }
  } }, element("div.row", {}, name, submit), problem, element("p.hint", {}, texts.hint));
}
