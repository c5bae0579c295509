import { request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { secretBox } from "./secret.js";

const kinds = {
  "region.*": "entries, exits and dwells", "visit.*": "visits", "device.*": "device status", "app.*": "app relaunches",
};

/** The form that adds an endpoint, and then shows its signing secret. */
export function endpointForm(app, { added }) {
  const url = element("input", { type: "url", required: true, placeholder: "https…", id: uniqueID("url"),
    autocomplete: "off", spellcheck: "false" });
  const description = element("input", { id: uniqueID("about"), maxlength: 256, placeholder: "Dispatch desk" });
  const devices = element("input", { id: uniqueID("of"), placeholder: "every device", spellcheck: "false" });
  const boxes = Object.entries(kinds).map(([pattern, text]) => [pattern, text,
    element("input", { type: "checkbox", checked: pattern === "region.*" || pattern === "visit.*" })]);
  const ordered = element("input", { type: "checkbox" });
  const location = element("input", { type: "checkbox", checked: true });
  const message = element("p.field-problem", { id: uniqueID("message"), role: "alert" });
  url.setAttribute("aria-describedby", message.id);
  const submit = element("button.primary", { type: "submit" }, "Add the endpoint");
  const result = element("div");

  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    setChildren(message);
    url.removeAttribute("aria-invalid");
    const events = boxes.filter(([, , box]) => box.checked).map(([pattern]) => pattern);
    const patterns = devices.value.split(/[,\s]+/).filter(Boolean);
    const json = {
      url: url.value.trim(),
      ...(description.value.trim() && { description: description.value.trim() }),
      ...(events.length && events.length < boxes.length && { events }),
      ...(patterns.length && { devices: patterns }),
      ordered: ordered.checked, includeLocation: location.checked,
    };
    try {
      const { data } = await request("POST", "/v1/endpoints", { json });
      form.reset();
      setChildren(result, secretBox(data.secret, `Signing secret of ${data.description ?? data.id}.`));
      result.querySelector("input").focus();
      added();
    } catch (problem) {
      const details = problem.errors.map(({ detail }) => detail);
      if (problem.errors.some(({ pointer }) => pointer === "/url")) {
        url.setAttribute("aria-invalid", "true");
        url.focus();
      }
      setChildren(message, details.length ? details.join(" ") : problem.message);
    } finally {
      submit.disabled = false;
    }
  } },
  element("label", { for: url.id }, "URL"), url, message,
  element("label", { for: description.id }, "Description ", element("span.hint", {}, "(optional)")), description,
  element("label", { for: devices.id }, "Devices ", element("span.hint", {}, "ids or patterns such as van-*")), devices,
  element("fieldset.checks", {}, element("legend", {}, "Event types"),
    boxes.map(([, text, box]) => element("label.check", {}, box, text))),
  element("label.check", {}, ordered, "Deliver the events of each device in order"),
  element("label.check", {}, location, "Include positions"),
  element("div.row", {}, submit));
  return element("details.tool", {}, element("summary", {}, "Add an endpoint"), form, result);
}
