import { all, get, part } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { trouble } from "../shell/toasts.js";
import { decisionLine } from "./decision.js";

/** Simulated apps, and what each would have got. */
export const appsPanel = {
  id: "apps",
  title: "Apps",
  mount(app, element) {
    const place = h("div");
    element.append(h("h2", {}, "Simulated apps"), place);
    const read = async () => {
      try {
        const apps = await all("/v1/apps", {}, { limit: 100 });
        const decisions = await Promise.all(apps.map((one) => get(`/v1/apps/${part(one.id)}/decisions`, { limit: 5 })));
        fill(place, apps.length
          ? apps.map((one, index) => h("article.card", {}, h("h3", {}, one.name ?? one.id),
            h("p.hint", {}, `${one.given?.grant ?? ""}, ${one.given?.lifecycle ?? ""}`),
            h("ul.lines", {}, decisions[index].data.map((decision) => h("li", {},
              decisionLine(decision.delivery ?? decision))))))
          : h("div.empty", {}, h("p.empty-title", {}, "No app is simulated"),
            h("p", {}, "An app tells whether iOS would have started it for an event, and by which rule.")));
      } catch (problem) {
        trouble(place, problem, read);
      }
    };
    return { show: read };
  },
};
