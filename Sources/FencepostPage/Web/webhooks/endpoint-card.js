import { get, part, request } from "../core/api.js";
import { announce, fill, freshID, h } from "../core/dom.js";
import { ago, span } from "../core/time.js";
import { count } from "../core/words.js";
import { secretBox } from "./secret.js";

const sinces = { 3600: "the last hour", 86400: "the last day", 604800: "the last week", 2592000: "the last 30 days" };

/** One endpoint: what it asks for, how it does, and what can be done with it. */
export function endpointCard(app, one, { changed, showDeliveries }) {
  const path = `/v1/endpoints/${part(one.id)}`;
  const isActive = one.state === "active";
  const health = h("p.hint", {}, "Reading how it does …");
  const result = h("div.endpoint-result", { role: "status" });
  const problem = h("p.field-problem", { role: "alert" });
  const attempt = (work) => async (event) => {
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
  const test = attempt(async () => {
    fill(result, h("p.hint", {}, "Sending a test …"));
    const { data } = await request("POST", `${path}/test`);
    const isGood = !data.failure;
    const words = data.status ? `answered ${data.status}` : `did not answer (${data.failure})`;
    fill(result, h(`p.outcome-line.${isGood ? "good" : "bad"}`, {}, isGood ? "✓ " : "✕ ",
      `The test was sent, and the endpoint ${words} after ${Math.round(data.duration * 1000)} ms.`),
    data.excerpt && h("p", {}, h("code.excerpt", {}, data.excerpt)));
  });
  const pause = attempt(async () => {
    await request("PATCH", path, { json: { state: isActive ? "disabled" : "active" } });
    announce(`${one.id} is ${isActive ? "paused" : "active again"}`);
    changed();
  });
  const rotate = attempt(async () => {
    const { data } = await request("POST", `${path}/rotate-secret`, { json: {} });
    fill(result, secretBox(data.secret, "The new secret. The old one signs beside it for 24 hours."));
  });
  const since = h("select", { id: freshID("since"), "aria-label": `Send again to ${one.id} what happened in` },
    Object.entries(sinces).map(([seconds, text]) => h("option", { value: seconds }, text)));
  const replay = attempt(async () => {
    const time = new Date(Date.now() - Number(since.value) * 1000).toISOString();
    const { data } = await request("POST", `${path}/recover`, { json: { since: time } });
    fill(result, h("p.outcome-line", {}, `${count(data.queued, "message")} added, `
      + `${count(data.retried, "message")} that had been given up ${data.retried === 1 ? "is" : "are"} tried again.`));
    showDeliveries(one.id, "");
  });
  const remove = attempt(async () => {
    await request("DELETE", path);
    app.toast(`The endpoint ${one.id} was removed.`);
    changed();
  });
  readHealth(path, health);
  return h("article.card.endpoint-card", { "aria-label": `Endpoint ${one.id}` },
    h("header.card-head", {}, h("h3.card-title", {}, one.description ?? one.id),
      h(`span.chip.${isActive ? "active" : "disabled"}`, {}, isActive ? "✓ active" : "❙❙ paused")),
    h("p.url", {}, one.url),
    h("p.hint", {}, wants(one)), !isActive && one.reason && h("p.hint", {}, one.reason), health,
    h("div.row", {},
      h("button.primary", { type: "button", onClick: test }, "Send a test"),
      h("button", { type: "button", onClick: pause }, isActive ? "Pause" : "Resume"),
      h("button", { type: "button", onClick: () => showDeliveries(one.id, "") }, "Messages")),
    result, problem,
    h("details.rules", {}, h("summary", {}, "Replay, secret, removal"),
      h("div.row", {}, h("span.hint", {}, "Send again what it missed in"), since,
        h("button", { type: "button", onClick: replay, disabled: !isActive }, "Replay")),
      h("div.row", {}, h("button", { type: "button", onClick: rotate }, "Make a new secret"), confirmed(remove))));
}

/** A button that asks once more before it does what cannot be undone. */
function confirmed(work) {
  const button = h("button.danger", { type: "button", onClick: (event) => {
    if (button.dataset.armed) work(event);
    else {
      button.dataset.armed = "yes";
      button.textContent = "Really remove? Press again";
    }
  }, onBlur: () => {
    delete button.dataset.armed;
    button.textContent = "Remove";
  } }, "Remove");
  return button;
}

/** What it asks for, in a sentence. */
function wants({ events = [], devices = [], regions = [], apps = [], when = [], ordered, includeLocation, format }) {
  const parts = [events.length ? events.join(", ") : "every event"];
  if (devices.length) parts.push(`of ${devices.join(", ")}`);
  if (regions.length) parts.push(`in ${regions.join(", ")}`);
  if (apps.length) parts.push(`for the apps ${apps.join(", ")}`);
  if (when.length) parts.push(`when ${when.join(" or ")}`);
  const more = [ordered && "in order", includeLocation === false && "without positions",
    format && format !== "standard" && `as CloudEvents (${format})`].filter(Boolean);
  return `Gets ${parts.join(" ")}${more.length ? `; ${more.join(", ")}` : ""}.`;
}

async function readHealth(path, place) {
  try {
    const health = await get(`${path}/health`);
    const failed = health.consecutiveFailures;
    place.classList.toggle("doubt", failed > 0);
    if (failed > 0) {
      const since = health.firstFailure && `for ${span((Date.now() - Date.parse(health.firstFailure)) / 1000)}`;
      place.textContent = [`✕ ${count(failed, "failure")} in a row`, since,
        health.lastSuccess ? `last taken ${ago(health.lastSuccess)}` : "nothing taken yet"].filter(Boolean).join(", ");
    } else {
      place.textContent = health.lastSuccess ? `✓ took the last message ${ago(health.lastSuccess)}`
        : "Nothing has been sent to it yet.";
    }
  } catch (problem) {
    place.textContent = problem.message;
  }
}
