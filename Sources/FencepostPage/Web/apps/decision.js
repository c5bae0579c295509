import { element } from "../core/dom.js";
import { outcomeIcon } from "../drawing/outcome-icon.js";
import { ruleList } from "./rules.js";
import { outcomes, services } from "./labels.js";

/**
 * The result of the rule evaluation of an event for one app: the outcome, the reason, and the rules with their sources.
 * @param {object} delivery a decision of the API.
 * @param {boolean} [isNamed] whether the line names the app; `false` on the card of a single app.
 */
export function decisionLine(delivery, isNamed = true) {
  const { delivery: outcome, decidingRule, rules = [], warnings = [], settled } = delivery;
  const others = rules.filter((id) => id !== decidingRule);
  return element("div.decision", {},
    element("p.decision-head", {}, outcomeIcon(outcome), isNamed && element("strong", {}, delivery.app ?? "app"),
      element(isNamed ? "span" : "strong", {}, outcomes[outcome] ?? outcome), wakes(delivery),
      settled && element("span.hint", {}, `later ${outcomes[settled.outcome ?? settled.delivery] ?? "settled"}`)),
    element("p.hint", {}, `${services[delivery.service] ?? delivery.service}: `, delivery.because),
    delivery.certainty?.words && element("p.hint", {}, `How sure: ${delivery.certainty.words}`),
    warnings.length > 0
      && element("p.hint.warning", {}, `Uncertain: ${warnings.map((one) => one.text ?? one).join(" ")}`),
    ruleList(element("span", {}, "Decided by ", element("code", {}, decidingRule),
      others.length ? ` and ${others.length} more` : ""), [decidingRule, ...others]));
}

function wakes({ relaunch, appWoken, launchedInto }) {
  if (relaunch) return element("span.chip.launch", {}, launchedInto === "foreground" ? "starts the app"
    : "starts the app in the background");
  return appWoken ? element("span.chip.launch", {}, "wakes the app") : null;
}
