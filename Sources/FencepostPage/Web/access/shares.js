import { get, readAfterChanges, request, urlOf } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatDateTime } from "../core/time.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { actionForm, confirmButton, copyBox, field, line } from "./form.js";

const texts = text.access.shares;

/** The share links, and the form that makes one. */
export function sharesSection(app) {
  const list = element("ul.lines");
  const result = element("div", { role: "status" });
  const devices = new Picker({
    source: deviceSource(app, { groups: true, patterns: false }), isMultiple: true, isRequired: true,
  });
  const name = element("input", { maxlength: 128, placeholder: texts.nameExample });
  const duration = element("select", {}, Object.entries(texts.durations).map(([value, label]) =>
    element("option", { value }, label)));
  const form = actionForm(texts.submit, [
    field(texts.devices, devices, texts.devicesHint), field(texts.name, name, text.common.optional),
    field(texts.duration, duration),
  ], async () => {
    const { data } = await request("POST", "/v1/shares", { json: {
      devices: devices.values, name: name.value.trim(),
      expires: new Date(Date.now() + Number(duration.value) * 1000).toISOString(),
    } });
    setChildren(result, copyBox(urlOf(data.path).href, texts.link));
    await load();
  });
  const section = element("section.block", { data: { needs: "share" } }, element("h2", {}, texts.title),
    element("p.hint", {}, texts.intro),
    list, element("details.tool", {}, element("summary", {}, texts.add), form, result));

  async function load() {
    if (!session.can("share")) return;
    const { data } = await readAfterChanges(() => get("/v1/shares"));
    setChildren(list, data.length ? data.map((share) => line(share.name || share.devices.join(", "),
      texts.until(share.devices.join(", "), formatDateTime(share.expires)),
      confirmButton(text.access.revoke, share.name || share.devices.join(", "), () => revoke(share))))
      : element("li", {}, texts.none));
  }

  async function revoke(share) {
    try {
      await request("DELETE", `/v1/shares/${share.id}`);
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
    await load();
  }
  return { element: section, load, clear: () => [list, result].forEach((node) => setChildren(node)) };
}
