import { all } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { outcomeMark } from "../drawing/outcome.js";
import { session } from "../core/session.js";
import { trouble } from "../shell/toasts.js";
import { appCard } from "./app-card.js";
import { appForm } from "./app-form.js";
import { meanings, outcomes } from "./words.js";

/** Simulated apps: their state, what happens to them, and what the rules of Core Location said of each event. */
export const appsPanel = {
  id: "apps",
  title: "Apps",
  mount(app, element) {
    const place = h("div");
    const read = async () => {
      if (!place.children.length) {
        fill(place, h("div.empty.loading", { role: "status" }, h("p", {}, "Reading apps …")));
      }
      try {
        const apps = await all("/v1/apps", {}, { limit: 100 });
        fill(place, apps.length ? apps.map((one) => appCard(app, one, { changed: read })) : nothing());
      } catch (problem) {
        trouble(place, problem, read);
      }
    };
    element.append(h("h2", {}, "Simulated apps"),
      h("p.hint.lead", {}, "What iOS would have done with an app on these devices: whether each event would have ",
        "reached it, whether a terminated app would have been started, and by which rule."),
      appForm({ added: read }), place, legend());
    let isOpen = false;
    // Nothing of it stays for whoever signs in next.
    session.token.follow((token) => {
      fill(place);
      if (token !== null && isOpen) read();
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

const nothing = () => h("div.empty", {}, h("p.empty-title", {}, "No app is simulated"),
  h("p", {}, "Add one, say that the system has terminated it, and walk a device into a region: its card then says ",
    "whether iOS would have started it."));

const legend = () => h("details.rules.block", {}, h("summary", {}, "What the outcomes mean"),
  h("ul.lines.legend", {}, Object.entries(meanings).map(([outcome, text]) => h("li", {}, outcomeMark(outcome),
    h("strong", {}, outcomes[outcome]), h("span", {}, text)))));
