import { request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { Picker } from "../pick/picker.js";
import { deviceSource, regionSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { isForPeople, isSigned, kinds } from "./endpoint-kinds.js";
import { messageFields } from "./message-fields.js";
import { secretBox } from "./secret.js";

const texts = text.webhooks.form;

/** The form that adds an endpoint, and then shows the signing secret of a webhook. */
export function endpointForm(app, { added }) {
  const kind = element("select", { id: uniqueID("kind"), onChange: () => showKind() },
    Object.entries(kinds).map(([value, { title }]) => element("option", { value }, title)));
  const about = element("p.hint");
  const fields = element("div.form-part");
  const description = element("input", {
    id: uniqueID("about"), maxlength: 256, placeholder: texts.descriptionExample,
  });
  const devices = new Picker({
    source: deviceSource(app, { groups: true, patterns: true }), isMultiple: true, hasPatterns: true,
    placeholder: texts.everyDevice,
  });
  const regions = new Picker({
    source: regionSource(app), isMultiple: true, hasPatterns: true, placeholder: texts.everyRegion,
  });
  const boxes = Object.entries(texts.types).map(([pattern, label]) => [pattern, label,
    element("input", { type: "checkbox", onChange: () => { haveChosen = true; } })]);
  const eventsHint = element("p.hint", {}, texts.eventsOfPeople);
  let haveChosen = false;
  const ordered = element("input", { type: "checkbox" });
  const order = element("label.check", {}, ordered, texts.inOrder);
  const location = element("input", { type: "checkbox", checked: true });
  const message = element("p.field-problem", { id: uniqueID("message"), role: "alert" });
  const submit = element("button.primary", { type: "submit" }, texts.submit);
  const result = element("div");
  const messagePart = messageFields({ read: () => json() });

  function showKind() {
    about.textContent = kinds[kind.value].about;
    setChildren(fields, kinds[kind.value].fields.map(field));
    messagePart.element.hidden = !isForPeople(kind.value);
    order.hidden = isForPeople(kind.value);
    eventsHint.hidden = !isForPeople(kind.value);
    // A program gets what it can sort out itself; people get what the service chooses for them.
    if (!haveChosen) {
      for (const [pattern, , box] of boxes) {
        box.checked = !isForPeople(kind.value) && ["region.*", "visit.*"].includes(pattern);
      }
    }
    setChildren(message);
  }

  /** An input with its label; problems of the service are announced with it. */
  function field({ key, label, hint, type, required, placeholder, choices, texts: names }) {
    const attributes = { id: uniqueID(key), name: key, "aria-describedby": message.id };
    const input = choices
      ? element("select", attributes,
        choices.map((value) => element("option", { value }, names?.[value] ?? value)))
      : element("input", { ...attributes, type: type ?? "text", required, placeholder,
        autocomplete: "off", spellcheck: "false" });
    return [element("label", { for: input.id }, label, hint && element("span.hint", {}, ` ${hint}`)), input];
  }

  /** The endpoint as the form describes it. */
  function json() {
    const events = boxes.filter(([, , box]) => box.checked).map(([pattern]) => pattern);
    const given = {};
    for (const { key, list, read, needs } of kinds[kind.value].fields) {
      /** @type {HTMLInputElement | HTMLSelectElement} */
      const field = fields.querySelector(`[name="${key}"]`);
      const value = field.value.trim();
      if (!value || (needs && !(needs in given))) continue;
      given[key] = list ? value.split(/[,\s]+/).filter(Boolean) : (read?.(value) ?? value);
    }
    return {
      ...(!isSigned(kind.value) && { kind: kind.value }),
      ...(isForPeople(kind.value) && messagePart.read()), ...given,
      ...(description.value.trim() && { description: description.value.trim() }),
      ...(events.length && (isForPeople(kind.value) || events.length < boxes.length) && { events }),
      ...(devices.values.length && { devices: devices.values }),
      ...(regions.values.length && { regions: regions.values }),
      ...(!isForPeople(kind.value) && { ordered: ordered.checked }), includeLocation: location.checked,
    };
  }

  /** Says what is wrong below the fields, and moves to the first of them. */
  function show(problem) {
    const details = problem.errors.map(({ detail }) => detail);
    const names = problem.errors.map(({ pointer }) => pointer.split("/")[1]);
    const inputs = [...fields.getElementsByTagName("input"), ...fields.getElementsByTagName("select")];
    const wrong = inputs.filter((input) => names.includes(input.name));
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
    } }, texts.allow(network));
    return [" ", button];
  }

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    setChildren(message);
    if (!isForPeople(kind.value) && !boxes.some(([, , box]) => box.checked)) {
      // The API takes an empty list of a webhook for every type.
      setChildren(message, texts.noEvents);
      message.scrollIntoView({ block: "nearest" });
      boxes[0][2].focus();
      return;
    }
    submit.disabled = true;
    for (const input of fields.querySelectorAll("input, select")) input.removeAttribute("aria-invalid");
    try {
      const { data } = await request("POST", "/v1/endpoints", { json: json() });
      form.reset();
      haveChosen = false;
      showKind();
      setChildren(result, data.secret
        ? secretBox(data.secret, texts.secretOf(data.description ?? data.id))
        : element("p.hint", { role: "status" }, texts.added));
      result.querySelector("input")?.focus();
      added();
    } catch (problem) {
      show(problem);
    } finally {
      submit.disabled = false;
    }
  } },
  element("label", { for: kind.id }, texts.kind), kind, about, fields, message,
  element("label", { for: description.id }, texts.description, " ", element("span.hint", {}, text.common.optional)),
  description,
  element("label", { for: devices.input.id }, texts.devices, " ", element("span.hint", {}, texts.devicesHint)),
  devices.element,
  element("label", { for: regions.input.id }, texts.regions, " ", element("span.hint", {}, texts.regionsHint)),
  regions.element,
  element("fieldset.checks", {}, element("legend", {}, texts.events), eventsHint,
    boxes.map(([, label, box]) => element("label.check", {}, box, label))),
  messagePart.element, order,
  element("label.check", {}, location, texts.positions),
  element("div.row", {}, submit));
  showKind();
  return element("details.tool", {}, element("summary", {}, texts.title), form, result);
}
