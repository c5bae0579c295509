import { all } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { boundsOf, dayOf, minute, zone } from "../core/time.js";
import { sentence } from "../core/words.js";
import { mark } from "../live/marks.js";
import { trouble } from "../shell/toasts.js";

/** A device's day: what happened, in order. */
export const historyPanel = {
  id: "history",
  title: "History",
  mount(app, element) {
    const device = h("input#history-device", { required: true, list: "known-devices", autocomplete: "off" });
    const names = h("datalist#known-devices");
    const day = h("input#history-day", { type: "date", value: dayOf(Date.now()), required: true });
    const list = h("div");
    const form = h("form.form", { onSubmit: (event) => {
      event.preventDefault();
      read();
    } },
    h("label", { for: "history-device" }, "Device"), device, names,
    h("label", { for: "history-day" }, `Day (times of ${zone})`), day,
    h("button.primary", { type: "submit" }, "Show"));
    const read = async () => {
      const [from, to] = boundsOf(day.value).map((time) => new Date(time).toISOString());
      fill(list, h("div.empty.loading", {}, h("p", {}, "Reading …")));
      try {
        const events = await all("/v1/events", { deviceId: device.value, from, to }, { limit: 2000 });
        fill(list, events.length
          ? h("ol.feed", {}, events.map((event) => h("li", {}, h("span.feed-row", {}, mark(event.type),
            h("span.feed-text", {}, sentence(event, app.book.nameOf)),
            h("time.feed-time", { datetime: event.timestamp }, minute(event.timestamp))))))
          : h("div.empty", {}, h("p.empty-title", {}, "Nothing happened on this day")));
      } catch (problem) {
        trouble(list, problem, read);
      }
    };
    element.append(h("h2", {}, "A device's day"), form, list);
    return {
      show() {
        fill(names, app.fleet.ids.slice(0, 500).map((id) => h("option", { value: id })));
        const { device: chosen } = app.selection.value;
        if (chosen && device.value !== chosen) {
          device.value = chosen;
          read();
        }
      },
    };
  },
};
