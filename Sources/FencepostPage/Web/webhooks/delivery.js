import { h } from "../core/dom.js";
import { ago } from "../core/time.js";

/** What became of one message to one endpoint. */
export function deliveryLine(app, delivery) {
  const last = delivery.attempts?.at?.(-1);
  const answer = last?.responseStatus ?? last?.status ?? last?.error;
  return h("div.delivery", {},
    h("p", {}, h("strong", {}, delivery.endpointId), " ", h(`span.chip.${delivery.status}`, {}, delivery.status)),
    h("p.hint", {}, delivery.eventType ?? "", " ", answer ? `answered ${answer}, ` : "",
      last?.at ?? last?.startedAt ? ago(last.at ?? last.startedAt) : ""));
}
