import { element, setChildren, uniqueID } from "../core/dom.js";
import { Picker } from "../pick/picker.js";
import { regionSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { partsOf, windowOf } from "./plan-words.js";

const texts = text.plans.form;

/** The fields of a plan's places, one group for each place. */
export function placeFields(app) {
  const list = element("div.form-part");
  /** @type {{element: HTMLElement, json: () => object}[]} */
  let rows = [];
  const draw = () => setChildren(list, rows.map((row) => row.element));

  function add(place = null) {
    const region = new Picker({ source: regionSource(app), isRequired: true, placeholder: texts.region });
    const [from, to] = ["from", "to"].map((name) => element("input", {
      id: uniqueID(name), type: "time", required: true,
    }));
    const isNextDay = element("input", { id: uniqueID("next-day"), type: "checkbox" });
    const stay = element("input", {
      id: uniqueID("stay"), type: "number", min: 0, max: 1440, step: "any", inputmode: "decimal", placeholder: "0",
    });
    if (place) {
      region.value = place.region;
      from.value = partsOf(place.from).time;
      to.value = partsOf(place.to).time;
      isNextDay.checked = partsOf(place.from).isNextDay;
      stay.value = place.stay ? String(place.stay / 60) : "";
    }
    const label = (input, name) => element("label", { for: input.id }, name);
    const row = {
      element: element("fieldset", {}, element("legend", {}, texts.place),
        label(region.input, texts.region), region.element,
        label(from, texts.from), from, label(to, texts.to), to,
        element("label", { for: isNextDay.id }, isNextDay, " ", texts.nextDay),
        label(stay, texts.stay), stay,
        element("button.quiet", { type: "button", onClick: () => {
          rows = rows.filter((other) => other !== row);
          draw();
        } }, texts.removePlace)),
      json: () => ({
        region: region.value, ...windowOf(from.value, to.value, isNextDay.checked),
        ...(stay.value !== "" && { stay: Number(stay.value) * 60 }),
      }),
    };
    rows.push(row);
    draw();
  }

  return {
    element: element("div", {}, list,
      element("button", { type: "button", onClick: () => add() }, texts.addPlace)),
    json: () => rows.map((row) => row.json()),
    /** Replaces the places; without any there is one to fill in. */
    fill(places = [null]) {
      rows = [];
      for (const place of places) add(place);
    },
  };
}
