import { get, pathSegment, post } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { eventVerb } from "../core/event-types.js";
import { linkTo } from "../core/fragment.js";
import { profiles } from "../core/profiles.js";
import { formatAge, formatDateTime, formatDuration, formatTime } from "../core/time.js";
import { text } from "../text/text.js";
import { endpointName } from "./endpoint-names.js";

const texts = text.webhooks.delivery;
const statusSymbols = { pending: "◷", delivered: "✓", exhausted: "✕", cancelled: "–", expired: "–" };

/** One message to one endpoint: its status, its attempts, and a button that sends it again. */
export function deliveryLine(app, delivery) {
  const container = element("div.delivery");
  draw(app, container, delivery);
  return container;
}

function draw(app, container, delivery) {
  const { attempts = [], status } = delivery;
  const last = attempts.at(-1);
  const isRetrying = status === "pending" && attempts.length > 0;
  const state = element(`span.chip.${isRetrying ? "waiting" : status}`, {},
    `${statusSymbols[status] ?? ""} ${isRetrying ? texts.retrying : texts.statuses[status] ?? status}`);
  const problem = element("p.field-problem", { role: "alert" });
  const retry = status !== "cancelled" && element("button.small", { type: "button", onClick: async () => {
    retry.disabled = true;
    try {
      draw(app, container, await post(`/v1/deliveries/${pathSegment(delivery.id)}/retry`));
      pollDelivery(app, container, delivery.id);
    } catch (error) {
      retry.disabled = false;
      problem.textContent = error.message;
    }
  } }, status === "delivered" ? texts.sendAgain : texts.retryNow);
  if (retry) retry.dataset.needs = "write";
  setChildren(container,
    element("p.delivery-head", {},
      element("strong", { title: delivery.endpointId }, endpointName(delivery.endpointId)), state,
      element("time.hint", { datetime: delivery.createdAt, title: formatDateTime(delivery.createdAt) },
        formatAge(delivery.createdAt))),
    element("p.hint", {}, texts.about(
      element("a", {
        href: linkTo({ tab: "live", event: delivery.eventId, device: delivery.deviceId ?? null }),
      }, eventOf(delivery)),
      last && answerOf(last), isRetrying && delivery.nextAttempt && nextTry(delivery.nextAttempt))),
    element("div.delivery-foot", {},
      attempts.length > 0 && element("details.rules", {},
        element("summary", {}, texts.attempts(attempts.length)),
        element("ol.attempts", {}, attempts.map(attemptItem))),
      retry),
    problem);
}

function eventOf({ deviceId, eventType }) {
  const verb = eventVerb(eventType);
  return deviceId ? texts.event(profiles.nameOf(deviceId), verb) : verb;
}

/** A due attempt may wait because the rate of its endpoint is limited. */
const nextTry = (time) => (Date.parse(time) > Date.now() ? texts.nextAttempt(formatAge(time)) : texts.due);

function answerOf({ status, failure }) {
  if (status) return texts.answered(status);
  // A broker confirms a message without a status.
  return texts.failures[failure] ?? failure ?? texts.accepted;
}

const attemptItem = (attempt) => element("li", {},
  element("p", {}, texts.attempt(
    element("strong", {}, answerOf(attempt)), milliseconds(attempt.duration),
    element("time", { datetime: attempt.startedAt, title: formatDateTime(attempt.startedAt) },
      formatTime(attempt.startedAt)),
    attempt.nextAttempt && delayText(attempt))),
  attempt.excerpt && element("p", {}, element("code.excerpt", {}, attempt.excerpt)));

const delayText = ({ startedAt, nextAttempt }) =>
  formatDuration((Date.parse(nextAttempt) - Date.parse(startedAt)) / 1000);

const milliseconds = (seconds) =>
  (seconds < 1 ? text.webhooks.milliseconds(Math.round(seconds * 1000)) : formatDuration(seconds));

/** Polls a delivery up to `tries` times after a retry. */
function pollDelivery(app, container, id, tries = 4) {
  if (!tries || !container.isConnected) return;
  setTimeout(async () => {
    const delivery = await get(`/v1/deliveries/${pathSegment(id)}`).catch(() => null);
    if (!delivery || !container.isConnected) return;
    draw(app, container, delivery);
    if (delivery.status === "pending") pollDelivery(app, container, id, tries - 1);
  }, 1200);
}
