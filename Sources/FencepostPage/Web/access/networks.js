import { get, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatDateTime } from "../core/time.js";
import { actionForm, confirmButton, field, line } from "./form.js";

/** The private networks to which messages may be sent. */
export function networksSection(app) {
  const list = element("ul.lines");
  const network = element("input", { required: true, placeholder: "192.168.1.0/24", autocapitalize: "none",
    spellcheck: "false" });
  const form = actionForm("Allow", [field("Network", network, "an address with the length of its prefix")],
    async () => {
      await request("POST", "/v1/networks", { json: { network: network.value.trim() } });
      await load();
    });
  const section = element("section.block", { data: { needs: "admin" } }, element("h2", {}, "Networks"),
    element("p.hint", {}, "Messages go to public addresses over https. In these private networks they may go to any",
      " address, also over http."),
    list, element("details.tool", {}, element("summary", {}, "Allow a network"), form));

  async function load() {
    if (!session.can("admin")) return;
    const { data } = await get("/v1/networks");
    setChildren(list, data.length ? data.map((allowed) => line(allowed.network,
      `since ${formatDateTime(allowed.createdAt)}`,
      confirmButton("Revoke", allowed.network, () => revoke(allowed))))
      : element("li", {}, "No networks."));
  }

  async function revoke(allowed) {
    try {
      await request("DELETE", `/v1/networks/${allowed.id}`);
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
    await load();
  }
  return { element: section, load, clear: () => setChildren(list) };
}
