import { getAll } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { profiles } from "../core/profiles.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { planCard } from "./plan-card.js";
import { planForm } from "./plan-form.js";
import { roundsView } from "./rounds-view.js";

const texts = text.plans;

const emptyState = () => element("div.empty", {}, element("p.empty-title", {}, texts.empty.title),
  element("p", {}, texts.empty.hint));

/** The view Plans: the rounds of a day, and the plans with a form. */
export const plansPanel = {
  id: "plans",
  title: texts.title,
  needs: "all",
  mount(app, container) {
    const names = { device: (id) => profiles.nameOf(id), region: (id) => app.regions.nameOf(id) };
    let plans = null;
    const list = element("div.block");
    const rounds = roundsView(app, names);
    const draw = () => {
      if (!plans) return;
      setChildren(list, plans.length ? plans.map((plan) => planCard(app, plan, {
        names, show: rounds.show, edit: form.edit, changed: read,
      })) : emptyState());
    };
    const read = async () => {
      if (!list.children.length) {
        setChildren(list, element("div.empty.loading", { role: "status" }, element("p", {}, texts.loading)));
      }
      try {
        plans = await getAll("/v1/plans", {}, { limit: 200 });
        draw();
        rounds.read();
      } catch (problem) {
        showError(list, problem, read);
      }
    };
    const form = planForm(app, { changed: read });
    app.regions.changes.subscribe(draw);
    profiles.changes.subscribe(draw);
    container.append(element("h2", {}, texts.heading), element("p.hint.panel-intro", {}, texts.intro),
      element("div", { data: { needs: "write" } }, form.element), rounds.element, list);
    return sessionPanel({
      load: read,
      clear() {
        plans = null;
        setChildren(list);
        rounds.clear();
        form.reset();
      },
    });
  },
};
