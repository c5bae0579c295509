import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { trouble } from "../shell/toasts.js";
import { deliveryLine } from "./delivery.js";

const kinds = { "": "All messages", pending: "To be sent", exhausted: "Given up", delivered: "Delivered",
  cancelled: "Cancelled" };
/** The service lists the oldest first: the page reads on so far, and keeps the last. */
const mostRead = 5000;
const kept = 120;
const firstShown = 15;

/** The latest messages, by what became of them and by endpoint. */
export function deliveryList(app) {
  let shown = firstShown;
  let found = [];
  let isCut = false;
  const list = h("div");
  const kind = h("select", { "aria-label": "Only messages of this kind", onChange: () => read() },
    Object.entries(kinds).map(([value, text]) => h("option", { value }, text)));
  const endpoint = h("select", { "aria-label": "Only messages to this endpoint", onChange: () => read() },
    h("option", { value: "" }, "Every endpoint"));
  let turn = 0;

  const read = async () => {
    const mine = (turn += 1);
    try {
      let cursor = null;
      let latest = [];
      for (let count = 0; count < mostRead; count += 500) {
        const page = await get("/v1/deliveries", {
          limit: 500, cursor, status: kind.value || null, endpointId: endpoint.value || null,
        });
        latest = latest.concat(page.data).slice(-kept);
        cursor = page.nextCursor;
        if (!cursor) break;
      }
      if (mine !== turn) return;
      isCut = cursor !== null;
      found = latest.reverse();
      draw();
    } catch (problem) {
      if (mine === turn) trouble(list, problem, read);
    }
  };
  const draw = () => fill(list,
    isCut && h("p.hint", {}, "There are more messages than the page reads; choose an endpoint or a kind."),
    found.length
      ? h("ul.lines", {}, found.slice(0, shown).map((delivery) => h("li", {}, deliveryLine(app, delivery))))
      : h("p.hint", {}, kind.value || endpoint.value ? "No message is like that." : "No message yet."),
    found.length > shown && h("button.quiet", { type: "button", onClick: () => {
      shown += 40;
      draw();
    } }, "Show more"));

  return {
    element: h("section.block", { "aria-labelledby": "deliveries-title" },
      h("div.head-row", {}, h("h2#deliveries-title", {}, "Messages"),
        h("button.quiet", { type: "button", onClick: () => read() }, "Read again")),
      h("div.filters.even", {}, kind, endpoint), list),
    read,
    clear() {
      turn += 1;
      found = [];
      fill(list);
    },
    /** Takes the endpoints to choose from. */
    offer(ids) {
      const { value } = endpoint;
      fill(endpoint, h("option", { value: "" }, "Every endpoint"), ids.map((id) => h("option", { value: id }, id)));
      endpoint.value = ids.includes(value) ? value : "";
    },
    /** Shows what is still owed to an endpoint, or was given up. */
    focus(id, status) {
      endpoint.value = id;
      kind.value = status;
      shown = firstShown;
      read();
      endpoint.scrollIntoView({ block: "center" });
      endpoint.focus();
    },
  };
}
