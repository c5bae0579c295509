import { access } from "./access.js";
import { alerts } from "./alerts.js";
import { apps } from "./apps.js";
import { common } from "./common.js";
import { drawing } from "./drawing.js";
import { history } from "./history.js";
import { imports } from "./imports.js";
import { live } from "./live.js";
import { map } from "./map.js";
import { mqtt } from "./mqtt.js";
import { phones } from "./phones.js";
import { pick } from "./pick.js";
import { plans } from "./plans.js";
import { presences } from "./presences.js";
import { regions } from "./regions.js";
import { reports } from "./reports.js";
import { share } from "./share.js";
import { shell } from "./shell.js";
import { webhooks } from "./webhooks.js";
import { whyRules } from "./why-rules.js";

/** The German texts, by the part of the page that shows them. */
export const german = {
  /** What the language calls itself. */
  language: "Deutsch",
  access, alerts, apps, common, drawing, history, imports, live, map, mqtt, phones, pick, plans, presences, regions,
  reports, share, shell, webhooks, whyRules,
};
