import { pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";
import { ruleSentence } from "./rule-words.js";

const texts = text.alerts.card;

/**
 * The card of a rule: what it says, how many devices alert, and the actions on it.
 * `names`: as `ruleSentence` needs them. `count`: the number of devices that alert now.
 */
export function ruleCard(app, rule, { names, count, edit, changed }) {
  const sentence = ruleSentence(rule, names);
  const problem = element("p.field-problem", { role: "alert" });
  const isConfigured = rule.source === "configuration";
  const remove = async (event) => {
    event.currentTarget.disabled = true;
    const path = `/v1/alert-rules/${pathSegment(rule.id)}`;
    try {
      await request("DELETE", path);
      app.toast(texts.removed(sentence), { action: { label: texts.undo, run: async () => {
        await request("PUT", path, { json: rule });
        changed();
      } } });
      changed();
    } catch (error) {
      setChildren(problem, error.message);
    }
  };
  return element("article.card.alert-rule", { "aria-label": texts.label(sentence) },
    element("header.card-head", {}, element("h3.card-title", {}, sentence),
      count > 0 && element("span.chip.disabled", {}, `▲ ${texts.alerting(count)}`)),
    isConfigured ? element("p.hint", { title: texts.configuredHint }, texts.configured)
      : element("div.row", { data: { needs: "write" } },
        element("button", { type: "button", onClick: () => edit(rule, sentence) }, texts.change),
        element("button.danger", { type: "button", onClick: remove }, texts.remove)),
    problem);
}
