import { announce, element, fact, setChildren } from "../core/dom.js";
import { formatAge, formatDateTime } from "../core/time.js";
import { text } from "../text/text.js";
import { failureSentence } from "./broker-words.js";

const texts = text.mqtt.card;

/** What the connections do now, in place of what it said before. */
export function brokerCard() {
  const card = element("article.card", { "aria-label": texts.title, hidden: true });
  /** Whether the broker was connected when it was shown last; null before. */
  let wasConnected = null;

  /** @param {import("../../Types/api").Broker} broker */
  function show(broker) {
    card.hidden = !broker.isSet;
    if (!broker.settings) return;
    const { settings, receiving, publishing } = broker;
    const isConnected = receiving?.isConnected ?? false;
    if (wasConnected !== null && wasConnected !== isConnected) {
      announce(isConnected ? texts.connected : texts.notConnected);
    }
    wasConnected = isConnected;
    const address = ({ host, port, tls }) => `${host}:${port}${tls ? `, ${texts.tls}` : ""}`;
    setChildren(card, element("h3.card-title", {}, address(settings)),
      link(texts.receiving, receiving, (count) => texts.received(count)),
      link(settings.publishTo ? texts.publishingTo(address(settings.publishTo)) : texts.publishing, publishing,
        (count) => texts.published(count)),
      element("dl.facts", {},
        fact(texts.user, settings.username ?? texts.none),
        fact(texts.topic, element("code", {}, settings.topic)),
        fact(texts.prefix, settings.publish ? element("code", {}, `${settings.publish.prefix}/#`) : texts.nothing),
        fact(texts.homeAssistant, settings.homeAssistant ? texts.finds(settings.homeAssistant) : texts.nothing)));
  }
  return { element: card, show, clear: () => {
    wasConnected = null;
    setChildren(card);
  } };
}

/** One connection: whether it lasts and since when, its messages, and why the last one failed. */
function link(title, state, count) {
  if (!state) return null;
  const { isConnected, since, lastFailure, messages } = state;
  return element("section", { "aria-label": title },
    element("header.card-head", {}, element("strong", {}, title),
      element("span", { class: `chip ${isConnected ? "active" : "failed"}` },
        isConnected ? `✓ ${texts.connected}` : `✕ ${texts.notConnected}`)),
    element("p.hint", {}, isConnected && since ? [texts.since(formatAge(since)), " "] : null, count(messages)),
    !isConnected && element("p.field-problem", {},
      lastFailure ? failureSentence(lastFailure) : texts.connecting),
    isConnected && lastFailure && element("p.hint", { title: formatDateTime(lastFailure.at) },
      texts.earlier(formatAge(lastFailure.at), failureSentence(lastFailure))));
}
