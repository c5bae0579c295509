import { h } from "../core/dom.js";
import { deviceCard } from "./device-card.js";
import { deviceList } from "./device-list.js";
import { eventCard } from "./event-card.js";
import { eventFeed } from "./event-feed.js";
import { makeFilters } from "./filters.js";
import { walkTool } from "./walk-tool.js";

/** What happens now: the chosen device or event, the filters, the feed, and all devices as a table. */
export const livePanel = {
  id: "live",
  title: "Live",
  mount(app, element) {
    const filters = makeFilters(app);
    element.append(
      h("div.card-place", {}, eventCard(app), deviceCard(app)),
      filters.element,
      walkTool(app),
      eventFeed(app, filters),
      deviceList(app, filters));
  },
};
