import { decisionLine } from "../apps/decision.js";
import { usesApps } from "../apps/use.js";
import { get, getAll, pathSegment } from "../core/api.js";
import { element, fact, setChildren } from "../core/dom.js";
import { eventSentence } from "../core/event-types.js";
import { formatDistance } from "../core/format.js";
import { formatAge, formatBetween, formatDateTime, formatDuration } from "../core/time.js";
import { explanationFigure } from "../drawing/explanation.js";
import { text } from "../text/text.js";
import { deliveryLine } from "../webhooks/delivery.js";
import { readNames } from "../webhooks/endpoint-names.js";
import { eventIcon } from "./event-icon.js";

/** The card of the selected event: time, explanation, outcomes for simulated apps, and webhook deliveries. */
export function eventCard(app) {
  const card = element("article.card", { hidden: true, "aria-label": text.live.eventCard.label });
  let shown = null;
  const show = async ({ event: id }) => {
    if (id === shown) return;
    shown = id;
    card.hidden = id === null;
    if (id === null) return;
    try {
      const event = app.eventLog.get(id) ?? await get(`/v1/events/${pathSegment(id)}`, { explain: true });
      if (shown !== id) return;
      draw(app, card, event);
      card.scrollIntoView({ block: "start" });
    } catch (problem) {
      if (shown !== id) return;
      setChildren(card, element("p", {}, text.live.eventCard.failed(problem.message)));
    }
  };
  app.selection.watch(show);
  return card;
}

function draw(app, card, event) {
  const texts = text.live.eventCard;
  const deliveries = element("div.lines", {}, element("p.hint", {}, texts.loadingDeliveries));
  setChildren(card,
    element("header.card-head", {}, eventIcon(event), element("h2", {}, eventSentence(event, app.regions.nameOf)),
      element("button.quiet.icon-only", {
        type: "button", "aria-label": text.common.close, onClick: () => app.select({ event: null }),
      }, "×")),
    element("dl.facts", {},
      fact(texts.time, formatDateTime(event.timestamp), formatAge(event.timestamp)),
      event.earliest && event.latest && fact(texts.between, formatBetween(event.earliest, event.latest)),
      event.detectedAt && event.detectedAt !== event.timestamp && fact(texts.detected, formatDateTime(event.detectedAt),
        texts.later(formatDuration((Date.parse(event.detectedAt) - Date.parse(event.timestamp)) / 1000))),
      event.confidence !== undefined && fact(texts.confidence, `${Math.floor(event.confidence * 100)} %`,
        texts.confidenceNote),
      event.dwell !== undefined && fact(texts.insideFor, formatDuration(event.dwell)),
      event.reason && fact(texts.reason, event.reason),
      event.location?.horizontalAccuracy !== undefined
        && fact(texts.position, `± ${formatDistance(event.location.horizontalAccuracy)}`)),
    event.why && element("section", {}, element("h3", {}, texts.why), explanationFigure(event)),
    (usesApps.value || event.apps?.length > 0)
      && element("section", {}, element("h3", {}, texts.apps), event.apps?.length
      ? element("ul.lines", {}, event.apps.map((delivery) => element("li", {}, decisionLine(delivery))))
      : element("p.hint", {}, texts.noApp)),
    element("section", {}, element("h3", {}, texts.webhooks), deliveries));
  readDeliveries(app, event, deliveries);
}

/** Deliveries are created shortly after their event, so the card polls up to `tries` times. */
async function readDeliveries(app, event, card, tries = 4) {
  try {
    const [found] = await Promise.all([
      getAll("/v1/deliveries", { eventId: event.id }, { limit: 20 }), readNames(),
    ]);
    if (!card.isConnected) return;
    setChildren(card, found.length
      ? element("ul.lines", {}, found.map((delivery) => element("li", {}, deliveryLine(app, delivery))))
      : element("p.hint", {}, text.live.eventCard.noDelivery));
    const isOpen = found.some((delivery) => delivery.status === "pending");
    if ((isOpen || !found.length) && tries > 0) setTimeout(() => readDeliveries(app, event, card, tries - 1), 1500);
  } catch (problem) {
    setChildren(card, element("p.hint", {}, problem.message));
  }
}
