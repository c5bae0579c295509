import { h } from "../core/dom.js";
import { outcomeMark } from "../drawing/outcome.js";
import { ruleList } from "./rules.js";
import { outcomes, services } from "./words.js";

/**
 * What became of an event for one app, why, and the rules that said so.
 * @param {boolean} [isNamed] whether the app is named: not where everything is about one app.
 */
export function decisionLine(delivery, isNamed = true) {
  const { delivery: outcome, decidingRule, rules = [], warnings = [], settled } = delivery;
  const others = rules.filter((id) => id !== decidingRule);
  return h("div.decision", {},
    h("p.decision-head", {}, outcomeMark(outcome), isNamed && h("strong", {}, delivery.app ?? "app"),
      h(isNamed ? "span" : "strong", {}, outcomes[outcome] ?? outcome), wakes(delivery),
      settled && h("span.hint", {}, `later ${outcomes[settled.outcome ?? settled.delivery] ?? "settled"}`)),
    h("p.hint", {}, `${services[delivery.service] ?? delivery.service}: `, delivery.because),
    warnings.length > 0 && h("p.hint.doubt", {}, `Not sure: ${warnings.map((one) => one.text ?? one).join(" ")}`),
    ruleList(h("span", {}, "Decided by ", h("code", {}, decidingRule),
      others.length ? ` and ${others.length} more` : ""), [decidingRule, ...others]));
}

function wakes({ relaunch, appWoken, launchedInto }) {
  if (relaunch) return h("span.chip.launch", {}, launchedInto === "foreground" ? "starts the app"
    : "starts the app in the background");
  return appWoken ? h("span.chip.launch", {}, "wakes the app") : null;
}
