import { getAll, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatAge, formatDateTime } from "../core/time.js";
import { actionForm, confirmButton, copyBox, field, line } from "./form.js";

const scopes = {
  ingest: "send locations", read: "read", write: "change regions, apps and webhooks", admin: "everything",
};

/** The tokens of phones and programs, and the form that issues one. */
export function tokensSection(app) {
  const list = element("ul.lines");
  const result = element("div", { role: "status" });
  const name = element("input", { required: true, maxlength: 256, placeholder: "Jane's phone" });
  const device = element("input", { maxlength: 128, placeholder: "every device", autocapitalize: "none" });
  const boxes = Object.entries(scopes).map(([scope, text]) => [scope, text,
    element("input", { type: "checkbox", checked: scope === "ingest" })]);
  const form = actionForm("Issue the token", [
    field("Name", name), field("Device", device, "the only one that the token may use"),
    element("fieldset.checks", {}, element("legend", {}, "The token may"),
      boxes.map(([, text, box]) => element("label.check", {}, box, text))),
  ], async () => {
    const { data } = await request("POST", "/v1/tokens", { json: {
      name: name.value.trim(), scopes: boxes.filter(([, , box]) => box.checked).map(([scope]) => scope),
      ...(device.value.trim() && { deviceId: device.value.trim() }),
    } });
    setChildren(result, copyBox(data.token, `Token ${data.name}`));
    await load();
  });
  const section = element("section.block", { data: { needs: "admin" } }, element("h2", {}, "Tokens"),
    element("p.hint", {}, "Phones and programs use tokens instead of a password."), list,
    element("details.tool", {}, element("summary", {}, "Issue a token"), form, result));

  async function load() {
    if (!session.can("admin")) return;
    const tokens = await getAll("/v1/tokens", {}, { limit: 1000 });
    setChildren(list, tokens.map((token) => line(token.name, [
      token.scopes.join(", "), token.deviceId && `only ${token.deviceId}`,
      token.expires && `until ${formatDateTime(token.expires)}`,
      token.lastUsed ? `used ${formatAge(token.lastUsed)}` : "never used",
    ].filter(Boolean).join("; "), confirmButton("Revoke", token.name, () => revoke(token)))));
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
