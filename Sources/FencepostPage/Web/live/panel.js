import { element } from "../core/dom.js";
import { phoneTool } from "../phones/phone-tool.js";
import { text } from "../text/text.js";
import { addMenu } from "./add-menu.js";
import { deviceCard } from "./device-card.js";
import { deviceList } from "./device-list.js";
import { eventCard } from "./event-card.js";
import { eventFeed } from "./event-feed.js";
import { makeFilters } from "./filters.js";
import { walkTool } from "./walk-tool.js";

/** The Live tab: the selected event or device, the people and devices, and the latest events. */
export const livePanel = {
  id: "live",
  title: text.live.title,
  mount(app, container) {
    const filters = makeFilters(app);
    const tools = [
      { title: text.phones.title, needs: "admin", element: phoneTool(app) },
      { title: text.live.walk.title, needs: "ingest", element: walkTool(app) },
    ];
    filters.element.querySelector(".filters").append(addMenu(tools));
    container.append(
      filters.element,
      ...tools.map(({ element: tool }) => tool),
      element("div.cards", {}, eventCard(app), deviceCard(app)),
      deviceList(app, filters, tools),
      eventFeed(app, filters));
  },
};
