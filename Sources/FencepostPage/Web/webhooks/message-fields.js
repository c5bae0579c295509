import { request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { session } from "../core/session.js";
import { isImperial } from "../core/units.js";
import { timeZone } from "../core/zone.js";
import { text } from "../text/text.js";

const texts = text.webhooks.messageFields;

/** Whether an address means the machine itself, so that a link to it opens nothing elsewhere. */
export const isLocalAddress = (address) =>
  /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i.test(address.trim());

/** The part of the form that says how messages for people are written and when they come, with a preview. */
export function messageFields({ read: readEndpoint }) {
  const input = (placeholder, more) => element("input", { id: uniqueID("text"), placeholder, ...more });
  const title = input("{{sentence}}", { maxlength: 4096, spellcheck: "false" });
  const body = element("textarea", { id: uniqueID("text"), rows: 2, placeholder: "{{detail}}", maxlength: 4096,
    spellcheck: "false" });
  const names = input("jane/phone=Jane, van-7=Ole", { spellcheck: "false" });
  const [from, to] = [input("", { type: "time", "aria-label": texts.quietFrom }),
    input("", { type: "time", "aria-label": texts.quietUntil })];
  const units = element("select", { id: uniqueID("choice") }, Object.entries(texts.unitChoices).map(([value, label]) =>
    element("option", { value, selected: value === "imperial" && isImperial() }, label)));
  const link = input("", { type: "url", value: location.origin });
  const caution = element("p.warning");
  const warn = () => {
    caution.textContent = isLocalAddress(link.value) ? texts.localLink : "";
  };
  link.addEventListener("input", warn);
  warn();
  const cooldown = input("0", { type: "number", min: 0, max: 1440, step: "any" });
  const group = input("0", { type: "number", min: 0, max: 1440, step: "any" });
  const result = element("div.preview", { role: "status" });
  const button = element("button", { type: "button", onClick: async () => {
    button.disabled = true;
    try {
      const { data } = await request("POST", "/v1/endpoints/preview", { json: readEndpoint() });
      setChildren(result, element("dl.preview-list", {}, data.messages.map((message) => element("div", {},
        element("dt", {}, message.type), element("dd", {}, element("strong", {}, message.title),
          message.body && element("small", {}, ` ${message.body}`))))));
    } catch (problem) {
      const details = problem.errors.map(({ detail }) => detail);
      setChildren(result, element("p.field-problem", {}, details.length ? details.join(" ") : problem.message));
    } finally {
      button.disabled = false;
    }
  } }, texts.preview);
  const row = (label, field, hint) => [element("label", { for: field.id }, label,
    hint && element("span.hint", {}, ` ${hint}`)), field];
  return {
    element: element("details.rules", {}, element("summary", {}, texts.title),
      row(texts.messageTitle, title, texts.templateHint), row(texts.messageText, body, texts.templateHint),
      row(texts.names, names, text.common.optional), row(texts.link, link, texts.linkHint), caution,
      row(texts.units, units),
      element("fieldset.checks", {}, element("legend", {}, texts.quietHours),
        element("div.row", {}, from, element("span", {}, texts.quietTo), to)),
      row(texts.cooldown, cooldown), row(texts.group, group),
      element("div.row", {}, button), result),
    /** The members of the endpoint. */
    read() {
      const template = { ...(title.value.trim() && { title: title.value }),
        ...(body.value.trim() && { body: body.value }) };
      const pairs = names.value.split(",").map((pair) => pair.split("=").map((part) => part.trim()))
        .filter(([id, name]) => id && name);
      // An endpoint without a zone has that of the service, also when it changes.
      const zone = session.access.value.timeZone === timeZone ? {} : { timeZone };
      return {
        ...zone, ...(link.value.trim() && { link: link.value.trim().replace(/\/+$/, "") }),
        ...(units.value !== "metric" && { units: units.value }),
        ...(Object.keys(template).length && { template }),
        ...(pairs.length && { names: Object.fromEntries(pairs) }),
        ...(from.value && to.value && { quietHours: { ...zone, from: from.value, to: to.value } }),
        ...(Number(cooldown.value) > 0 && { cooldown: Number(cooldown.value) * 60 }),
        ...(Number(group.value) > 0 && { group: Number(group.value) * 60 }),
      };
    },
  };
}
