import { h } from "../core/dom.js";

const outcomes = {
  delivered: "delivered", queued: "queued", held: "held", dropped: "dropped", notMonitored: "not monitored",
  lost: "lost",
};

/** What became of an event for one app, and the rule that said so. */
export function decisionLine(delivery) {
  return h("div.decision", {},
    h("p", {}, h("strong", {}, delivery.app ?? "app"), " ",
      h(`span.chip.${delivery.delivery}`, {}, outcomes[delivery.delivery] ?? delivery.delivery), " ",
      delivery.relaunch ? h("span.chip.launch", {}, "starts the app") : null),
    h("p.hint", {}, delivery.because, " ", h("code", {}, delivery.decidingRule)));
}
