import { get, request, urlOf } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatDateTime } from "../core/time.js";
import { actionForm, confirmButton, copyBox, field, line, wordsIn } from "./form.js";

/** Seconds. */
const durations = { 3600: "1 hour", 14400: "4 hours", 86400: "1 day", 604800: "1 week", 2592000: "30 days" };

/** The share links, and the form that makes one. */
export function sharesSection(app) {
  const list = element("ul.lines");
  const result = element("div", { role: "status" });
  const devices = element("input", { required: true, placeholder: "jane/phone", autocapitalize: "none" });
  const name = element("input", { maxlength: 128, placeholder: "Jane is on her way" });
  const duration = element("select", {}, Object.entries(durations).map(([value, text]) =>
    element("option", { value }, text)));
  const form = actionForm("Make a link", [
    field("Devices", devices, "ids, separated by spaces"), field("Title", name, "(optional)"),
    field("Ends after", duration),
  ], async () => {
    const { data } = await request("POST", "/v1/shares", { json: {
      devices: wordsIn(devices.value) ?? [], name: name.value.trim(),
      expires: new Date(Date.now() + Number(duration.value) * 1000).toISOString(),
    } });
    setChildren(result, copyBox(urlOf(data.path).href, "Share link"));
    await load();
  });
  const section = element("section.block", { data: { needs: "share" } }, element("h2", {}, "Share links"),
    element("p.hint", {}, "A link shows the last positions of its devices, and nothing else, until it ends."),
    list, element("details.tool", {}, element("summary", {}, "Share devices"), form, result));

  async function load() {
    if (!session.can("share")) return;
    const { data } = await get("/v1/shares");
    setChildren(list, data.length ? data.map((share) => line(share.name || share.devices.join(", "),
      `${share.devices.join(", ")} until ${formatDateTime(share.expires)}`,
      confirmButton("Revoke", share.name || share.devices.join(", "), () => revoke(share))))
      : element("li", {}, "No links."));
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
