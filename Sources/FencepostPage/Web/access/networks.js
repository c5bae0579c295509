import { get, readAfterChanges, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { session } from "../core/session.js";
import { formatDateTime } from "../core/time.js";
import { text } from "../text/text.js";
import { actionForm, confirmButton, field, line } from "./form.js";

const texts = text.access.networks;

/** The private networks to which messages may be sent. */
export function networksSection(app) {
  const list = element("ul.lines");
  const network = element("input", { required: true, placeholder: "192.168.1.0/24", autocapitalize: "none",
    spellcheck: "false" });
  const form = actionForm(texts.submit, [field(texts.network, network, texts.networkHint)], async () => {
    await request("POST", "/v1/networks", { json: { network: network.value.trim() } });
    await load();
  });
  const section = element("section.block", { data: { needs: "admin" } }, element("h2", {}, texts.title),
    element("p.hint", {}, texts.intro), list,
    element("details.tool", {}, element("summary", {}, texts.add), form));

  async function load() {
    if (!session.can("admin")) return;
    const { data } = await readAfterChanges(() => get("/v1/networks"));
    setChildren(list, data.length ? data.map((allowed) => line(allowed.network,
      texts.since(formatDateTime(allowed.createdAt)),
      confirmButton(text.access.revoke, allowed.network, () => revoke(allowed))))
      : element("li", {}, texts.none));
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
