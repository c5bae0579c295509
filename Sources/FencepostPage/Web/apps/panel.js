import { getAll, readAfterChanges } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { outcomeIcon } from "../drawing/outcome-icon.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { appCard } from "./app-card.js";
import { appForm } from "./app-form.js";
import { noteUseOfApps } from "./use.js";

const texts = text.apps;

/** The Apps tab: simulated apps with their states, actions, and the decision of Core Location's rules on each event. */
export const appsPanel = {
  id: "apps",
  title: texts.title,
  needs: "all",
  mount(app, container) {
    noteUseOfApps();
    const list = element("div");
    /** The cards by the ids of their apps. A card stays when the list is read again: the user may be in it. */
    let cards = new Map();
    const read = async () => {
      if (!list.children.length) {
        setChildren(list, element("div.empty.loading", { role: "status" }, element("p", {}, texts.loading)));
      }
      try {
        const apps = await readAfterChanges(() => getAll("/v1/apps", {}, { limit: 100 }));
        cards = new Map(apps.map((simulatedApp) => {
          const card = cards.get(simulatedApp.id);
          if (!card?.update(simulatedApp)) return [simulatedApp.id, appCard(app, simulatedApp, { changed: read })];
          return [simulatedApp.id, card];
        }));
        const nodes = [...cards.values()].map((card) => card.node);
        if (!nodes.length) setChildren(list, emptyState());
        else if (!isEqual(nodes, [...list.children])) setChildren(list, nodes);
      } catch (problem) {
        showError(list, problem, read);
      }
    };
    container.append(element("h2", {}, texts.heading),
      element("p.hint.panel-intro", {}, texts.intro),
      element("div", { data: { needs: "write" } }, appForm(app, { added: read })), list, legend());
    return sessionPanel({
      load: read,
      clear() {
        cards.clear();
        setChildren(list);
      },
    });
  },
};

const isEqual = (nodes, others) =>
  nodes.length === others.length && nodes.every((node, index) => node === others[index]);

const emptyState = () => element("div.empty", {}, element("p.empty-title", {}, texts.empty.title),
  element("p", {}, texts.empty.hint));

const legend = () => element("details.rules.block", {}, element("summary", {}, texts.outcomesTitle),
  element("ul.lines.legend", {}, Object.entries(texts.outcomeMeanings).map(([outcome, meaning]) => element("li", {},
    outcomeIcon(outcome), element("strong", {}, texts.outcomes[outcome]), element("span", {}, meaning)))));
