import { pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";
import { datesWords, walkersWords, windowWords } from "./plan-words.js";

const texts = text.plans.card;

/**
 * The card of a plan: its dates, its places, and the actions on it.
 * `names`: of devices and regions. `show` shows its rounds, `edit` fills the form, `changed` is called after a change.
 */
export function planCard(app, plan, { names, show, edit, changed }) {
  const title = plan.name ?? plan.id;
  const problem = element("p.field-problem", { role: "alert" });
  const remove = async (event) => {
    event.currentTarget.disabled = true;
    const path = `/v1/plans/${pathSegment(plan.id)}`;
    try {
      await request("DELETE", path);
      app.toast(texts.removed(title), { action: { label: texts.undo, run: async () => {
        await request("PUT", path, { json: plan });
        changed();
      } } });
      changed();
    } catch (error) {
      setChildren(problem, error.message);
    }
  };
  return element("article.card", { "aria-label": texts.label(title) },
    element("header.card-head", {}, element("h3.card-title", {}, title)),
    element("p.hint", {}, texts.summary({
      dates: datesWords(plan), who: walkersWords(plan, names.device), zone: plan.timeZone,
      isOrdered: plan.ordered,
    })),
    element("ol.hint", {}, plan.places.map((place) => element("li", {},
      texts.place(names.region(place.region), windowWords(place), place.stay ? Math.round(place.stay / 60) : 0)))),
    element("div.row", {},
      element("button", { type: "button", onClick: () => show(plan) }, texts.rounds),
      element("span.row", { data: { needs: "write" } },
        element("button", { type: "button", onClick: () => edit(plan) }, texts.change),
        element("button.danger", { type: "button", onClick: remove }, texts.remove))),
    problem);
}
