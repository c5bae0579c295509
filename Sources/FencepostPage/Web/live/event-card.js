import { all, get, part } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { ago, span, wholeMoment } from "../core/time.js";
import { meters, sentence } from "../core/words.js";
import { whyFigure } from "../drawing/why.js";
import { decisionLine } from "../apps/decision.js";
import { deliveryLine } from "../webhooks/delivery.js";
import { mark } from "./marks.js";

/** The chosen event: what, when and why, what the apps would have got, and what became of its webhooks. */
export function eventCard(app) {
  const element = h("article.card", { hidden: true, "aria-label": "Chosen event" });
  let shown = null;
  const show = async ({ event: id }) => {
    if (id === shown) return;
    shown = id;
    element.hidden = id === null;
    if (id === null) return;
    try {
      const event = app.log.get(id) ?? await get(`/v1/events/${part(id)}`, { explain: true });
      if (shown !== id) return;
      draw(app, element, event);
      element.scrollIntoView({ block: "nearest" });
    } catch (problem) {
      if (shown !== id) return;
      fill(element, h("p", {}, `This event cannot be shown: ${problem.message}`));
    }
  };
  app.selection.watch(show);
  return element;
}

function draw(app, element, event) {
  const deliveries = h("div.lines", {}, h("p.hint", {}, "Reading deliveries …"));
  fill(element,
    h("header.card-head", {}, mark(event.type), h("h2", {}, sentence(event, app.book.nameOf)),
      h("button.quiet.icon-only", {
        type: "button", "aria-label": "Close", onClick: () => app.select({ event: null }),
      }, "×")),
    h("dl.facts", {},
      fact("Happened", wholeMoment(event.timestamp), ago(event.timestamp)),
      event.detectedAt && event.detectedAt !== event.timestamp && fact("Settled", wholeMoment(event.detectedAt),
        `${span((Date.parse(event.detectedAt) - Date.parse(event.timestamp)) / 1000)} later`),
      event.confidence !== undefined && fact("Sure", `${Math.floor(event.confidence * 100)} %`),
      event.dwell !== undefined && fact("Inside for", span(event.dwell)),
      event.reason && fact("Because", event.reason),
      event.location?.horizontalAccuracy !== undefined
        && fact("Position", `± ${meters(event.location.horizontalAccuracy)}`)),
    event.why && h("section", {}, h("h3", {}, "Why"), whyFigure(event)),
    h("section", {}, h("h3", {}, "Apps"), event.apps?.length
      ? h("ul.lines", {}, event.apps.map((delivery) => h("li", {}, decisionLine(delivery))))
      : h("p.hint", {}, "No simulated app uses this.")),
    h("section", {}, h("h3", {}, "Webhooks"), deliveries));
  readDeliveries(app, event, deliveries);
}

/** Deliveries come a moment after their event: the card looks a few times. */
async function readDeliveries(app, event, element, tries = 4) {
  try {
    const found = await all("/v1/deliveries", { eventId: event.id }, { limit: 20 });
    if (!element.isConnected) return;
    fill(element, found.length
      ? h("ul.lines", {}, found.map((delivery) => h("li", {}, deliveryLine(app, delivery))))
      : h("p.hint", {}, "No endpoint asks for this event."));
    const isOpen = found.some((delivery) => delivery.status === "pending");
    if ((isOpen || !found.length) && tries > 0) setTimeout(() => readDeliveries(app, event, element, tries - 1), 1500);
  } catch (problem) {
    fill(element, h("p.hint", {}, problem.message));
  }
}

const fact = (name, value, note) => h("div", {}, h("dt", {}, name), h("dd", {}, value, note && h("small", {}, note)));
