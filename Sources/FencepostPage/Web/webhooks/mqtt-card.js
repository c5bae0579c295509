import { get, pathSegment, request } from "../core/api.js";
import { element, fact, setChildren } from "../core/dom.js";
import { text } from "../text/text.js";

const texts = text.webhooks.mqtt;
/** Milliseconds between two looks at the connection. */
const checkInterval = 5000;

/** The broker, its port, whether it has TLS, and the first level of the topics, from the address of the endpoint. */
export function brokerOf(url) {
  const [, scheme, authority, prefix] = /^(\w+):\/\/([^/]*)\/?(.*)$/.exec(url) ?? [];
  if (!scheme) return null;
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(authority);
  return { host, port: Number(port ?? (scheme === "mqtts" ? 8883 : 1883)), isTLS: scheme === "mqtts", prefix };
}

/**
 * The settings for the configuration file, of a broker or as an example: the page cannot read a password, so this is a
 * placeholder.
 * @param {ReturnType<typeof brokerOf>} broker null for an example.
 */
export function settingsOf(broker) {
  const { host, port, isTLS } = broker ?? { host: "homeassistant.local", port: 1883, isTLS: false };
  return JSON.stringify({ mqtt: {
    host, ...(port !== 1883 && { port }), ...(isTLS && { tls: true }),
    username: "fencepost", password: "…", homeAssistant: true,
  } }, null, 2);
}

/**
 * The card of the MQTT broker: its address, whether it is connected now, and the way to the view that sets it.
 * @param {any} app
 * @param {import("../../Types/api").Endpoint | undefined} endpoint the endpoint of the broker, if events go there.
 */
export function mqttCard(app, endpoint, { showDeliveries }) {
  const broker = endpoint ? brokerOf(endpoint.url) : null;
  const chip = element("span.chip", { role: "status", hidden: true });
  const detail = element("p.hint", {});
  const result = element("div.endpoint-result", { role: "status" });
  const card = element("article.card.mqtt-card", { "aria-label": texts.title },
    element("header.card-head", {}, element("h3.card-title", {}, texts.title), chip), detail,
    broker && element("dl.facts", {}, fact(texts.broker, broker.host), fact(texts.port, String(broker.port)),
      fact(texts.encryption, broker.isTLS ? texts.tls : texts.noTLS),
      fact(texts.topics, element("code", {}, `${broker.prefix}/#`))),
    element("p.hint", {}, broker ? texts.publishes : texts.none),
    endpoint && element("div.row", {},
      element("button", { type: "button", data: { needs: "write" }, onClick: (event) => test(event.currentTarget) },
        text.webhooks.card.test),
      element("button", { type: "button", onClick: () => showDeliveries(endpoint.id) }, text.webhooks.card.messages)),
    result,
    element("div.row", { data: { needs: "admin" } },
      element("button", { type: "button", onClick: () => app.openTab("mqtt") }, texts.setUp)));

  async function test(button) {
    button.disabled = true;
    setChildren(result, element("p.hint", {}, text.webhooks.card.sendingTest));
    try {
      const { data } = await request("POST", `/v1/endpoints/${pathSegment(endpoint.id)}/test`);
      setChildren(result, data.failure
        ? element("p.outcome-line.bad", {}, "✕ ", texts.testFailed(text.webhooks.delivery.failures[data.failure]
          ?? data.failure))
        : element("p.outcome-line.good", {}, "✓ ", texts.testAccepted));
    } catch (problem) {
      setChildren(result, element("p.field-problem", {}, problem.message));
    } finally {
      button.disabled = false;
    }
  }

  /** Looks at the connection, and again while the card is on the page. */
  async function check() {
    // Without an answer, what the card says would be a guess.
    const { checks } = /** @type {{checks: Record<string, any>}} */ (
      await get("/readyz").catch(() => ({ checks: {} })));
    const connection = checks.mqtt;
    chip.hidden = !connection;
    if (connection) {
      const isConnected = connection.status === "ok";
      chip.className = `chip ${isConnected ? "active" : "failed"}`;
      const label = isConnected ? `✓ ${texts.connected}` : `✕ ${texts.notConnected}`;
      if (chip.textContent !== label) chip.textContent = label;
      detail.textContent = isConnected ? "" : texts.triesAgain;
    }
    detail.hidden = !detail.textContent;
    setTimeout(() => card.isConnected && check(), checkInterval);
  }
  check();
  return card;
}

/** Settings for the configuration file, with a button that copies them. */
export function copyBlock(settings) {
  const copy = element("button", { type: "button", onClick: async () => {
    getSelection()?.selectAllChildren(block);
    // An insecure context has no clipboard API; the selected text can be copied with the keyboard.
    await navigator.clipboard?.writeText(settings).then(() => {
      copy.textContent = text.webhooks.secret.copied;
    }, () => {});
  } }, text.webhooks.secret.copy);
  const block = element("pre.phone-text", { tabindex: 0, "aria-label": texts.settings }, settings);
  return [block, element("div.row", {}, copy)];
}
