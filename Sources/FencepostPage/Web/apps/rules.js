// The rules of Core Location that the service decides by, with their texts.

import { all } from "../core/api.js";
import { fill, h } from "../core/dom.js";

let rules = null;

/** Reads all rules once; a failure is forgotten, so that the next one to ask tries again. */
async function readRules() {
  rules ??= all("/v1/rules").then((list) => new Map(list.map((rule) => [rule.id, rule]))).catch((problem) => {
    rules = null;
    throw problem;
  });
  return rules;
}

/** Rules with their texts, read when somebody opens them. */
export function ruleList(label, ids) {
  const list = h("dl.rule-list");
  const element = h("details.rules", {}, h("summary", {}, label), list);
  element.addEventListener("toggle", async () => {
    if (!element.open || list.children.length) return;
    fill(list, h("dd.hint", {}, "Reading the rules …"));
    try {
      const texts = await readRules();
      fill(list, ids.map((id) => [
        h("dt", {}, h("code", {}, id), " ", h("span.hint", {}, texts.get(id)?.confidence ?? "")),
        h("dd", {}, texts.get(id)?.text ?? "This rule is not known."),
      ]));
    } catch (problem) {
      fill(list, h("dd.field-problem", {}, problem.message));
      element.open = false;
    }
  });
  return element;
}
