import { get, part, request } from "../core/api.js";
import { announce, fill, h } from "../core/dom.js";
import { link } from "../core/hash.js";
import { moment, wholeMoment } from "../core/time.js";
import { count } from "../core/words.js";
import { decisionLine } from "./decision.js";
import { ruleList } from "./rules.js";
import { accuracies, deeds, grants, kinds, lifecycle, reported, services, settings } from "./words.js";

const mostDecisions = 2000;
const firstShown = 5;

/** One simulated app: its state, what can be done with it, and what the rules said of the latest events. */
export function appCard(app, one, { changed }) {
  const state = h("dl.facts");
  const story = h("div.step-story", { role: "status" });
  const decisions = h("div.decisions", {}, h("p.hint", {}, "Reading decisions …"));
  const problem = h("p.field-problem", { role: "alert" });
  const buttons = [];
  const isKnown = { current: one };

  const take = async (steps, words) => {
    problem.textContent = "";
    for (const button of buttons) button.disabled = true;
    try {
      const { data } = await request("POST", `/v1/apps/${part(one.id)}/steps`, { json: { steps } });
      fill(story, data.steps.map((report) => account(report, words)));
      announce(`${words}: ${data.steps.map((report) => report.effect).join(", ")}`);
      isKnown.current = await get(`/v1/apps/${part(one.id)}`);
      drawState();
    } catch (error) {
      problem.textContent = error.message;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };
  const drawState = () => fill(state, stateFacts(isKnown.current));
  const grant = h("select", { "aria-label": `Change in Settings for ${one.name ?? one.id}` },
    Object.entries(settings).map(([value, text]) => h("option", { value }, text)));
  grant.value = "always";
  for (const [label, steps, title] of deeds) {
    buttons.push(h("button", { type: "button", title, onClick: () => take(steps, label) }, label));
  }
  const change = h("button", { type: "button", onClick: () =>
    take([{ do: "settings", set: grant.value }], `Settings: ${settings[grant.value]}`) }, "Set");
  buttons.push(change);
  drawState();
  readDecisions(app, one, decisions);
  return h("article.card.app-card", { "aria-label": `App ${one.name ?? one.id}` },
    h("header.card-head", {}, h("h3.card-title", {}, one.name ?? one.id),
      h("button.quiet.danger", { type: "button", onClick: () => remove(app, one, problem, changed) }, "Remove")),
    state,
    h("h4", {}, "What happens to it"),
    h("div.deeds", { role: "group", "aria-label": `What happens to ${one.name ?? one.id}` }, buttons.slice(0, -1)),
    h("div.deed-set", {}, h("span.hint", {}, "In Settings"), grant, change),
    problem, story,
    h("h4", {}, "What the rules said"), decisions);
}

function stateFacts({ state, given, devices, services: used = [], id }) {
  const chip = ([words, tone]) => h(`span.chip.tint-${tone}`, {}, words);
  const differs = reported[state.reportedStatus] !== grants[state.grant]?.[0];
  return [
    fact("App", chip(lifecycle(state))),
    fact("Granted", chip(grants[state.grant] ?? [state.grant, "neutral"]),
      differs && `≠ the app is told “${reported[state.reportedStatus] ?? state.reportedStatus}”`),
    fact("Accuracy", accuracies[state.accuracy] ?? state.accuracy),
    fact("Uses", used.length
      ? used.map((use) => [services[use.service] ?? use.service, use.identifier].filter(Boolean).join(" ")).join(", ")
      : "nothing"),
    fact("On", `${given?.platform ?? "iOS"} ${given?.osVersion ?? ""}`.trim(),
      `devices ${(devices ?? ["*"]).join(", ")}, ${count(state.stepsTaken ?? 0, "step")} taken, id ${id}`),
  ];
}

const fact = (name, value, note) => h("div", {}, h("dt", {}, name), h("dd", {}, value, note && h("small", {}, note)));

/** What a step did, by which rules. */
function account(report, words) {
  const isNothing = report.effect === "none";
  return h("div.step-account", {},
    h("p", {}, h("strong", {}, words), ": ", isNothing ? "⊘ no effect" : report.effect),
    report.notes?.map((note) => h("p.hint", {}, note)),
    report.rules?.length > 0 && ruleList("By which rules", report.rules));
}

async function readDecisions(app, one, place) {
  try {
    let cursor = null;
    let found = [];
    // The service lists the oldest first, and the latest are wanted.
    for (let read = 0; read < mostDecisions; read += 500) {
      const page = await get(`/v1/apps/${part(one.id)}/decisions`, { limit: 500, cursor });
      found = found.concat(page.data).slice(-60);
      cursor = page.nextCursor;
      if (!cursor) break;
    }
    drawDecisions(app, found.reverse(), place, firstShown);
  } catch (problem) {
    fill(place, h("p.field-problem", {}, problem.message));
  }
}

function drawDecisions(app, found, place, shown) {
  fill(place, found.length
    ? h("ol.lines", {}, found.slice(0, shown).map((decision) => h("li", {},
      h("p.decision-of", {}, h("a", { href: link({ tab: "live", event: decision.eventId, device: decision.deviceId }) },
        `${decision.deviceId} ${kinds[decision.kind] ?? decision.kind} `
        + `${decision.identifier ? app.book.nameOf(decision.identifier) : ""}`),
      h("time.hint", { datetime: decision.timestamp, title: wholeMoment(decision.timestamp) },
        moment(decision.timestamp))),
      decisionLine(decision, false))))
    : h("p.hint", {}, "No event of its devices has come to it yet."),
  found.length > shown && h("button.quiet", { type: "button", onClick: () =>
    drawDecisions(app, found, place, found.length) }, "Show more"));
}

async function remove(app, one, problem, changed) {
  try {
    const { data, etag } = await request("GET", `/v1/apps/${part(one.id)}`);
    await request("DELETE", `/v1/apps/${part(one.id)}`, { headers: { "If-Match": etag } });
    const { state, ...definition } = data;
    app.toast(`${one.name ?? one.id} was removed.`, { action: { label: "Undo", run: async () => {
      await request("PUT", `/v1/apps/${part(one.id)}`, { json: definition });
      changed();
    } } });
    changed();
  } catch (error) {
    problem.textContent = error.message;
  }
}
