import { actionForm, confirmButton, field, line } from "../access/form.js";
import { get, getAll, pathSegment, request } from "../core/api.js";
import { element, setChildren } from "../core/dom.js";
import { groups } from "../core/groups.js";
import { session } from "../core/session.js";
import { formatDateTime } from "../core/time.js";
import { isImperial } from "../core/units.js";
import { timeZone } from "../core/zone.js";
import { Picker } from "../pick/picker.js";
import { deviceSource } from "../pick/sources.js";
import { text } from "../text/text.js";
import { titleOf } from "../webhooks/endpoint-names.js";

const texts = text.reports.schedules;
/** The kinds of endpoints that take a report. */
const kinds = new Set(["email", "ntfy", "telegram", "discord", "webhook"]);

const select = (choices) => element("select", {}, Object.entries(choices).map(([value, label]) =>
  element("option", { value }, label)));

/** The reports that are sent on a schedule, and the form that adds one. */
export function schedulesSection(app) {
  const list = element("ul.lines");
  const tool = element("div");
  const section = element("section.report-block", { "aria-label": texts.title, data: { needs: "all" } },
    element("h3", {}, texts.title), list, tool);

  let isOpen = false;
  // What is shown: drawn again without a change, a button would lose the click that has just begun.
  let shown = "";
  // What the caller may do is known some time after the sign-in.
  session.access.subscribe(() => isOpen && load());

  async function load() {
    isOpen = true;
    if (!session.can("all")) return;
    try {
      await read();
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
  }

  async function read() {
    const [{ data }, endpoints] = await Promise.all([
      get("/v1/report-schedules"), getAll("/v1/endpoints", {}, { limit: 200 })]);
    const state = JSON.stringify([data, endpoints, groups.all]);
    if (state === shown) return;
    shown = state;
    const titles = new Map(endpoints.map((endpoint) => [endpoint.id, titleOf(endpoint)]));
    const nameOf = (id) => titles.get(id) ?? id;
    setChildren(list, data.length ? data.map((schedule) => row(schedule, nameOf)) : element("li", {}, texts.none));
    const recipients = endpoints.filter(({ kind }) => kinds.has(kind));
    setChildren(tool, recipients.length
      ? element("details.tool", { data: { needs: "write" } }, element("summary", {}, texts.add),
        form(app, recipients, load))
      : element("p.hint", {}, texts.noEndpoint));
  }

  function row(schedule, nameOf) {
    const next = schedule.nextRun ? texts.next(formatDateTime(schedule.nextRun)) : texts.paused;
    const what = texts.line({ ...schedule, to: schedule.endpoints.map(nameOf).join(", ") });
    const path = `/v1/report-schedules/${pathSegment(schedule.id)}`;
    const isActive = schedule.state === "active";
    const button = (label, work) => element("button.small", {
      type: "button", data: { needs: "write" }, "aria-label": text.access.actionOn(label, schedule.name),
      onClick: () => act(work),
    }, label);
    const remove = confirmButton(texts.remove, schedule.name, () => act(() => request("DELETE", path)));
    remove.dataset.needs = "write";
    return line(schedule.name, `${what} ${next}`,
      button(texts.send, async () => {
        await request("POST", `${path}/send`);
        app.toast(texts.sent(schedule.name));
      }),
      button(isActive ? texts.pause : texts.resume,
        () => request("PATCH", path, { json: { state: isActive ? "disabled" : "active" } })),
      remove);
  }

  async function act(work) {
    try {
      await work();
    } catch (problem) {
      app.toast(problem.message, { tone: "bad" });
    }
    await load();
  }
  function clear() {
    [isOpen, shown] = [false, ""];
    [list, tool].forEach((node) => setChildren(node));
  }
  return { element: section, load, clear };
}

function form(app, recipients, load) {
  const name = element("input", { required: true, maxlength: 256, placeholder: texts.nameExample });
  const report = select(texts.reports);
  const by = select(text.reports.byChoices);
  const group = element("select", {}, element("option", { value: "" }, texts.allDevices),
    groups.all.map(({ tag }) => element("option", { value: tag }, tag)));
  const device = new Picker({ source: deviceSource(app), hasPatterns: true });
  const frequency = select(texts.frequencies);
  const firstDay = select(texts.weekdays);
  const at = element("input", { type: "time", required: true, value: "07:00" });
  const zone = element("input", { required: true, value: timeZone, autocapitalize: "none", spellcheck: "false" });
  const format = select(texts.formats);
  const endpoint = element("select", {}, recipients.map((one) =>
    element("option", { value: one.id }, texts.endpoint(titleOf(one), one.kind))));
  frequency.value = "weekly";
  const byField = element("div", {}, field(text.reports.by, by));
  const dayField = element("div", {}, field(texts.firstDay, firstDay));
  const show = () => {
    byField.hidden = report.value !== "summaries";
    dayField.hidden = frequency.value !== "weekly";
  };
  [report, frequency].forEach((control) => control.addEventListener("change", show));
  show();
  return actionForm(texts.submit, [
    field(texts.name, name), field(texts.report, report), byField, field(texts.group, group),
    field(texts.device, device, text.common.optional), field(texts.frequency, frequency), dayField,
    field(texts.at, at), field(texts.zone, zone), field(texts.format, format), field(texts.to, endpoint),
  ], async () => {
    await request("POST", "/v1/report-schedules", { json: {
      name: name.value.trim(), report: report.value, frequency: frequency.value, at: at.value,
      timeZone: zone.value.trim(), format: format.value, endpoints: [endpoint.value],
      ...(report.value === "summaries" && { by: by.value }),
      ...(report.value !== "visits" && format.value === "xlsx" && isImperial() && { units: "imperial" }),
      ...(frequency.value === "weekly" && { firstDay: firstDay.value }),
      ...(group.value && { group: group.value }), ...(device.value && { deviceId: device.value }),
    } });
    app.toast(texts.added(name.value.trim()));
    await load();
  });
}
