import { request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { isForPeople, kinds } from "./endpoint-kinds.js";
import { messageFields } from "./message-fields.js";
import { secretBox } from "./secret.js";

const types = {
  "region.*": "entries, exits and dwells", "visit.*": "visits", "device.*": "device status", "app.*": "app relaunches",
};

/** The form that adds an endpoint, and then shows the signing secret of a webhook. */
export function endpointForm(app, { added }) {
  const kind = element("select", { id: uniqueID("kind"), onChange: () => showKind() },
    Object.entries(kinds).map(([value, { title }]) => element("option", { value }, title)));
  const about = element("p.hint");
  const fields = element("div.form-part");
  const description = element("input", { id: uniqueID("about"), maxlength: 256, placeholder: "Dispatch desk" });
  const devices = element("input", { id: uniqueID("of"), placeholder: "every device", spellcheck: "false" });
  const regions = element("input", { id: uniqueID("in"), placeholder: "every region", spellcheck: "false" });
  const boxes = Object.entries(types).map(([pattern, text]) => [pattern, text,
    element("input", { type: "checkbox", checked: pattern === "region.*" || pattern === "visit.*" })]);
  const ordered = element("input", { type: "checkbox" });
  const order = element("label.check", {}, ordered, "Deliver the events of each device in order");
  const location = element("input", { type: "checkbox", checked: true });
  const message = element("p.field-problem", { id: uniqueID("message"), role: "alert" });
  const submit = element("button.primary", { type: "submit" }, "Add the endpoint");
  const result = element("div");
  const texts = messageFields({ read: () => json() });

  function showKind() {
    about.textContent = kinds[kind.value].about;
    setChildren(fields, kinds[kind.value].fields.map(field));
    texts.element.hidden = !isForPeople(kind.value);
    order.hidden = isForPeople(kind.value);
    setChildren(message);
  }

  /** An input with its label; problems of the service are announced with it. */
  function field({ key, label, hint, type, required, placeholder }) {
    const input = element("input", { id: uniqueID(key), name: key, type: type ?? "text", required, placeholder,
      autocomplete: "off", spellcheck: "false", "aria-describedby": message.id });
    return [element("label", { for: input.id }, label, hint && element("span.hint", {}, ` ${hint}`)), input];
  }

  /** The endpoint as the form describes it. */
  function json() {
    const events = boxes.filter(([, , box]) => box.checked).map(([pattern]) => pattern);
    const given = {};
    for (const { key, list } of kinds[kind.value].fields) {
      const text = fields.querySelector(`[name="${key}"]`).value.trim();
      if (text) given[key] = list ? text.split(/[,\s]+/).filter(Boolean) : text;
    }
    const patterns = (input) => input.value.split(/[,\s]+/).filter(Boolean);
    return {
      ...(isForPeople(kind.value) && { kind: kind.value, ...texts.read() }), ...given,
      ...(description.value.trim() && { description: description.value.trim() }),
      ...(events.length && events.length < boxes.length && { events }),
      ...(devices.value.trim() && { devices: patterns(devices) }),
      ...(regions.value.trim() && { regions: patterns(regions) }),
      ...(!isForPeople(kind.value) && { ordered: ordered.checked }), includeLocation: location.checked,
    };
  }

  /** Says what is wrong below the fields, and moves to the first of them. */
  function show(problem) {
    const details = problem.errors.map(({ detail }) => detail);
    const names = problem.errors.map(({ pointer }) => pointer.split("/")[1]);
    const wrong = [...fields.querySelectorAll("input")].filter((input) => names.includes(input.name));
    for (const input of wrong) input.setAttribute("aria-invalid", "true");
    const network = problem.errors.find((error) => error.network)?.network;
    setChildren(message, details.length ? details.join(" ") : problem.message, network && allowButton(network));
    (wrong[0] ?? message).scrollIntoView({ block: "nearest" });
    wrong[0]?.focus();
  }

  /** Allows the network of the endpoint, and sends the form again. Only administrators get its name. */
  function allowButton(network) {
    const button = element("button", { type: "button", data: { needs: "admin" }, onClick: async () => {
      button.disabled = true;
      try {
        await request("POST", "/v1/networks", { json: { network } });
      } catch (problem) {
        // Another administrator may have allowed it meanwhile.
        if (problem.code !== "network_exists") return show(problem);
      }
      submit.focus();
      form.requestSubmit();
    } }, `Allow messages to ${network}, also over http`);
    return [" ", button];
  }

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(message);
    if (!boxes.some(([, , box]) => box.checked)) {
      // The API takes an empty list for every type.
      setChildren(message, "Choose at least one type of event.");
      message.scrollIntoView({ block: "nearest" });
      boxes[0][2].focus();
      return;
    }
    submit.disabled = true;
    for (const input of fields.querySelectorAll("input")) input.removeAttribute("aria-invalid");
    try {
      const { data } = await request("POST", "/v1/endpoints", { json: json() });
      form.reset();
      showKind();
      setChildren(result, data.secret
        ? secretBox(data.secret, `Signing secret of ${data.description ?? data.id}.`)
        : element("p.hint", { role: "status" }, "Added. “Send test” below sends a first message."));
      result.querySelector("input")?.focus();
      added();
    } catch (problem) {
      show(problem);
    } finally {
      submit.disabled = false;
    }
  } },
  element("label", { for: kind.id }, "Kind"), kind, about, fields, message,
  element("label", { for: description.id }, "Description ", element("span.hint", {}, "(optional)")), description,
  element("label", { for: devices.id }, "Devices ", element("span.hint", {}, "ids or patterns such as van-*")), devices,
  element("label", { for: regions.id }, "Regions ", element("span.hint", {}, "ids or patterns")), regions,
  element("fieldset.checks", {}, element("legend", {}, "Event types"),
    boxes.map(([, text, box]) => element("label.check", {}, box, text))),
  texts.element, order,
  element("label.check", {}, location, "Include positions"),
  element("div.row", {}, submit));
  showKind();
  return element("details.tool", {}, element("summary", {}, "Add an endpoint"), form, result);
}
