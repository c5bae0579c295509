import { getAll } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { linkTo } from "../core/fragment.js";
import { profiles } from "../core/profiles.js";
import { formatAge, formatDateTime } from "../core/time.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { pairRules } from "./pairs.js";
import { ruleCard } from "./rule-card.js";
import { ruleForm } from "./rule-form.js";
import { alertsByRule, ruleSentence } from "./rule-words.js";

const texts = text.alerts;
/** So many alerts of one rule are listed. */
const mostShown = 20;

/** The view Alerts: the devices that alert now, and the rules with a form. */
export const alertsPanel = {
  id: "alerts",
  title: texts.title,
  needs: "all",
  mount(app, container) {
    const names = { device: (id) => profiles.nameOf(id), region: (id) => app.regions.nameOf(id) };
    /** The rules as they were read last. */
    let rules = null;
    let isShown = false;
    const now = element("section.block", { "aria-label": texts.now.title });
    const list = element("div.block");
    const read = async () => {
      if (!list.children.length) {
        setChildren(list, element("div.empty.loading", { role: "status" }, element("p", {}, texts.loading)));
      }
      try {
        rules = await getAll("/v1/alert-rules", {}, { limit: 200 });
        draw();
      } catch (problem) {
        showError(list, problem, read);
      }
    };
    const form = ruleForm(app, { changed: read });
    const pairs = pairRules(app, names);
    const draw = () => {
      if (!rules || !isShown) return;
      const byRule = alertsByRule(app.devices.alerting());
      setChildren(now, element("h3", {}, texts.now.title), byRule.size
        ? [...byRule].map(([id, alerts]) => alertsOf(id, rules.find((rule) => rule.id === id), alerts, names))
        : element("p.hint", {}, texts.now.none));
      setChildren(list, rules.length ? rules.map((rule) => ruleCard(app, rule, {
        names, count: byRule.get(rule.id)?.length ?? 0, edit: form.edit, changed: read,
      })) : emptyState());
    };
    app.devices.changes.subscribe(later(draw));
    app.regions.changes.subscribe(draw);
    profiles.changes.subscribe(() => {
      draw();
      pairs.draw();
    });
    container.append(element("h2", {}, texts.heading), element("p.hint.panel-intro", {}, texts.intro),
      element("div", { data: { needs: "write" } }, form.element), now, list,
      pairs.element);
    const panel = sessionPanel({
      load: () => Promise.all([read(), pairs.read()]),
      clear() {
        rules = null;
        pairs.clear();
        setChildren(now);
        setChildren(list);
        form.reset();
      },
    });
    return {
      show() {
        isShown = true;
        panel.show();
      },
      hide() {
        isShown = false;
        panel.hide();
      },
    };
  },
};

/** Calls `draw` at most twice a second: positions of many devices come several times as often. */
function later(draw) {
  let timer = 0;
  return () => {
    timer ||= window.setTimeout(() => {
      timer = 0;
      draw();
    }, 500);
  };
}

/** The devices that alert by a rule; a region's speed limit has no rule in the list. */
function alertsOf(id, rule, alerts, names) {
  const region = alerts.find(({ regionId }) => regionId)?.regionId;
  const title = rule ? ruleSentence(rule, names) : texts.now.speedLimit(region ? names.region(region) : id);
  const shown = alerts.slice(0, mostShown);
  return element("div", {}, element("p.hint", {}, title),
    element("ul.rows", {}, shown.map(({ device, since }) => element("li", {},
      element("a.row-link", { href: linkTo({ tab: "live", device }) },
        element("span.row-title", {}, names.device(device)),
        element("time.row-note", { datetime: since, title: formatDateTime(since) },
          texts.now.since(formatAge(since)))))),
    alerts.length > shown.length && element("li.hint", {}, texts.now.more(alerts.length - shown.length))));
}

const emptyState = () => element("div.empty", {}, element("p.empty-title", {}, texts.empty.title),
  element("p", {}, texts.empty.hint));
