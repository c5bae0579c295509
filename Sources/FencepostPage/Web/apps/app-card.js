import { get, getLast, pathSegment, request } from "../core/api.js";
import { announce, element, fact, setChildren } from "../core/dom.js";
import { linkTo } from "../core/fragment.js";
import { profiles } from "../core/profiles.js";
import { formatDateTime, formatTime } from "../core/time.js";
import { text } from "../text/text.js";
import { decisionLine } from "./decision.js";
import { actionSteps, beaconSteps, differentReport, grantLabel, lifecycleLabel } from "./labels.js";
import { ruleList } from "./rules.js";

const texts = text.apps.card;

const maximumDecisions = 2000;
const keptDecisions = 60;
const initialCount = 5;

/**
 * The card of a simulated app: its state, the actions on it, and the decisions on its latest events.
 * @returns {{node: HTMLElement, update: (simulatedApp: object) => boolean}} `update` shows what a later read says, or
 *   does nothing and answers false where the app became another one of its id.
 */
export function appCard(app, simulatedApp, { changed }) {
  const state = element("dl.facts");
  const explanation = element("div.step-explanations", { role: "status" });
  const decisions = element("div.decisions", {}, element("p.hint", {}, texts.loadingDecisions));
  const problem = element("p.field-problem", { role: "alert" });
  const buttons = [];
  let current = simulatedApp;

  let shownGrant;

  const takeSteps = async (steps, label) => {
    problem.textContent = "";
    for (const button of buttons) button.disabled = true;
    try {
      const { data } = await request("POST", `/v1/apps/${pathSegment(simulatedApp.id)}/steps`, { json: { steps } });
      setChildren(explanation, data.steps.map((report) => stepExplanation(report, label)));
      announce(texts.stepEffects(label, data.steps.map((report) => report.effect).join(", ")));
      current = await get(`/v1/apps/${pathSegment(simulatedApp.id)}`);
      shownGrant = undefined;
      drawState();
    } catch (error) {
      problem.textContent = error.message;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };
  const drawState = () => {
    setChildren(state, stateFacts(current));
    // What the user has chosen and not set yet stays chosen.
    if (shownGrant !== current.state.grant) grant.value = settingOf(current.state.grant);
    shownGrant = current.state.grant;
  };
  const name = simulatedApp.name ?? simulatedApp.id;
  const grant = element("select", { "aria-label": texts.settingsOf(name) },
    Object.entries(text.apps.settings).map(([value, label]) => element("option", { value }, label)));
  const everySteps = { ...actionSteps, ...beaconSteps(simulatedApp.services ?? []) };
  for (const [action, steps] of Object.entries(everySteps)) {
    const { label, hint } = text.apps.actions[action];
    buttons.push(element("button", { type: "button", title: hint, onClick: () => takeSteps(steps, label) }, label));
  }
  const change = element("button", { type: "button", onClick: () => {
    takeSteps([{ do: "settings", set: grant.value }], texts.settingsStep(text.apps.settings[grant.value]));
  } }, texts.set);
  buttons.push(change);
  drawState();
  readDecisions(app, simulatedApp, decisions);
  const node = element("article.card.app-card", { "aria-label": texts.label(name) },
    element("header.card-head", {}, element("h3.card-title", {}, name),
      element("button.quiet.danger", {
        type: "button", data: { needs: "write" }, onClick: () => removeApp(app, simulatedApp, problem, changed),
      }, texts.remove)),
    state,
    element("h4", { data: { needs: "write" } }, texts.actions),
    element("div.actions", { role: "group", "aria-label": texts.actionsOn(name), data: { needs: "write" } },
      buttons.slice(0, -1)),
    element("div.settings-row", { data: { needs: "write" } }, element("span.hint", {}, texts.settings), grant, change),
    problem, explanation,
    element("h4", {}, texts.decisions), decisions);
  return {
    node,
    update(latest) {
      if (definitionOf(latest) !== definitionOf(simulatedApp)) return false;
      current = latest;
      drawState();
      readDecisions(app, simulatedApp, decisions);
      return true;
    },
  };
}

/** What an app is apart from its present state. */
const definitionOf = (simulatedApp) => JSON.stringify({ ...simulatedApp, state: null });

/** What Settings shows for a permission, by their names in the API. */
const settingOf = (permission) => ({
  denied: "never", restricted: "never", notDetermined: "askNextTime", whenInUse: "whileUsing",
  temporaryWhenInUse: "whileUsing",
})[permission] ?? "always";

function stateFacts({ state, given, devices, services: used = [], id }) {
  const chip = ([label, tone]) => element(`span.chip.tint-${tone}`, {}, label);
  const { accuracies, services } = text.apps;
  const reported = differentReport(state);
  return [
    fact(texts.app, chip(lifecycleLabel(state))),
    fact(texts.granted, chip(grantLabel(state.grant)), reported && texts.reported(reported)),
    fact(texts.accuracy, accuracies[state.accuracy] ?? state.accuracy),
    fact(texts.uses, used.length
      ? used.map((use) => [services[use.service] ?? use.service, use.identifier].filter(Boolean).join(" ")).join(", ")
      : texts.noService),
    fact(texts.platform, `${given?.platform ?? "iOS"} ${given?.osVersion ?? ""}`.trim(),
      texts.platformNote((devices ?? ["*"]).join(", "), state.stepsTaken ?? 0, id)),
  ];
}

/** The effect of a step, and the rules that decided it. */
function stepExplanation(report, label) {
  const effect = report.effect === "none" ? `⊘ ${texts.noEffect}` : report.effect;
  return element("div.step-explanation", {},
    element("p", {}, texts.stepEffect(element("strong", {}, label), effect)),
    report.notes?.map((note) => element("p.hint", {}, note)),
    report.rules?.length > 0 && ruleList(texts.rules, report.rules));
}

async function readDecisions(app, simulatedApp, container) {
  try {
    const { elements } = await getLast(`/v1/apps/${pathSegment(simulatedApp.id)}/decisions`, {}, {
      limit: maximumDecisions, kept: keptDecisions,
    });
    // A list that is the same stays as it is, with what the user has opened in it.
    const ids = JSON.stringify(elements.map(({ eventId, outcome }) => [eventId, outcome]));
    if (container.dataset.shown === ids) return;
    container.dataset.shown = ids;
    drawDecisions(app, elements, container, initialCount);
  } catch (problem) {
    delete container.dataset.shown;
    setChildren(container, element("p.field-problem", {}, problem.message));
  }
}

function drawDecisions(app, decisionList, container, shown) {
  setChildren(container, decisionList.length
    ? element("ol.lines", {}, decisionList.slice(0, shown).map((decision) => element("li", {},
      element("p.decision-event", {}, element("a", {
        href: linkTo({ tab: "live", event: decision.eventId, device: decision.deviceId }),
      }, eventOf(app, decision)),
      element("time.hint", { datetime: decision.timestamp, title: formatDateTime(decision.timestamp) },
        formatTime(decision.timestamp))),
      decisionLine(decision, false))))
    : element("p.hint", {}, texts.noDecisions),
  decisionList.length > shown && element("button.quiet", { type: "button", onClick: () =>
    drawDecisions(app, decisionList, container, decisionList.length) }, texts.showMore));
}

/** The event of a decision in words. */
function eventOf(app, { deviceId, kind, identifier }) {
  const [device, region] = [profiles.nameOf(deviceId), identifier ? app.regions.nameOf(identifier) : ""];
  return text.apps.events[kind]?.(device, region) ?? text.apps.otherEvent(device, kind, region);
}

async function removeApp(app, simulatedApp, problem, changed) {
  try {
    const { data, etag } = await request("GET", `/v1/apps/${pathSegment(simulatedApp.id)}`);
    await request("DELETE", `/v1/apps/${pathSegment(simulatedApp.id)}`, { headers: { "If-Match": etag } });
    const definition = { ...data };
    delete definition.state;
    app.toast(texts.removed(simulatedApp.name ?? simulatedApp.id), { action: { label: texts.undo, run: async () => {
      await request("PUT", `/v1/apps/${pathSegment(simulatedApp.id)}`, { json: definition });
      changed();
    } } });
    changed();
  } catch (error) {
    problem.textContent = error.message;
  }
}
