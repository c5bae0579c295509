import { element } from "../core/dom.js";
import { phoneTool } from "../phones/phone-tool.js";
import { text } from "../text/text.js";
import { deviceCard } from "./device-card.js";
import { deviceList } from "./device-list.js";
import { eventCard } from "./event-card.js";
import { eventFeed } from "./event-feed.js";
import { makeFilters } from "./filters.js";
import { walkTool } from "./walk-tool.js";

/** The Live tab: the selected event or device, the filters, the latest events, and the table of devices. */
export const livePanel = {
  id: "live",
  title: text.live.title,
  mount(app, container) {
    const filters = makeFilters(app);
    container.append(
      element("div.cards", {}, eventCard(app), deviceCard(app)),
      filters.element,
      phoneTool(app),
      walkTool(app),
      eventFeed(app, filters),
      deviceList(app, filters));
  },
};
