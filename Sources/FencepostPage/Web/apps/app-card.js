import { get, getLast, pathSegment, request } from "../core/api.js";
import { announce, element, fact, setChildren } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { profiles } from "../core/profiles.js";
import { formatDateTime, formatTime } from "../core/time.js";
import { decisionLine } from "./decision.js";
import { accuracies, actions, grants, kindVerbs, lifecycle, reportedStatuses, services, settings } from "./labels.js";
import { ruleList } from "./rules.js";

const maximumDecisions = 2000;
const keptDecisions = 60;
const initialCount = 5;

/** The card of a simulated app: its state, the actions on it, and the decisions on its latest events. */
export function appCard(app, simulatedApp, { changed }) {
  const state = element("dl.facts");
  const explanation = element("div.step-explanations", { role: "status" });
  const decisions = element("div.decisions", {}, element("p.hint", {}, "Loading decisions …"));
  const problem = element("p.field-problem", { role: "alert" });
  const buttons = [];
  let current = simulatedApp;

  const takeSteps = async (steps, label) => {
    problem.textContent = "";
    for (const button of buttons) button.disabled = true;
    try {
      const { data } = await request("POST", `/v1/apps/${pathSegment(simulatedApp.id)}/steps`, { json: { steps } });
      setChildren(explanation, data.steps.map((report) => stepExplanation(report, label)));
      announce(`${label}: ${data.steps.map((report) => report.effect).join(", ")}`);
      current = await get(`/v1/apps/${pathSegment(simulatedApp.id)}`);
      drawState();
    } catch (error) {
      problem.textContent = error.message;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };
  const drawState = () => setChildren(state, stateFacts(current));
  const name = simulatedApp.name ?? simulatedApp.id;
  const grant = element("select", { "aria-label": `Change in Settings for ${name}` },
    Object.entries(settings).map(([value, text]) => element("option", { value }, text)));
  grant.value = "always";
  for (const [label, steps, title] of actions) {
    buttons.push(element("button", { type: "button", title, onClick: () => takeSteps(steps, label) }, label));
  }
  const change = element("button", { type: "button", onClick: () =>
    takeSteps([{ do: "settings", set: grant.value }], `Settings: ${settings[grant.value]}`) }, "Set");
  buttons.push(change);
  drawState();
  readDecisions(app, simulatedApp, decisions);
  return element("article.card.app-card", { "aria-label": `App ${name}` },
    element("header.card-head", {}, element("h3.card-title", {}, name),
      element("button.quiet.danger", {
        type: "button", data: { needs: "write" }, onClick: () => removeApp(app, simulatedApp, problem, changed),
      }, "Remove")),
    state,
    element("h4", { data: { needs: "write" } }, "Actions"),
    element("div.actions", { role: "group", "aria-label": `Actions on ${name}`, data: { needs: "write" } },
      buttons.slice(0, -1)),
    element("div.settings-row", { data: { needs: "write" } }, element("span.hint", {}, "In Settings"), grant, change),
    problem, explanation,
    element("h4", {}, "Decisions"), decisions);
}

function stateFacts({ state, given, devices, services: used = [], id }) {
  const chip = ([label, tone]) => element(`span.chip.tint-${tone}`, {}, label);
  const differs = reportedStatuses[state.reportedStatus] !== grants[state.grant]?.[0];
  return [
    fact("App", chip(lifecycle(state))),
    fact("Granted", chip(grants[state.grant] ?? [state.grant, "neutral"]),
      differs && `≠ reported to the app: “${reportedStatuses[state.reportedStatus] ?? state.reportedStatus}”`),
    fact("Accuracy", accuracies[state.accuracy] ?? state.accuracy),
    fact("Uses", used.length
      ? used.map((use) => [services[use.service] ?? use.service, use.identifier].filter(Boolean).join(" ")).join(", ")
      : "no location service"),
    fact("Platform", `${given?.platform ?? "iOS"} ${given?.osVersion ?? ""}`.trim(),
      `devices ${(devices ?? ["*"]).join(", ")}, ${formatCount(state.stepsTaken ?? 0, "step")} taken, id ${id}`),
  ];
}

/** The effect of a step, and the rules that decided it. */
function stepExplanation(report, label) {
  const hasNoEffect = report.effect === "none";
  return element("div.step-explanation", {},
    element("p", {}, element("strong", {}, label), ": ", hasNoEffect ? "⊘ no effect" : report.effect),
    report.notes?.map((note) => element("p.hint", {}, note)),
    report.rules?.length > 0 && ruleList("Rules", report.rules));
}

async function readDecisions(app, simulatedApp, container) {
  try {
    const { elements } = await getLast(`/v1/apps/${pathSegment(simulatedApp.id)}/decisions`, {}, {
      limit: maximumDecisions, kept: keptDecisions,
    });
    drawDecisions(app, elements, container, initialCount);
  } catch (problem) {
    setChildren(container, element("p.field-problem", {}, problem.message));
  }
}

function drawDecisions(app, decisionList, container, shown) {
  setChildren(container, decisionList.length
    ? element("ol.lines", {}, decisionList.slice(0, shown).map((decision) => element("li", {},
      element("p.decision-event", {}, element("a", {
        href: linkTo({ tab: "live", event: decision.eventId, device: decision.deviceId }),
      },
        `${profiles.nameOf(decision.deviceId)} ${kindVerbs[decision.kind] ?? decision.kind} `
        + `${decision.identifier ? app.regions.nameOf(decision.identifier) : ""}`),
      element("time.hint", { datetime: decision.timestamp, title: formatDateTime(decision.timestamp) },
        formatTime(decision.timestamp))),
      decisionLine(decision, false))))
    : element("p.hint", {}, "No decisions yet."),
  decisionList.length > shown && element("button.quiet", { type: "button", onClick: () =>
    drawDecisions(app, decisionList, container, decisionList.length) }, "Show more"));
}

async function removeApp(app, simulatedApp, problem, changed) {
  try {
    const { data, etag } = await request("GET", `/v1/apps/${pathSegment(simulatedApp.id)}`);
    await request("DELETE", `/v1/apps/${pathSegment(simulatedApp.id)}`, { headers: { "If-Match": etag } });
    const definition = { ...data };
    delete definition.state;
    app.toast(`${simulatedApp.name ?? simulatedApp.id} was removed.`, { action: { label: "Undo", run: async () => {
      await request("PUT", `/v1/apps/${pathSegment(simulatedApp.id)}`, { json: definition });
      changed();
    } } });
    changed();
  } catch (error) {
    problem.textContent = error.message;
  }
}
