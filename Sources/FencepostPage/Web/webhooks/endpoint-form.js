import { request } from "../core/api.js";
import { fill, freshID, h } from "../core/dom.js";
import { secretBox } from "./secret.js";

const kinds = {
  "region.*": "entries, exits and dwells", "visit.*": "visits", "device.*": "silence", "app.*": "apps started",
};

/** A form that adds an endpoint, and then shows its secret once. */
export function endpointForm(app, { added }) {
  const url = h("input", { type: "url", required: true, placeholder: "https…", id: freshID("url"),
    autocomplete: "off", spellcheck: "false" });
  const description = h("input", { id: freshID("about"), maxlength: 256, placeholder: "Dispatch desk" });
  const devices = h("input", { id: freshID("of"), placeholder: "every device", spellcheck: "false" });
  const boxes = Object.entries(kinds).map(([pattern, text]) => [pattern, text,
    h("input", { type: "checkbox", checked: pattern === "region.*" || pattern === "visit.*" })]);
  const ordered = h("input", { type: "checkbox" });
  const location = h("input", { type: "checkbox", checked: true });
  const problem = h("p.field-problem", { id: freshID("wrong"), role: "alert" });
  url.setAttribute("aria-describedby", problem.id);
  const submit = h("button.primary", { type: "submit" }, "Add the endpoint");
  const result = h("div");

  const form = h("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(problem);
    url.removeAttribute("aria-invalid");
    const chosen = boxes.filter(([, , box]) => box.checked).map(([pattern]) => pattern);
    const patterns = devices.value.split(/[,\s]+/).filter(Boolean);
    const json = {
      url: url.value.trim(),
      ...(description.value.trim() && { description: description.value.trim() }),
      ...(chosen.length && chosen.length < boxes.length && { events: chosen }),
      ...(patterns.length && { devices: patterns }),
      ordered: ordered.checked, includeLocation: location.checked,
    };
    try {
      const { data } = await request("POST", "/v1/endpoints", { json });
      form.reset();
      fill(result, secretBox(data.secret, `The secret of ${data.description ?? data.id}.`));
      result.querySelector("input").focus();
      added();
    } catch (error) {
      const faults = error.faults.map((fault) => fault.detail);
      if (error.faults.some((fault) => fault.pointer === "/url")) {
        url.setAttribute("aria-invalid", "true");
        url.focus();
      }
      fill(problem, faults.length ? faults.join(" ") : error.message);
    } finally {
      submit.disabled = false;
    }
  } },
  h("label", { for: url.id }, "URL"), url, problem,
  h("label", { for: description.id }, "What it is ", h("span.hint", {}, "(optional)")), description,
  h("label", { for: devices.id }, "Only devices ", h("span.hint", {}, "ids or patterns such as van-*")), devices,
  h("fieldset.checks", {}, h("legend", {}, "Told of"),
    boxes.map(([, text, box]) => h("label.check", {}, box, text))),
  h("label.check", {}, ordered, "Keep the order of each device’s events"),
  h("label.check", {}, location, "Send positions"),
  h("div.row", {}, submit));
  return h("details.tool", {}, h("summary", {}, "Add an endpoint"), form, result);
}
