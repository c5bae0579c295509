import { readAfterChanges, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { confirmButton } from "../access/form.js";
import { sessionPanel } from "../shell/tabs.js";
import { showError } from "../shell/toasts.js";
import { text } from "../text/text.js";
import { copyBlock, settingsOf } from "../webhooks/mqtt-card.js";
import { brokerCard } from "./broker-card.js";
import { brokerForm, testResult } from "./broker-form.js";

const texts = text.mqtt;
/** Milliseconds between two looks at the connections. */
const interval = 3000;

/** The view MQTT: the broker's settings, what the connections do, and the steps in Home Assistant. */
export const mqttPanel = {
  id: "mqtt",
  title: texts.title,
  needs: "admin",
  mount(app, container) {
    let timer = 0;
    let isShown = false;
    const problem = element("div");
    const card = brokerCard();
    const notes = element("div");
    const empty = element("div.empty", { hidden: true }, element("p.empty-title", {}, texts.empty.title),
      element("p", {}, texts.empty.hint));
    const form = brokerForm({ saved: show, outdated: () => load(true) });
    const remove = element("div.row", { hidden: true },
      confirmButton(texts.remove, texts.title, removeBroker));
    const tool = element("section.block", { hidden: true }, form.element, remove);
    const configured = element("div", { hidden: true });

    /** Shows an answer about the broker. */
    function show({ data, etag = null }) {
      setChildren(problem);
      card.show(data);
      empty.hidden = data.isSet;
      tool.hidden = data.isConfigured;
      remove.hidden = !data.isSet;
      form.allowPublishing(data.mayPublish);
      if (!data.isConfigured) form.refresh(data.settings, etag);
      if (configured.hidden === data.isConfigured) showConfigured(data);
      setChildren(notes, data.uncleared.map(({ broker, topics }) => element("p.hint.warning", {},
        texts.uncleared(broker, topics))));
    }

    function showConfigured({ isConfigured, origin }) {
      configured.hidden = !isConfigured;
      const result = element("div.endpoint-result", { role: "status" });
      const test = element("button", { type: "button", onClick: async () => {
        test.disabled = true;
        setChildren(result, element("p.hint", {}, texts.form.testing));
        try {
          setChildren(result, testResult((await request("POST", "/v1/mqtt/test")).data));
        } catch (error) {
          setChildren(result, element("p.field-problem", {}, error.message));
        } finally {
          test.disabled = false;
        }
      } }, texts.form.test);
      setChildren(configured, isConfigured && [element("p.hint", {}, texts.configured(origin ?? "")),
        element("div.row", {}, test), result]);
    }

    async function load(isForced = false) {
      clearTimeout(timer);
      try {
        const answer = await readAfterChanges(() => request("GET", "/v1/mqtt"));
        if (isForced) form.fill(answer.data.settings, answer.etag);
        show(answer);
      } catch (error) {
        // A look that fails once says nothing new about the broker.
        if (empty.hidden && tool.hidden && configured.hidden) showError(problem, error, () => load());
      }
      clearTimeout(timer);
      if (isShown) timer = window.setTimeout(load, interval);
    }

    async function removeBroker() {
      try {
        const answer = await request("DELETE", "/v1/mqtt");
        form.clear();
        show(answer);
        app.toast(answer.data.uncleared.length ? texts.removed : texts.removedAndCleared);
      } catch (error) {
        app.toast(error.message, { tone: "bad" });
        await load(true);
      }
    }

    container.append(element("h2", {}, texts.title), element("p.hint.panel-intro", {}, texts.intro), problem, empty,
      card.element, notes, configured, tool,
      element("details.tool", {}, element("summary", {}, texts.steps.title),
        element("ol.steps", {}, texts.steps.list.map((step) => element("li", {}, step)))),
      element("details.tool", {}, element("summary", {}, texts.file.title), element("p.hint", {}, texts.file.hint),
        copyBlock(settingsOf(null))));
    const panel = sessionPanel({
      load: () => load(),
      clear() {
        clearTimeout(timer);
        card.clear();
        form.clear();
        setChildren(notes);
        for (const part of [tool, configured, empty]) part.hidden = true;
      },
    });
    return {
      show() {
        isShown = true;
        panel.show();
      },
      hide() {
        isShown = false;
        clearTimeout(timer);
        panel.hide();
      },
    };
  },
};
