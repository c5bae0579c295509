import { all } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { trouble } from "../shell/toasts.js";
import { deliveryLine } from "./delivery.js";

/** Who is told of events, and what became of the messages. */
export const webhooksPanel = {
  id: "webhooks",
  title: "Webhooks",
  mount(app, element) {
    const place = h("div");
    element.append(h("h2", {}, "Endpoints"), place);
    const read = async () => {
      try {
        const [endpoints, deliveries] = await Promise.all([
          all("/v1/endpoints", {}, { limit: 200 }), all("/v1/deliveries", {}, { limit: 50, pageSize: 50 })]);
        fill(place,
          endpoints.length
            ? h("ul.lines", {}, endpoints.map((endpoint) => h("li", {}, h("strong", {}, endpoint.id), " ",
              h(`span.chip.${endpoint.state}`, {}, endpoint.state), h("p.hint", {}, endpoint.url))))
            : h("div.empty", {}, h("p.empty-title", {}, "Nobody is told yet"),
              h("p", {}, "An endpoint is a URL that gets each event as a signed webhook.")),
          h("h2", {}, "Deliveries"),
          deliveries.length
            ? h("ul.lines", {}, deliveries.reverse().map((delivery) => h("li", {}, deliveryLine(app, delivery))))
            : h("p.hint", {}, "None yet."));
      } catch (problem) {
        trouble(place, problem, read);
      }
    };
    return { show: read };
  },
};
