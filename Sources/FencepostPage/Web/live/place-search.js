import { get } from "../core/api.js";
import { announce, element, setChildren } from "../core/dom.js";
import { addressAttribution, geocoder } from "../core/geocoder.js";
import { text } from "../text/text.js";

/**
 * Finds places by the text of the search field, when it is asked: geocoders do not want a request for each letter.
 * @param {HTMLInputElement} find the search field.
 * @returns {Element[]} nothing when the service has no geocoder.
 */
export function placeSearch(app, find) {
  if (!geocoder.isOn) return [];
  const texts = text.live.search;
  const results = element("div.place-results", { role: "status" });
  const button = element("button.quiet", { type: "button", onClick: () => search() }, texts.find);
  let lastText = "";

  const show = ({ name, address, latitude, longitude, box }) => element("li", {},
    element("button.quiet", { type: "button", title: address, onClick: () => {
      if (box && box[0] < box[2]) app.mapView.showBox(box, 17);
      else app.mapView.showPosition([longitude, latitude], 16);
    } }, name),
    element("small", {}, address));

  async function search() {
    const wanted = find.value.trim();
    if (!wanted) {
      find.focus();
      return;
    }
    lastText = wanted;
    setChildren(results, element("p.hint", {}, texts.searching));
    const { lat, lng } = app.map.getCenter().wrap();
    const near = app.map.getZoom() >= 8 ? { latitude: lat.toFixed(2), longitude: lng.toFixed(2) } : {};
    try {
      const { data } = await get("/v1/geocode/search", { q: wanted, ...near });
      if (lastText !== wanted) return;
      announce(texts.found(data.length));
      setChildren(results, data.length
        ? element("ul.lines", { "aria-label": texts.label }, data.map(show))
        : element("p.hint", {}, texts.none), data.length > 0 && addressAttribution());
    } catch (problem) {
      if (lastText === wanted) setChildren(results, element("p.hint", {}, problem.message));
    }
  }

  find.addEventListener("keydown", (event) => event.key === "Enter" && search());
  find.addEventListener("input", () => {
    lastText = "";
    setChildren(results);
  });
  return [button, results];
}
