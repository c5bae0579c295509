import { get, pathSegment, request } from "../core/api.js";
import { announce, element, setChildren, uniqueID } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { formatAge, formatDuration } from "../core/time.js";
import { isForPeople, kinds } from "./endpoint-kinds.js";
import { secretBox } from "./secret.js";

/** Seconds. */
const replayPeriods = {
  3600: "the last hour", 86400: "the last day", 604800: "the last week", 2592000: "the last 30 days",
};

/** The card of an endpoint: its filter, its health, and the actions on it. */
export function endpointCard(app, endpoint, { changed, showDeliveries }) {
  const path = `/v1/endpoints/${pathSegment(endpoint.id)}`;
  const isActive = endpoint.state === "active";
  const health = element("p.hint", {}, "Loading its health …");
  const result = element("div.endpoint-result", { role: "status" });
  const problem = element("p.field-problem", { role: "alert" });
  const action = (work) => async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    problem.textContent = "";
    try {
      await work();
    } catch (error) {
      problem.textContent = error.status === 403 ? "This token lacks the scope “write”." : error.message;
    } finally {
      button.disabled = false;
    }
  };
  const test = action(async () => {
    setChildren(result, element("p.hint", {}, "Sending a test message …"));
    const { data } = await request("POST", `${path}/test`);
    const isDelivered = !data.failure;
    const answer = data.status ? `answered ${data.status}` : `did not answer (${data.failure})`;
    setChildren(result, element(`p.outcome-line.${isDelivered ? "good" : "bad"}`, {}, isDelivered ? "✓ " : "✕ ",
      `The endpoint ${answer} after ${Math.round(data.duration * 1000)} ms.`),
    data.excerpt && element("p", {}, element("code.excerpt", {}, data.excerpt)));
  });
  const pause = action(async () => {
    await request("PATCH", path, { json: { state: isActive ? "disabled" : "active" } });
    announce(`${endpoint.id} is ${isActive ? "paused" : "active again"}`);
    changed();
  });
  const rotate = action(async () => {
    const { data } = await request("POST", `${path}/rotate-secret`, { json: {} });
    setChildren(result,
      secretBox(data.secret, "New signing secret. For 24 hours, messages are signed with the old secret too."));
  });
  const since = element("select", { id: uniqueID("since"), "aria-label": `Period to replay to ${endpoint.id}` },
    Object.entries(replayPeriods).map(([seconds, text]) => element("option", { value: seconds }, text)));
  const replay = action(async () => {
    const time = new Date(Date.now() - Number(since.value) * 1000).toISOString();
    const { data } = await request("POST", `${path}/recover`, { json: { since: time } });
    setChildren(result, element("p.outcome-line", {}, `${formatCount(data.queued, "message")} queued, `
      + `${formatCount(data.retried, "exhausted message")} queued again.`));
    showDeliveries(endpoint.id);
  });
  const remove = action(async () => {
    await request("DELETE", path);
    app.toast(`The endpoint ${endpoint.id} was removed.`);
    changed();
  });
  readHealth(path, health);
  return element("article.card.endpoint-card", { "aria-label": `Endpoint ${endpoint.id}` },
    element("header.card-head", {}, element("h3.card-title", {}, titleOf(endpoint)),
      element(`span.chip.${isActive ? "active" : "disabled"}`, {}, isActive ? "✓ active" : "❙❙ paused")),
    element("p.endpoint-url", {}, endpoint.url),
    endpoint.to && element("p.endpoint-url", {}, `to ${endpoint.to.join(", ")}`),
    element("p.hint", {}, filterText(endpoint)),
    !isActive && endpoint.reason && element("p.hint", {}, endpoint.reason), health,
    element("div.row", {},
      element("button.primary", { type: "button", data: { needs: "write" }, onClick: test }, "Send test"),
      element("button", { type: "button", data: { needs: "write" }, onClick: pause }, isActive ? "Pause" : "Resume"),
      element("button", { type: "button", onClick: () => showDeliveries(endpoint.id) }, "Messages")),
    result, problem,
    element("details.rules", { data: { needs: "write" } }, element("summary", {}, "Replay, secret, removal"),
      element("div.row", {}, element("span.hint", {}, "Replay undelivered events of"), since,
        element("button", { type: "button", onClick: replay, disabled: !isActive }, "Replay")),
      element("div.row", {},
        !isForPeople(endpoint.kind) && element("button", { type: "button", onClick: rotate }, "Rotate the secret"),
        confirmButton(remove))));
}

/** The description, or else the kind and the server, since an id is not for people. */
function titleOf({ description, kind, url }) {
  if (description) return description;
  const host = url.replace(/^[a-z]+:\/\//, "").split(/[/?]/)[0];
  return `${kinds[kind]?.title ?? kind} ${host}`;
}

/** A button for an action that cannot be undone; it needs a second press. */
function confirmButton(work) {
  const button = element("button.danger", { type: "button", onClick: (event) => {
    if (button.dataset.armed) work(event);
    else {
      button.dataset.armed = "yes";
      button.textContent = "Press again to remove";
    }
  }, onBlur: () => {
    delete button.dataset.armed;
    button.textContent = "Remove";
  } }, "Remove");
  return button;
}

/** The filter and options of an endpoint in a sentence. */
function filterText(endpoint) {
  const { events = [], devices = [], regions = [], apps = [], when = [], ordered, includeLocation, format } = endpoint;
  const parts = [events.length ? events.join(", ") : "all events"];
  if (devices.length) parts.push(`of ${devices.join(", ")}`);
  if (regions.length) parts.push(`in ${regions.join(", ")}`);
  if (apps.length) parts.push(`for the apps ${apps.join(", ")}`);
  if (when.length) parts.push(`when ${when.join(" or ")}`);
  const more = [ordered && "in order", includeLocation === false && "without positions",
    format && format !== "standard" && `as CloudEvents (${format})`,
    endpoint.quietHours && `quiet ${endpoint.quietHours.weekly.join(", ")}`,
    endpoint.cooldown && `at most every ${formatDuration(endpoint.cooldown)} for a device and region`,
    endpoint.group && `collected for ${formatDuration(endpoint.group)}`].filter(Boolean);
  return `Receives ${parts.join(" ")}${more.length ? `; ${more.join(", ")}` : ""}.`;
}

async function readHealth(path, container) {
  try {
    const health = await get(`${path}/health`);
    const failed = health.consecutiveFailures;
    container.classList.toggle("warning", failed > 0);
    if (failed > 0) {
      const seconds = health.firstFailure && (Date.now() - Date.parse(health.firstFailure)) / 1000;
      const since = health.firstFailure && `for ${formatDuration(seconds)}`;
      container.textContent = [`✕ ${formatCount(failed, "failure")} in a row`, since,
        health.lastSuccess ? `last success ${formatAge(health.lastSuccess)}` : "no success yet"]
        .filter(Boolean).join(", ");
    } else {
      container.textContent = health.lastSuccess ? `✓ last success ${formatAge(health.lastSuccess)}`
        : "No message was sent yet.";
    }
  } catch (problem) {
    container.textContent = problem.message;
  }
}
