import { getLast } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { deliveryLine } from "./delivery.js";
import { endpointName } from "./endpoint-names.js";

const texts = text.webhooks.deliveries;

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
  const status = element("select", { "aria-label": texts.filterByStatus, onChange: () => read() },
    Object.entries(texts.statuses).map(([value, label]) => element("option", { value }, label)));
  const endpoint = element("select", { "aria-label": texts.filterByEndpoint, onChange: () => read() },
    element("option", { value: "" }, texts.allEndpoints));
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
    isTruncated && element("p.hint", {}, texts.truncated),
    deliveries.length
      ? element("ul.lines", {}, deliveries.slice(0, shown).map((delivery) =>
        element("li", {}, deliveryLine(app, delivery))))
      : element("p.hint", {}, status.value || endpoint.value ? texts.noMatch : texts.none),
    deliveries.length > shown && element("button.quiet", { type: "button", onClick: () => {
      shown += 40;
      draw();
    } }, texts.showMore));

  return {
    element: element("section.block", { "aria-labelledby": "deliveries-title" },
      element("div.head-row", {}, element("h2#deliveries-title", {}, texts.title),
        element("button.quiet", { type: "button", onClick: () => read() }, texts.refresh)),
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
      setChildren(endpoint, element("option", { value: "" }, texts.allEndpoints),
        ids.map((id) => element("option", { value: id }, endpointName(id))));
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
