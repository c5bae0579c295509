import { get, part, post } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { link } from "../core/hash.js";
import { ago, moment, span, wholeMoment } from "../core/time.js";
import { count, verb } from "../core/words.js";

const words = { pending: "to be sent", delivered: "delivered", exhausted: "given up", cancelled: "cancelled" };
const signs = { pending: "◷", delivered: "✓", exhausted: "✕", cancelled: "–" };

/** What went wrong, by the name of the failure. */
const failures = {
  dns: "the name has no address", connect: "no connection", tls: "no secure connection", timeout: "no answer in time",
  reset: "the connection broke", blocked: "the address is not allowed", status: "an answer other than 2xx",
};

/** What became of one message to one endpoint, its attempts, and a button that sends it again. */
export function deliveryLine(app, delivery) {
  const element = h("div.delivery");
  draw(app, element, delivery);
  return element;
}

function draw(app, element, delivery) {
  const { attempts = [], status } = delivery;
  const last = attempts.at(-1);
  const state = h(`span.chip.${status === "pending" && attempts.length ? "waiting" : status}`, {},
    `${signs[status] ?? ""} ${status === "pending" && attempts.length ? "tried again" : words[status] ?? status}`);
  const problem = h("p.field-problem", { role: "alert" });
  const retry = status !== "cancelled" && h("button.small", { type: "button", onClick: async () => {
    retry.disabled = true;
    try {
      draw(app, element, await post(`/v1/deliveries/${part(delivery.id)}/retry`));
      follow(app, element, delivery.id);
    } catch (error) {
      retry.disabled = false;
      problem.textContent = error.message;
    }
  } }, status === "delivered" ? "Send again" : "Retry now");
  fill(element,
    h("p.delivery-head", {}, h("strong", {}, delivery.endpointId), state,
      h("time.hint", { datetime: delivery.createdAt, title: wholeMoment(delivery.createdAt) },
        ago(delivery.createdAt))),
    h("p.hint", {}, h("a", { href: link({ tab: "live", event: delivery.eventId, device: delivery.deviceId ?? null }) },
      [delivery.deviceId, verb(delivery.eventType)].filter(Boolean).join(" ")),
    last && `: ${answerOf(last)}`, status === "pending" && delivery.nextAttempt && attempts.length > 0
      && `; ${nextTry(delivery.nextAttempt)}`),
    h("div.delivery-foot", {},
      attempts.length > 0 && h("details.rules", {}, h("summary", {}, count(attempts.length, "attempt")),
        h("ol.attempts", {}, attempts.map(attemptLine))),
      retry),
    problem);
}

/** What is due may still wait for its turn at an endpoint that is slowed down. */
const nextTry = (time) => (Date.parse(time) > Date.now() ? `next try ${ago(time)}` : "due, waits for its turn");

function answerOf({ status, failure }) {
  if (status) return `answered ${status}`;
  return failures[failure] ?? failure ?? "no answer";
}

const attemptLine = (attempt) => h("li", {},
  h("p", {}, h("strong", {}, answerOf(attempt)), ` after ${milliseconds(attempt.duration)}, `,
    h("time", { datetime: attempt.startedAt, title: wholeMoment(attempt.startedAt) }, moment(attempt.startedAt)),
    attempt.nextAttempt && `, again ${later(attempt)} later`),
  attempt.excerpt && h("p", {}, h("code.excerpt", {}, attempt.excerpt)));

const later = ({ startedAt, nextAttempt }) => span((Date.parse(nextAttempt) - Date.parse(startedAt)) / 1000);

const milliseconds = (seconds) => (seconds < 1 ? `${Math.round(seconds * 1000)} ms` : span(seconds));

/** Looks a few times what came of an attempt that was just asked for. */
function follow(app, element, id, tries = 4) {
  if (!tries || !element.isConnected) return;
  setTimeout(async () => {
    const delivery = await get(`/v1/deliveries/${part(id)}`).catch(() => null);
    if (!delivery || !element.isConnected) return;
    draw(app, element, delivery);
    if (delivery.status === "pending") follow(app, element, id, tries - 1);
  }, 1200);
}
