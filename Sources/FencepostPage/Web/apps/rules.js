// The Core Location rules that decide an event, with their texts and sources.

import { getAll } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";

let rules = null;

/** Reads all rules once. After a failure the next call reads again. */
async function readRules() {
  rules ??= getAll("/v1/rules").then((list) => new Map(list.map((rule) => [rule.id, rule]))).catch((problem) => {
    rules = null;
    throw problem;
  });
  return rules;
}

/**
 * A list of rules that opens on demand. The texts and sources are read when the user opens it.
 * @param {Node|string} label the text of the closed list.
 * @param {string[]} ids the rules, in the order in which they are shown.
 */
export function ruleList(label, ids) {
  const list = element("dl.rule-list");
  const details = element("details.rules", {}, element("summary", {}, label), list);
  details.addEventListener("toggle", async () => {
    if (!details.open || list.children.length) return;
    setChildren(list, element("dd.hint", {}, text.apps.decision.readingRules));
    try {
      const known = await readRules();
      setChildren(list, ids.map((id) => entry(id, known.get(id))));
    } catch (problem) {
      setChildren(list, element("dd.field-problem", {}, problem.message));
      details.open = false;
    }
  });
  return details;
}

function entry(id, rule) {
  return [
    element("dt", {}, element("code", {}, id), " ", element("span.hint", {}, rule?.confidence ?? "")),
    element("dd", {}, rule?.text ?? text.apps.decision.unknownRule, sourceList(rule?.references ?? [])),
  ];
}

/** The sources of a rule as links. The page itself loads none of them. */
export function sourceList(sources) {
  return sources.length > 0 && element("ul.rule-sources", {}, sources.map((source) => element("li", {},
    element("code", {}, source.key), " ",
    source.address
      ? element("a", { href: source.address, rel: "noreferrer noopener", target: "_blank" }, source.title)
      : source.title,
    element("span.hint", {}, ` ${[source.publisher, source.version].filter(Boolean).join(", ")}`),
    source.address && element("span.hint.address", {}, ` ${source.address}`))));
}
