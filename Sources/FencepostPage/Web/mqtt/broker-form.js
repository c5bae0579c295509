import { request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";
import { brokerAddress } from "./broker-address.js";
import { brokerFields } from "./broker-fields.js";
import { failureSentence } from "./broker-words.js";

const texts = text.mqtt.form;

/**
 * The form with the settings of the broker: *Test* tries what the fields have, *Save* connects to it at once.
 * @param {{saved: (answer: {data: any, etag?: string | null}) => void, outdated: () => void}} events
 */
export function brokerForm({ saved, outdated }) {
  /** The settings that the fields were filled with; null where there are none. */
  let current = null;
  let etag = null;
  /** Whether somebody has changed a field since. */
  let isTouched = false;
  /** Whether this service may publish anything; several partitions would replace each other's. */
  let mayPublish = true;

  const fields = brokerFields();
  const { input } = fields;
  const address = brokerAddress(fields, { section: "", texts: texts.address, isRequired: true });
  const other = brokerAddress(fields, { section: "publishTo/", texts: texts.other, isRequired: false });
  const topic = input("topic", { placeholder: "owntracks/#" });
  const clientId = input("clientId", { placeholder: "fencepost" });
  const publishes = element("input", { type: "checkbox", name: "publishes", onChange: () => showParts() });
  const prefix = input("publish", { placeholder: "fencepost" });
  const discovers = element("input", { type: "checkbox", name: "discovers", checked: true, onChange: () => {
    if (discovers.checked) publishes.checked = true;
    showParts();
  } });
  publishes.checked = true;
  const discovery = input("homeAssistant", { placeholder: "homeassistant" });
  const noPublishing = element("p.hint", { hidden: true }, texts.noPublishing);
  const message = element("p.field-problem", { role: "alert" });
  const result = element("div.endpoint-result", { role: "status" });
  const save = element("button.primary", { type: "submit" }, texts.save);
  const test = element("button", { type: "button", onClick: () => form.reportValidity() && run(tryOut) }, texts.test);

  const field = fields.labelled;
  const discoveryPart = element("div.form-part", {}, field(discovery, texts.discovery, texts.usual("homeassistant")));
  const prefixPart = element("div.form-part", {}, field(prefix, texts.prefix, texts.usual("fencepost")));
  const more = element("details.rules", {}, element("summary", {}, texts.more), element("div.form-part", {},
    field(topic, texts.topic, texts.usual("owntracks/#")), prefixPart, discoveryPart,
    field(clientId, texts.clientId, texts.clientIdHint)));
  const otherPart = element("details.rules", {}, element("summary", {}, texts.otherBroker),
    element("div.form-part", {}, element("p.hint", {}, texts.otherHint), other.rows));

  function showParts() {
    if (!mayPublish) publishes.checked = false;
    if (!publishes.checked) discovers.checked = false;
    [publishes.disabled, discovers.disabled, noPublishing.hidden] = [!mayPublish, !mayPublish, mayPublish];
    prefixPart.hidden = !publishes.checked;
    discoveryPart.hidden = !discovers.checked;
    otherPart.hidden = !publishes.checked;
  }

  /** The settings as the fields have them. What has no field stays as it is. */
  function json() {
    const textOf = (control) => control.value.trim() || null;
    const { publish, publishTo } = current ?? {};
    return {
      ...address.json(), topic: textOf(topic), clientId: textOf(clientId),
      ...(publishes.checked && { publish: { ...publish, prefix: textOf(prefix) ?? "fencepost" } }),
      ...(discovers.checked && { homeAssistant: textOf(discovery) ?? true }),
      ...(publishes.checked && other.isSet && {
        publishTo: { ...other.json(), clientId: publishTo?.clientId ?? null },
      }),
    };
  }

  /** Says at each field what is wrong with it, and moves to the first of them. */
  function show(problem) {
    const { first, rest } = fields.show(problem.errors ?? []);
    setChildren(message, rest.length || !first ? rest.join(" ") || problem.message : "");
    for (const part of [more, otherPart]) {
      if (first && part.contains(first)) part.open = true;
    }
    (first ?? message).scrollIntoView({ block: "nearest" });
    first?.focus();
  }

  /** Does something with the fields, which nobody can send twice meanwhile. */
  async function run(work) {
    setChildren(message);
    setChildren(result);
    fields.clear();
    [save.disabled, test.disabled] = [true, true];
    try {
      await work();
    } catch (problem) {
      setChildren(result);
      if (problem.status === 412) outdated();
      show(problem.status === 412 ? { message: texts.outdated } : problem);
    } finally {
      [save.disabled, test.disabled] = [false, false];
    }
  }

  async function tryOut() {
    setChildren(result, element("p.hint", {}, texts.testing));
    const { data } = await request("POST", "/v1/mqtt/test", { json: json() });
    setChildren(result, testResult(data));
  }

  async function store() {
    setChildren(result, element("p.hint", {}, texts.saving));
    const answer = await request("PUT", "/v1/mqtt", {
      json: json(), headers: etag ? { "If-Match": etag } : {},
    });
    fill(answer.data.settings, answer.etag);
    setChildren(result, element("p.outcome-line.good", {}, "✓ ", texts.saved));
    saved(answer);
  }

  /** Fills the fields. */
  function fill(settings, tag) {
    form.reset();
    [current, etag, isTouched] = [settings ?? null, tag ?? null, false];
    const usual = (value, other) => (value && value !== other ? value : "");
    address.fill(settings);
    other.fill(settings?.publishTo);
    otherPart.open = Boolean(settings?.publishTo);
    topic.value = usual(settings?.topic, "owntracks/#");
    clientId.value = usual(settings?.clientId, "fencepost");
    // Who begins wants Home Assistant, as a rule.
    publishes.checked = !settings || Boolean(settings.publish || settings.publishTo);
    discovers.checked = !settings || Boolean(settings.homeAssistant);
    prefix.value = usual(settings?.publish?.prefix, "fencepost");
    discovery.value = usual(settings?.homeAssistant, "homeassistant");
    save.textContent = settings ? texts.save : texts.connect;
    showParts();
  }

  const form = element("form.form", {
    "aria-label": texts.title,
    onInput: () => { isTouched = true; },
    onSubmit: (event) => {
      event.preventDefault();
      run(store);
    },
  },
  address.rows,
  element("label.check", {}, discovers, texts.discovers), element("label.check", {}, publishes, texts.publishes),
  noPublishing, more, otherPart, message, element("div.row", {}, save, test), result);
  fill(null, null);

  return {
    element: form,
    fill,
    /** @param {boolean} may whether this service may publish. */
    allowPublishing(may) {
      if (may === mayPublish) return;
      mayPublish = may;
      if (may && !current) publishes.checked = discovers.checked = true;
      showParts();
    },
    /** Fills the fields unless somebody is changing them. */
    refresh: (settings, tag) => (isTouched || tag === etag ? undefined : fill(settings, tag)),
    clear: () => {
      fill(null, null);
      setChildren(result);
      setChildren(message);
    },
  };
}

/** What a test has found. @param {import("../../Types/api").BrokerTest} data */
export function testResult(data) {
  if (!data.succeeded) return element("p.outcome-line.bad", {}, "✕ ", failureSentence(data));
  return [
    element("p.outcome-line.good", {}, "✓ ", texts.accepted(data.broker)),
    data.homeAssistant && element("p.hint", {}, texts.discovered(data.homeAssistant)),
  ];
}
