import { getAll } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { outcomeIcon } from "../drawing/outcome-icon.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { appCard } from "./app-card.js";
import { appForm } from "./app-form.js";
import { outcomeMeanings, outcomes } from "./labels.js";

/** The Apps tab: simulated apps with their states, actions, and the decision of Core Location's rules on each event. */
export const appsPanel = {
  id: "apps",
  title: "Apps",
  needs: "all",
  mount(app, container) {
    const list = element("div");
    const read = async () => {
      if (!list.children.length) {
        setChildren(list, element("div.empty.loading", { role: "status" }, element("p", {}, "Loading apps …")));
      }
      try {
        const apps = await getAll("/v1/apps", {}, { limit: 100 });
        setChildren(list, apps.length
          ? apps.map((simulatedApp) => appCard(app, simulatedApp, { changed: read })) : emptyState());
      } catch (problem) {
        showError(list, problem, read);
      }
    };
    container.append(element("h2", {}, "Simulated apps"),
      element("p.hint.panel-intro", {}, "Simulates iOS for an app on these devices: whether the app would receive ",
        "each event, whether iOS would relaunch it if it is terminated, and which rule decides."),
      element("div", { data: { needs: "write" } }, appForm({ added: read })), list, legend());
    return sessionPanel({ load: read, clear: () => setChildren(list) });
  },
};

const emptyState = () => element("div.empty", {}, element("p.empty-title", {}, "No simulated apps"),
  element("p", {}, "Add an app that the system has terminated, then walk a device into a region. The card shows ",
    "whether iOS would relaunch the app."));

const legend = () => element("details.rules.block", {}, element("summary", {}, "Outcomes"),
  element("ul.lines.legend", {}, Object.entries(outcomeMeanings).map(([outcome, text]) => element("li", {},
    outcomeIcon(outcome), element("strong", {}, outcomes[outcome]), element("span", {}, text)))));
