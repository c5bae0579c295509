import { getLast } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { showError } from "../shell/toasts.js";
import { deliveryLine } from "./delivery.js";

const statuses = { "": "All messages", pending: "Pending", exhausted: "Exhausted", delivered: "Delivered",
  cancelled: "Cancelled", expired: "Expired", suppressed: "Quiet" };
/** The service lists the oldest messages first: the page reads at most so many and keeps the last ones. */
const maximumRead = 5000;
const kept = 120;
const initialCount = 15;

/** The latest messages, filtered by status and endpoint. */
export function deliveryList(app) {
  let shown = initialCount;
  let deliveries = [];
  let isTruncated = false;
  const list = element("div");
  const status = element("select", { "aria-label": "Filter by status", onChange: () => read() },
    Object.entries(statuses).map(([value, text]) => element("option", { value }, text)));
  const endpoint = element("select", { "aria-label": "Filter by endpoint", onChange: () => read() },
    element("option", { value: "" }, "All endpoints"));
  let requestNumber = 0;

  const read = async () => {
    const ownNumber = (requestNumber += 1);
    try {
      const query = { status: status.value || null, endpointId: endpoint.value || null };
      const latest = await getLast("/v1/deliveries", query, { limit: maximumRead, kept });
      if (ownNumber !== requestNumber) return;
      isTruncated = latest.isTruncated;
      deliveries = latest.elements;
      draw();
    } catch (problem) {
      if (ownNumber === requestNumber) showError(list, problem, read);
    }
  };
  const draw = () => setChildren(list,
    isTruncated && element("p.hint", {}, "There are more messages than the page loads. Filter by endpoint or status."),
    deliveries.length
      ? element("ul.lines", {}, deliveries.slice(0, shown).map((delivery) =>
        element("li", {}, deliveryLine(app, delivery))))
      : element("p.hint", {}, status.value || endpoint.value ? "No message matches the filter." : "No messages yet."),
    deliveries.length > shown && element("button.quiet", { type: "button", onClick: () => {
      shown += 40;
      draw();
    } }, "Show more"));

  return {
    element: element("section.block", { "aria-labelledby": "deliveries-title" },
      element("div.head-row", {}, element("h2#deliveries-title", {}, "Messages"),
        element("button.quiet", { type: "button", onClick: () => read() }, "Refresh")),
      element("div.filters.even", {}, status, endpoint), list),
    read,
    clear() {
      requestNumber += 1;
      deliveries = [];
      setChildren(list);
    },
    /** Sets the endpoints of the filter. */
    setEndpoints(ids) {
      const { value } = endpoint;
      setChildren(endpoint, element("option", { value: "" }, "All endpoints"),
        ids.map((id) => element("option", { value: id }, id)));
      endpoint.value = ids.includes(value) ? value : "";
    },
    /** Shows the messages of an endpoint. */
    showEndpoint(id) {
      endpoint.value = id;
      status.value = "";
      shown = initialCount;
      read();
      endpoint.scrollIntoView({ block: "center" });
      endpoint.focus();
    },
  };
}
