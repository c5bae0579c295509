import { request } from "../core/api.js";
import { element, setChildren, uniqueID } from "../core/dom.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { beaconServices } from "./labels.js";

const texts = text.apps.form;

const reasons = ["NSLocationWhenInUseUsageDescription:For the simulation",
  "NSLocationAlwaysAndWhenInUseUsageDescription:For the simulation"];

/** The form that adds a simulated app in a given state. */
export function appForm(app, { added }) {
  const field = (label, control, hint) => {
    const input = control.input ?? control;
    input.id ||= uniqueID("app");
    return [element("label", { for: input.id }, label, hint && element("span.hint", {}, ` ${hint}`)),
      control.element ?? control];
  };
  const selectOf = (options, value) => {
    const select = element("select", {}, Object.entries(options).map(([key, name]) =>
      element("option", { value: key }, name)));
    select.value = value;
    return select;
  };
  const name = element("input", {
    required: true, maxlength: 100, placeholder: texts.nameExample, autocomplete: "off",
  });
  const devices = new Picker({
    source: deviceSource(app, { groups: true, patterns: true }), isMultiple: true, hasPatterns: true,
    placeholder: texts.everyDevice,
  });
  const grant = selectOf(texts.permissions, "always");
  const state = selectOf(texts.states, "terminated/system");
  const version = element("input", {
    value: "27.0", pattern: "[0-9]{1,3}\\.[0-9]{1,2}", required: true, inputmode: "decimal",
  });
  const regions = element("input", { type: "checkbox", checked: true });
  const visits = element("input", { type: "checkbox", checked: true });
  const significant = element("input", { type: "checkbox" });
  const conditions = element("input", { type: "checkbox" });
  const beacons = element("input", { type: "checkbox" });
  const beaconConditions = element("input", { type: "checkbox" });
  const session = element("input", { type: "checkbox" });
  const problem = element("p.field-problem", { role: "alert" });
  const submit = element("button.primary", { type: "submit" }, texts.submit);
  const form = element("form.form", { onSubmit: async (event) => {
    event.preventDefault();
    submit.disabled = true;
    setChildren(problem);
    const [lifecycle, terminatedBy] = state.value.split("/");
    const choices = {
      regionCircular: regions, visits, significantChange: significant, clMonitorCircular: conditions,
      regionBeacon: beacons, clMonitorBeacon: beaconConditions,
    };
    const services = Object.entries(choices).filter(([, box]) => box.checked)
      // Without an identifier a service stands for the regions of the service, and none of them is a beacon's.
      .map(([service]) => ({ service, ...(beaconServices.includes(service) && { identifier: "beacon" }) }));
    const json = {
      id: idOf(name.value), name: name.value.trim(), devices: devices.values.length ? devices.values : ["*"],
      given: {
        platform: "iOS", osVersion: version.value, grant: grant.value, lifecycle, ...(terminatedBy && { terminatedBy }),
        infoPlist: reasons, ...(session.checked && { sessions: ["serviceSession(always)"] }),
      },
      services,
    };
    try {
      await request("POST", "/v1/apps", { json });
      form.reset();
      added();
    } catch (error) {
      setChildren(problem, error.message,
        error.errors.map(({ pointer, detail }) => element("span.error-line", {}, `${pointer} ${detail}`)));
    } finally {
      submit.disabled = false;
    }
  } },
  field(texts.name, name), field(texts.devices, devices, texts.devicesHint),
  element("div.pair", {}, element("div.form", {}, field(texts.state, state)),
    element("div.form", {}, field(texts.permission, grant))),
  field(texts.version, version),
  element("fieldset.checks", {}, element("legend", {}, texts.services),
    [[regions, texts.regions], [visits, texts.visits], [significant, texts.significant], [conditions, texts.conditions],
      [beacons, texts.beacons], [beaconConditions, texts.beaconConditions]].map(([box, label]) =>
      element("label.check", {}, box, label))),
  element("div.checks", {},
      element("label.check", {}, session, texts.session), element("p.hint", {}, texts.sessionHint)),
  problem, element("div.row", {}, submit));
  return element("details.tool", {}, element("summary", {}, texts.title), form);
}

/** A readable id from a name. */
const idOf = (name) => name.trim().toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")
  || "app";
