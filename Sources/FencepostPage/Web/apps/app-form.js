import { request } from "../core/api.js";
import { fill, freshID, h } from "../core/dom.js";

const reasons = ["NSLocationWhenInUseUsageDescription:For the simulation",
  "NSLocationAlwaysAndWhenInUseUsageDescription:For the simulation"];

const states = {
  "terminated/system": "terminated by the system", "terminated/user": "force-quit by the user",
  suspended: "suspended", foreground: "on screen",
};
const grants = {
  always: "Always", whenInUse: "While Using the App", provisionalAlways: "Always, provisionally", denied: "Never",
};

/** A form that adds a simulated app in the state that a question is about. */
export function appForm({ added }) {
  const field = (label, control, hint) => {
    control.id ||= freshID("app");
    return [h("label", { for: control.id }, label, hint && h("span.hint", {}, ` ${hint}`)), control];
  };
  const choose = (options, value) => {
    const element = h("select", {}, Object.entries(options).map(([key, text]) => h("option", { value: key }, text)));
    element.value = value;
    return element;
  };
  const name = h("input", { required: true, maxlength: 100, placeholder: "Courier", autocomplete: "off" });
  const devices = h("input", { value: "*", required: true, autocomplete: "off", spellcheck: "false" });
  const grant = choose(grants, "always");
  const state = choose(states, "terminated/system");
  const version = h("input", {
    value: "18.1", pattern: "[0-9]{1,3}\\.[0-9]{1,2}", required: true, inputmode: "decimal",
  });
  const regions = h("input", { type: "checkbox", checked: true });
  const visits = h("input", { type: "checkbox", checked: true });
  const significant = h("input", { type: "checkbox" });
  const problem = h("p.field-problem", { role: "alert" });
  const submit = h("button.primary", { type: "submit" }, "Add the app");
  const form = h("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(problem);
    const [lifecycle, terminatedBy] = state.value.split("/");
    const used = [[regions, "regionCircular"], [visits, "visits"], [significant, "significantChange"]]
      .filter(([box]) => box.checked).map(([, service]) => ({ service }));
    const json = {
      id: idOf(name.value), name: name.value.trim(), devices: devices.value.split(/[,\s]+/).filter(Boolean),
      given: {
        platform: "iOS", osVersion: version.value, grant: grant.value, lifecycle, ...(terminatedBy && { terminatedBy }),
        infoPlist: reasons,
      },
      services: used,
    };
    try {
      await request("POST", "/v1/apps", { json });
      form.reset();
      added();
    } catch (error) {
      fill(problem, error.message,
        error.faults.map((fault) => h("span.fault", {}, `${fault.pointer} ${fault.detail}`)));
    } finally {
      submit.disabled = false;
    }
  } },
  field("Name", name), field("On devices", devices, "ids or patterns, * is every one"),
  h("div.pair", {}, h("div.form", {}, field("The app is", state)), h("div.form", {}, field("The user allows", grant))),
  field("iOS version", version),
  h("fieldset.checks", {}, h("legend", {}, "It uses"),
    [[regions, "regions"], [visits, "visits"], [significant, "significant changes"]].map(([box, text]) =>
      h("label.check", {}, box, text))),
  problem, h("div.row", {}, submit));
  return h("details.tool", {}, h("summary", {}, "Add an app"), form);
}

/** An id that people can read, from a name. */
const idOf = (name) => name.trim().toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")
  || "app";
