import { getAll, readAfterChanges, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatAge, formatDateTime } from "../core/time.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { actionForm, confirmButton, copyBox, field, line } from "./form.js";

const texts = text.access.tokens;

/** The tokens of phones and programs, and the form that issues one. */
export function tokensSection(app) {
  const list = element("ul.lines");
  const result = element("div", { role: "status" });
  const name = element("input", { required: true, maxlength: 256, placeholder: texts.nameExample });
  const device = new Picker({ source: deviceSource(app), maxlength: 128, placeholder: texts.everyDevice });
  const boxes = Object.entries(texts.scopes).map(([scope, label]) => [scope, label,
    element("input", { type: "checkbox", checked: scope === "ingest" })]);
  const form = actionForm(texts.submit, [
    field(texts.name, name), field(texts.device, device, texts.deviceHint),
    element("fieldset.checks", {}, element("legend", {}, texts.scopesTitle),
      boxes.map(([, label, box]) => element("label.check", {}, box, label))),
  ], async () => {
    const { data } = await request("POST", "/v1/tokens", { json: {
      name: name.value.trim(), scopes: boxes.filter(([, , box]) => box.checked).map(([scope]) => scope),
      ...(device.value && { deviceId: device.value }),
    } });
    setChildren(result, copyBox(data.token, texts.token(data.name)));
    await load();
  });
  const section = element("section.block", { data: { needs: "admin" } }, element("h2", {}, texts.title),
    element("p.hint", {}, texts.intro), list,
    element("details.tool", {}, element("summary", {}, texts.add), form, result));

  async function load() {
    if (!session.can("admin")) return;
    const tokens = await readAfterChanges(() => getAll("/v1/tokens", {}, { limit: 1000 }));
    setChildren(list, tokens.map((token) => line(token.name, [
      token.scopes.join(", "), token.deviceId && texts.only(token.deviceId),
      token.expires && texts.until(formatDateTime(token.expires)),
      token.lastUsed ? texts.used(formatAge(token.lastUsed)) : texts.neverUsed,
    ].filter(Boolean).join("; "), confirmButton(text.access.revoke, token.name, () => revoke(token)))));
  }

  async function revoke(token) {
    try {
      await request("DELETE", `/v1/tokens/${token.id}`);
      await load();
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
  }
  return { element: section, load, clear: () => [list, result].forEach((node) => setChildren(node)) };
}
