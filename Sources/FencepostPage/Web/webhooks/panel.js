import { all } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { session } from "../core/session.js";
import { trouble } from "../shell/toasts.js";
import { deliveryList } from "./deliveries.js";
import { endpointCard } from "./endpoint-card.js";
import { endpointForm } from "./endpoint-form.js";

/** Who is told of events by webhook, how each of them does, and what became of the messages. */
export const webhooksPanel = {
  id: "webhooks",
  title: "Webhooks",
  mount(app, element) {
    const place = h("div");
    const deliveries = deliveryList(app);
    const read = async () => {
      if (!place.children.length) {
        fill(place, h("div.empty.loading", { role: "status" }, h("p", {}, "Reading endpoints …")));
      }
      try {
        const endpoints = await all("/v1/endpoints", {}, { limit: 200 });
        const options = { changed: read, showDeliveries: deliveries.focus };
        fill(place, endpoints.length ? endpoints.map((one) => endpointCard(app, one, options)) : nothing());
        deliveries.offer(endpoints.map((one) => one.id));
        deliveries.element.hidden = false;
        deliveries.read();
      } catch (problem) {
        deliveries.element.hidden = true;
        trouble(place, problem, read);
      }
    };
    const tool = h("div", {}, endpointForm(app, { added: read }));
    element.append(h("h2", {}, "Endpoints"), tool, place, deliveries.element);
    let isOpen = false;
    // Nothing of it stays for whoever signs in next.
    session.token.follow((token) => {
      if (token === null) {
        fill(place);
        fill(tool);
        deliveries.clear();
      } else {
        fill(tool, endpointForm(app, { added: read }));
        if (isOpen) read();
      }
    });
    return {
      show() {
        isOpen = true;
        read();
      },
      hide() {
        isOpen = false;
      },
    };
  },
};

const nothing = () => h("div.empty", {}, h("p.empty-title", {}, "Nobody is told yet"),
  h("p", {}, "An endpoint is a URL that gets each event as a signed webhook, and gets it again until it takes it."));
