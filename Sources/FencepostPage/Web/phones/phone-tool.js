import { get, pathSegment, post, urlOf } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { session } from "../core/session.js";
import { text } from "../text/text.js";
import { phoneApps } from "./apps.js";
import { findingsAbout, refusal } from "./check.js";
import { qrCode } from "./qr-code.js";

/** Milliseconds between two looks for the first location. */
const checkInterval = 3000;

/** The form that issues a token for a phone, shows how to set up its app, and waits for the first location. */
export function phoneTool(app) {
  const texts = text.phones;
  const field = (label, properties, ...hint) => {
    const input = element("input", { id: uniqueID("phone"), required: true, spellcheck: "false", autocomplete: "off",
      ...properties });
    return { input, parts: [element("label", { for: input.id }, label, ...hint), input] };
  };
  const user = field(texts.person, { placeholder: "jane", maxlength: 60, pattern: "[A-Za-z0-9._\\-]+",
    title: texts.allowedCharacters });
  const device = field(texts.device, { value: "phone", maxlength: 60, pattern: "[A-Za-z0-9._\\-]+",
    title: texts.allowedCharacters });
  const base = field(texts.address, { type: "url",
    value: urlOf("/").href.replace(/\/$/, "") });
  const kind = element("select", { id: uniqueID("phone") }, phoneApps.map(({ id, name, systems }) =>
    element("option", { value: id }, `${name} (${systems})`)));
  const mode = element("select", { id: uniqueID("phone") },
    element("option", { value: "precise" }, texts.modes.precise),
    element("option", { value: "saving" }, texts.modes.saving));
  const friends = field(texts.friends, { placeholder: "bob/phone, van", required: false },
    element("span.hint", {}, ` ${texts.friendsHint}`));
  const regions = field(texts.regions, { type: "number", min: 2, max: 20, step: 1, inputmode: "numeric",
    placeholder: "20", required: false }, element("span.hint", {}, ` ${texts.regionsHint}`));
  const friendsPart = element("div", {}, element("div.field", {}, friends.parts),
    element("div.field", {}, regions.parts));
  const about = element("p.hint");
  const caution = element("p.warning");
  const problem = element("p.field-problem", { role: "alert" });
  const result = element("div");
  const submit = element("button.primary", { type: "submit" }, texts.showSettings);
  let check = null;
  /** The token that was issued last, and what for: who presses again gets no second one. */
  let issued = { purpose: "", token: "" };

  const chosen = () => phoneApps.find(({ id }) => id === kind.value);
  const describe = () => {
    setChildren(about, chosen().about);
    friendsPart.hidden = !chosen().hasFriends;
    setChildren(caution, cautionAbout(base.input.value));
  };
  kind.addEventListener("change", describe);
  base.input.addEventListener("input", describe);
  describe();

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    setChildren(problem);
    // OwnTracks sends both parts in lower case.
    const phone = { user: user.input.value.trim().toLowerCase(), device: device.input.value.trim().toLowerCase(),
      base: base.input.value.trim().replace(/\/+$/, ""), mode: mode.value };
    phone.id = `${phone.user}/${phone.device}`;
    try {
      const { name } = chosen();
      const wanted = chosen().hasFriends ? friends.input.value.split(",").map((id) => id.trim()).filter(Boolean) : [];
      const count = chosen().hasFriends ? Number(regions.input.value) : 0;
      const request = { name: `${name}: ${phone.id}`, scopes: ["ingest"], deviceId: phone.id,
        ...(wanted.length && { friends: wanted }), ...(count && { regions: count }) };
      const purpose = JSON.stringify(request);
      if (issued.purpose !== purpose) issued = { purpose, token: (await post("/v1/tokens", request)).token };
      phone.token = issued.token;
      phone.regions = count > 0;
      const setup = chosen().setup(phone);
      check?.stop();
      check = new PhoneCheck(app, phone.id, setup.interval);
      setChildren(result, setupCard(name, phone, setup), check.element);
      result.querySelector("h2").focus({ preventScroll: true });
      result.scrollIntoView({ block: "start" });
    } catch (error) {
      const details = error.errors?.map(({ detail }) => detail).join(" ");
      setChildren(problem, error.status === 403 ? texts.cannotIssue : details || error.message);
    } finally {
      submit.disabled = false;
    }
  } },
  element("div.pair", {}, element("div.field", {}, user.parts), element("div.field", {}, device.parts)),
  element("label", { for: kind.id }, texts.app), kind, about,
  element("label", { for: mode.id }, texts.locations), mode,
  friendsPart, base.parts, caution, problem, element("div.row", {}, submit));

  session.token.subscribe((token) => {
    if (token !== null) return;
    // The next user must not see the token.
    check?.stop();
    issued = { purpose: "", token: "" };
    setChildren(result);
    form.reset();
  });
  return element("details.block.tool", { data: { needs: "admin" }, onToggle: (event) => {
    if (event.target.open) check?.start();
    else check?.stop();
  } }, element("summary", {}, texts.title), form, result);
}

/** What keeps a phone from using an address, or an empty text. */
function cautionAbout(input) {
  let address;
  try {
    address = new URL(input);
  } catch {
    return "";
  }
  if (/^(localhost|127\.|\[::1\])/.test(address.hostname)) return text.phones.localAddress;
  return address.protocol === "http:" ? text.phones.noTLS : "";
}

function setupCard(name, phone, { link, settings, file }) {
  const texts = text.phones.setup;
  return element("section.phone-setup", {},
    element("h2", { tabindex: -1 }, texts.title(name, phone.id)),
    link && [
      qrCode(link, texts.code(name, phone.id)),
      element("p", {}, texts.scan(name)),
      element("p", {}, element("a", { href: link }, texts.open(name))),
    ],
    element("p.hint", {}, texts.hint),
    element(link ? "details" : "div", {}, link && element("summary", {}, texts.byHand),
      element("dl.facts", {}, settings.map(([term, value]) => element("div", {},
        element("dt", {}, term), element("dd", {}, element("code", {}, value)))))),
    file && element("pre.phone-text", { tabindex: 0 }, file));
}

/** Waits for the first location of a device, and says what is wrong with it. */
class PhoneCheck {
  #app;
  #id;
  #interval;
  #timer = 0;
  #isDone = false;
  /** The time of the last location before the phone was added, in milliseconds. */
  #before = null;
  #started = Date.now();

  constructor(app, id, interval) {
    this.#app = app;
    this.#id = id;
    this.#interval = interval;
    const index = app.devices.indexOf(id);
    if (index >= 0) this.#before = app.devices.time[index];
    this.list = element("ul.findings");
    this.element = element("section.phone-check", {}, element("h2", {}, text.phones.check.title),
      element("div", { role: "status" }, this.list));
    this.#show([{ tone: "wait", message: text.phones.check.waiting }]);
    this.start();
  }

  start() {
    if (!this.#timer && !this.#isDone) this.#schedule();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #schedule() {
    this.#timer = setTimeout(() => this.#look(), checkInterval);
  }

  async #look() {
    const timer = this.#timer;
    const findings = await this.#find().catch(() => null);
    if (timer !== this.#timer) return;
    if (findings) this.#show(findings);
    // A location with a fault may be followed by a better one.
    this.#isDone = findings?.length === 1 && findings[0].tone === "good";
    if (this.#isDone) this.#timer = 0;
    else this.#schedule();
  }

  async #find() {
    const { devices } = this.#app;
    const index = devices.indexOf(this.#id);
    // A device that was here before has an older location.
    if (index >= 0 && devices.time[index] !== this.#before) {
      const { lastLocation } = await get(`/v1/devices/${pathSegment(this.#id)}`);
      const regions = this.#app.regions.all.values();
      return findingsAbout(lastLocation, { now: Date.now(), interval: this.#interval, regions });
    }
    const { data } = await get("/v1/quarantine", { deviceId: this.#id });
    const refused = data.filter(({ receivedAt }) => Date.parse(receivedAt) >= this.#started);
    if (refused.length) return [refusal(refused.at(-1))];
    return null;
  }

  #show(findings) {
    const key = JSON.stringify(findings);
    if (this.list.dataset.shown === key) return;
    this.list.dataset.shown = key;
    setChildren(this.list, findings.map(({ tone, message }) => element(`li.finding.${tone}`, {}, message)));
  }
}
