// What the user states about a stay, in place of what its positions show: its name, its place, its times, or that
// there was no stay. One over two stays joins them, and one of a part of a stay divides it.

import { get, pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { Picker } from "../pick/picker.js";
import { regionSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { fieldTime, timeInField } from "./time-field.js";

const texts = text.history.correction;
const minute = 60_000;

/** The times of a stay as far as they are known, not cut at midnight. */
export function spanOf({ from, to, visit }) {
  const time = (value, otherwise) => (value ? Date.parse(value) : otherwise);
  return [Math.min(time(visit?.arrival, from), from), Math.max(time(visit?.departure, to), to)];
}

/**
 * The body of a correction. A time that was not changed is that of the stay, to the millisecond. Without a place the
 * service takes that of the visit; a stay without a visit has the place of its region.
 * @param {any} part
 * @param {{from: number, to: number, name: string, region: string}} given
 */
export function correctionOf(part, { from, to, name, region }) {
  const [start, end] = spanOf(part);
  const isSame = (time, known) => Math.floor(time / minute) === Math.floor(known / minute);
  const regionId = region || (part.visit ? "" : part.regions?.[0] ?? "");
  return {
    arrival: new Date(isSame(from, start) ? start : from).toISOString(),
    departure: new Date(isSame(to, end) ? end : to).toISOString(),
    ...(name && { name }), ...(regionId && { regionId }),
  };
}

/** The body of the correction that a stay went on until the end of the next one, at its own place. */
export function joinedWith(part, next) {
  const [start] = spanOf(part);
  const [, end] = spanOf(next);
  const regionId = part.regions?.[0];
  return {
    arrival: new Date(start).toISOString(), departure: new Date(end).toISOString(),
    ...(part.isCorrected && part.name && { name: part.name }),
    ...(part.visit && { latitude: part.visit.latitude, longitude: part.visit.longitude }),
    ...(regionId && { regionId }),
  };
}

/** The body that states again what a correction says. */
export function restated({ arrival, departure, stay, name, latitude, longitude, regions = [] }) {
  if (!stay) return { arrival, departure, stay };
  const [regionId] = regions;
  return { arrival, departure, latitude, longitude, ...(name && { name }), ...(regionId && { regionId }) };
}

/** Those of the corrections that one with this body cuts. */
export const cutBy = (body, corrections) => corrections.filter(({ arrival, departure }) =>
  Date.parse(arrival) < Date.parse(body.departure) && Date.parse(departure) > Date.parse(body.arrival));

/**
 * A form that corrects a stay.
 * @param {any} app
 * @param {any} part the stay.
 * @param {{device: string, next: any, corrected: () => void}} context `next` is the stay after it, if there is one.
 */
export function correctionForm(app, part, { device, next, corrected }) {
  const path = `/v1/devices/${pathSegment(device)}/stay-corrections`;
  const [start, end] = spanOf(part);
  const name = element("input", { "aria-label": texts.name, placeholder: texts.name, maxlength: 128,
    autocomplete: "off", value: part.isCorrected ? part.name ?? "" : "" });
  const region = new Picker({ source: regionSource(app), placeholder: texts.region });
  region.input.setAttribute("aria-label", texts.region);
  const field = (label, time) => element("input", {
    type: "datetime-local", "aria-label": label, required: true, value: fieldTime(time),
  });
  const [from, to] = [field(texts.from, start), field(texts.to, end)];
  const problem = element("p.field-problem", { role: "alert" });
  const buttons = [];

  /** Sends a correction, with a toast that takes it back. */
  const state = async (body, message) => {
    for (const button of buttons) button.disabled = true;
    setChildren(problem);
    try {
      const former = cutBy(body, (await get(path)).data);
      const { data } = await request("POST", path, { json: body });
      app.toast(message, { action: { label: texts.undo, run: () => remove(data.id, former) } });
      corrected();
    } catch (error) {
      const details = error.errors?.map(({ detail }) => detail) ?? [];
      setChildren(problem, details.length ? details.join(" ") : error.message);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };
  /** Removes a correction, and states again what it has cut. */
  const remove = async (id, former = []) => {
    try {
      await request("DELETE", `${path}/${pathSegment(id)}`);
      for (const correction of former) await request("POST", path, { json: restated(correction) });
      corrected();
    } catch (error) {
      app.toast(error.message, { tone: "bad" });
    }
  };
  const button = (label, onClick) => {
    const made = element("button", { type: onClick ? "button" : "submit", onClick }, label);
    buttons.push(made);
    return made;
  };
  const times = { arrival: new Date(start).toISOString(), departure: new Date(end).toISOString() };
  const save = (event) => {
    event.preventDefault();
    const given = {
      from: timeInField(from.value), to: timeInField(to.value), name: name.value.trim(), region: region.value,
    };
    state(correctionOf(part, given), texts.saved);
  };
  const join = () => state(joinedWith(part, next), texts.joined);
  return element("details.diary-correction", { data: { needs: "write" } }, element("summary", {}, texts.title),
    element("form", { onSubmit: save },
      element("div.row", {}, name, region.element), element("div.row", {}, from, to),
      element("div.row", {}, button(texts.save),
        next && button(texts.join, join),
        button(texts.none, () => state({ ...times, stay: false }, texts.removed)),
        part.isCorrected && button(texts.takeBack, () => remove(part.visit.id))),
      problem, element("p.hint", {}, texts.hint)));
}
