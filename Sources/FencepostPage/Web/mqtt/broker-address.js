import { element } from "../core/dom.js";
import { text } from "../text/text.js";

const plainPort = "1883";
const encryptedPort = "8883";

/** @typedef {import("../../Types/api").BrokerSettings} Settings */

/**
 * The fields that say how to reach one broker.
 * @param {ReturnType<typeof import("./broker-fields.js").brokerFields>} fields makes and names the fields.
 * @param {object} options
 * @param {string} options.section the member of the settings that has them: empty, or `publishTo/`
 * @param {typeof text.mqtt.form.address} options.texts
 * @param {boolean} options.isRequired whether there has to be a host
 */
export function brokerAddress(fields, { section, texts, isRequired }) {
  const host = fields.input(`${section}host`, { required: isRequired, placeholder: "homeassistant.local" });
  const port = fields.input(`${section}port`, {
    type: "number", required: isRequired, min: 1, max: 65535, value: plainPort });
  const tls = element("input", { type: "checkbox", name: `${section}tls`, onChange: () => {
    if (tls.checked && port.value === plainPort) port.value = encryptedPort;
    else if (!tls.checked && port.value === encryptedPort) port.value = plainPort;
    showParts();
  } });
  const certificate = fields.area(`${section}caCertificate`, {
    rows: 4, placeholder: "-----BEGIN CERTIFICATE-----\n…", maxlength: 24576 });
  const username = fields.input(`${section}username`, { placeholder: "fencepost" });
  const password = fields.input(`${section}password`, { type: "password", autocomplete: "new-password" });
  const certificatePart = element("div.form-part", {},
    fields.labelled(certificate, texts.certificate, texts.certificateHint));

  function showParts() {
    certificatePart.hidden = !tls.checked;
  }

  return {
    rows: [
      fields.labelled(host, texts.host, isRequired ? texts.hostHint : text.common.optional),
      fields.labelled(port, texts.port), element("label.check", {}, tls, texts.tls), certificatePart,
      fields.labelled(username, texts.username, text.common.optional), fields.labelled(password, texts.password),
    ],
    get isSet() {
      return host.value.trim() !== "";
    },

    /** The members as the fields have them. An empty field keeps the stored password, as long as there is a user. */
    json() {
      const user = username.value.trim() || null;
      return {
        host: host.value.trim(), port: Number(port.value), tls: tls.checked, username: user,
        caCertificate: tls.checked && certificate.value.trim() ? certificate.value : null,
        ...(password.value ? { password: password.value } : !user && { password: null }),
      };
    },

    /** Fills the fields. @param {Partial<Settings>|null|undefined} settings */
    fill(settings) {
      host.value = settings?.host ?? "";
      port.value = String(settings?.port ?? plainPort);
      tls.checked = settings?.tls ?? false;
      certificate.value = settings?.caCertificate ?? "";
      username.value = settings?.username ?? "";
      password.value = "";
      password.placeholder = settings?.passwordIsSet ? text.mqtt.form.unchanged : "";
      showParts();
    },
  };
}
