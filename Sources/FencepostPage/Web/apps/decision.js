import { element } from "../core/dom.js";
import { outcomeIcon } from "../drawing/outcome-icon.js";
import { text } from "../text/text.js";
import { ruleList } from "./rules.js";

const { decision: texts, outcomes, services } = text.apps;

/**
 * The result of the rule evaluation of an event for one app: the outcome, the reason, and the rules with their sources.
 * @param {object} delivery a decision of the API.
 * @param {boolean} [isNamed] whether the line names the app; `false` on the card of a single app.
 */
export function decisionLine(delivery, isNamed = true) {
  const { delivery: outcome, decidingRule, rules = [], warnings = [], settled } = delivery;
  const others = rules.filter((id) => id !== decidingRule);
  return element("div.decision", {},
    element("p.decision-head", {}, outcomeIcon(outcome), isNamed && element("strong", {}, delivery.app ?? texts.app),
      element(isNamed ? "span" : "strong", {}, outcomes[outcome] ?? outcome), wakes(delivery),
      settled && element("span.hint", {}, texts.later(outcomes[settled.outcome ?? settled.delivery] ?? texts.settled))),
    element("p.hint", {}, texts.because(services[delivery.service] ?? delivery.service, delivery.because)),
    delivery.certainty?.words && element("p.hint", {}, texts.howSure(delivery.certainty.words)),
    warnings.length > 0
      && element("p.hint.warning", {}, texts.uncertain(warnings.map((one) => one.text ?? one).join(" "))),
    ruleList(element("span", {}, texts.decidedBy(element("code", {}, decidingRule), others.length)),
      [decidingRule, ...others]));
}

function wakes({ relaunch, appWoken, launchedInto }) {
  if (relaunch) return element("span.chip.launch", {}, launchedInto === "foreground" ? texts.startsInForeground
    : texts.startsInBackground);
  return appWoken ? element("span.chip.launch", {}, texts.wakes) : null;
}
