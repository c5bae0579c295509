import { get, pathSegment, request } from "../core/api.js";
import { announce, element, setChildren, uniqueID } from "../core/dom.js";
import { formatAge, formatDuration } from "../core/time.js";
import { text } from "../text/text.js";
import { isForPeople, isSigned } from "./endpoint-kinds.js";
import { titleOf } from "./endpoint-names.js";
import { secretBox } from "./secret.js";

const texts = text.webhooks.card;

/** The card of an endpoint: its filter, its health, and the actions on it. */
export function endpointCard(app, endpoint, { changed, showDeliveries }) {
  const path = `/v1/endpoints/${pathSegment(endpoint.id)}`;
  const isActive = endpoint.state === "active";
  const title = titleOf(endpoint);
  const health = element("p.hint", {}, texts.loadingHealth);
  const result = element("div.endpoint-result", { role: "status" });
  const problem = element("p.field-problem", { role: "alert" });
  const action = (work) => async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    problem.textContent = "";
    try {
      await work();
    } catch (error) {
      problem.textContent = error.status === 403 ? texts.noScope : error.message;
    } finally {
      button.disabled = false;
    }
  };
  const test = action(async () => {
    setChildren(result, element("p.hint", {}, texts.sendingTest));
    const { data } = await request("POST", `${path}/test`);
    const isDelivered = !data.failure;
    const duration = text.webhooks.milliseconds(Math.round(data.duration * 1000));
    setChildren(result, element(`p.outcome-line.${isDelivered ? "good" : "bad"}`, {}, isDelivered ? "✓ " : "✕ ",
      outcome(data, duration)),
    data.excerpt && element("p", {}, element("code.excerpt", {}, data.excerpt)));
    // A test is no message of an event, so the health has none of it.
    if (health.textContent === texts.noMessage) health.textContent = texts.onlyTest;
  });
  const pause = action(async () => {
    await request("PATCH", path, { json: { state: isActive ? "disabled" : "active" } });
    announce(isActive ? texts.isPaused(title) : texts.isActiveAgain(title));
    changed();
  });
  const rotate = action(async () => {
    const { data } = await request("POST", `${path}/rotate-secret`, { json: {} });
    setChildren(result, secretBox(data.secret, texts.newSecret));
  });
  const since = element("select", { id: uniqueID("since"), "aria-label": texts.replayPeriod(title) },
    Object.entries(texts.replayPeriods).map(([seconds, label]) => element("option", { value: seconds }, label)));
  const replay = action(async () => {
    const time = new Date(Date.now() - Number(since.value) * 1000).toISOString();
    const { data } = await request("POST", `${path}/recover`, { json: { since: time } });
    setChildren(result, element("p.outcome-line", {}, texts.replayed(data.queued, data.retried)));
    showDeliveries(endpoint.id);
  });
  const remove = action(async () => {
    await request("DELETE", path);
    app.toast(texts.removed(title));
    changed();
  });
  readHealth(path, health);
  return element("article.card.endpoint-card", { "aria-label": texts.label(title) },
    element("header.card-head", {}, element("h3.card-title", {}, title),
      isActive ? element("span.chip.active", {}, `✓ ${texts.active}`)
        : element("span.chip.disabled", {}, `❙❙ ${texts.paused}`)),
    element("p.endpoint-url", {}, endpoint.url),
    endpoint.to && element("p.endpoint-url", {}, texts.to(endpoint.to.join(", "))),
    element("p.hint", {}, filterText(endpoint)),
    !isActive && endpoint.reason && element("p.hint", {}, endpoint.reason), health,
    element("div.row", {},
      element("button.primary", { type: "button", data: { needs: "write" }, onClick: test }, texts.test),
      element("button", { type: "button", data: { needs: "write" }, onClick: pause },
        isActive ? texts.pause : texts.resume),
      element("button", { type: "button", onClick: () => showDeliveries(endpoint.id) }, texts.messages)),
    result, problem,
    element("details.rules", { data: { needs: "write" } }, element("summary", {}, texts.more),
      element("div.row", {}, element("span.hint", {}, texts.replayEvents), since,
        element("button", { type: "button", onClick: replay, disabled: !isActive }, texts.replay)),
      element("div.row", {},
        isSigned(endpoint.kind) && element("button", { type: "button", onClick: rotate }, texts.rotate),
        confirmButton(remove))));
}

/** The outcome of a test. A broker's answer has no status. */
function outcome({ status, failure }, duration) {
  if (status) return texts.testAnswered(status, duration);
  return failure
    ? texts.testFailed(text.webhooks.delivery.failures[failure] ?? failure, duration)
    : texts.testAccepted(duration);
}

/** A button for an action that cannot be undone; it needs a second press. */
function confirmButton(work) {
  const button = element("button.danger", { type: "button", onClick: (event) => {
    if (button.dataset.armed) work(event);
    else {
      button.dataset.armed = "yes";
      button.textContent = texts.confirmRemoval;
    }
  }, onBlur: () => {
    delete button.dataset.armed;
    button.textContent = texts.remove;
  } }, texts.remove);
  return button;
}

/** The filter and options of an endpoint in a sentence. */
function filterText(endpoint) {
  const { events = [], devices = [], regions = [], apps = [], when = [] } = endpoint;
  const { ordered, includeLocation, format, batchSize } = endpoint;
  const { receives } = texts;
  const filter = receives.filter({
    events: events.join(", ") || (isForPeople(endpoint.kind) ? receives.usual : receives.allEvents),
    devices: devices.join(", "), regions: regions.join(", "),
    apps: apps.join(", "), conditions: receives.or(when),
  });
  const options = [
    ordered && receives.inOrder, includeLocation === false && receives.withoutPositions,
    format && format !== "standard" && receives.cloudEvents(format, batchSize),
    endpoint.quietHours && receives.quiet(endpoint.quietHours.weekly.join(", ")),
    endpoint.cooldown && receives.cooldown(formatDuration(endpoint.cooldown)),
    endpoint.group && receives.group(formatDuration(endpoint.group)),
  ].filter(Boolean);
  return options.length ? receives.sentenceWithOptions(filter, options.join(", ")) : receives.sentence(filter);
}

async function readHealth(path, container) {
  try {
    const health = await get(`${path}/health`);
    const failed = health.consecutiveFailures;
    container.classList.toggle("warning", failed > 0);
    if (failed > 0) {
      const seconds = health.firstFailure && (Date.now() - Date.parse(health.firstFailure)) / 1000;
      const since = health.firstFailure && texts.failingFor(formatDuration(seconds));
      container.textContent = [`✕ ${texts.failures(failed)}`, since,
        health.lastSuccess ? texts.lastSuccess(formatAge(health.lastSuccess)) : texts.noSuccess]
        .filter(Boolean).join(", ");
    } else {
      container.textContent = health.lastSuccess ? `✓ ${texts.lastSuccess(formatAge(health.lastSuccess))}`
        : texts.noMessage;
    }
  } catch (problem) {
    container.textContent = problem.message;
  }
}
