import { getAll, readAfterChanges } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { deliveryList } from "./deliveries.js";
import { endpointCard } from "./endpoint-card.js";
import { endpointForm } from "./endpoint-form.js";
import { takeNames } from "./endpoint-names.js";
import { mqttCard } from "./mqtt-card.js";

const texts = text.webhooks;

/** The view Messages: the endpoints with their health, and the messages with their attempts. */
export const webhooksPanel = {
  id: "webhooks",
  title: texts.title,
  needs: "all",
  mount(app, container) {
    const list = element("div");
    const broker = element("div.block");
    const deliveries = deliveryList(app);
    const read = async () => {
      if (!list.children.length) {
        setChildren(list, element("div.empty.loading", { role: "status" }, element("p", {}, texts.loading)));
      }
      try {
        const endpoints = await readAfterChanges(() => getAll("/v1/endpoints", {}, { limit: 200 }));
        takeNames(endpoints);
        const options = { changed: read, showDeliveries: deliveries.showEndpoint };
        // The endpoint of the broker comes from the configuration file, not from the form.
        const others = endpoints.filter(({ kind }) => kind !== "mqtt");
        setChildren(list, others.length
          ? others.map((endpoint) => endpointCard(app, endpoint, options)) : emptyState());
        setChildren(broker, mqttCard(app, endpoints.find(({ kind }) => kind === "mqtt"), options));
        deliveries.setEndpoints(endpoints.map((endpoint) => endpoint.id));
        deliveries.element.hidden = false;
        deliveries.read();
      } catch (problem) {
        deliveries.element.hidden = true;
        showError(list, problem, read);
      }
    };
    const tool = element("div", { data: { needs: "write" } }, endpointForm(app, { added: read }));
    container.append(element("h2", {}, texts.heading), tool, list, broker, deliveries.element);
    return sessionPanel({
      load: read,
      clear() {
        setChildren(list);
        setChildren(broker);
        // A new form, because the old one may show a secret.
        setChildren(tool, endpointForm(app, { added: read }));
        deliveries.clear();
      },
    });
  },
};

const emptyState = () => element("div.empty", {}, element("p.empty-title", {}, texts.empty.title),
  element("p", {}, texts.empty.hint));
