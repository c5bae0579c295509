// The events that happened last, for a page that is opened in the middle of things. The API lists events oldest
// first, so the page asks for larger and larger spans until it has enough.

import { pages } from "../core/api.js";

const enough = 40;
const most = 500;
const spans = [15 * 60, 3 * 3600, 24 * 3600, 14 * 86_400, 400 * 86_400];

/** Puts the latest events into the log. */
export async function readLatest(app) {
  try {
    for (const seconds of spans) {
      const from = new Date(Date.now() - seconds * 1000).toISOString();
      let latest = [];
      let isWhole = true;
      for await (const page of pages("/v1/events", { from, explain: true }, { limit: 5000 })) {
        latest = latest.concat(page).slice(-most);
        isWhole = page.length < 500 || latest.length < 5000;
      }
      app.log.take(latest);
      if (latest.length >= enough || !isWhole) return;
    }
  } catch (problem) {
    if (problem.status !== 401) app.toast(`Earlier events could not be read: ${problem.message}`, { tone: "bad" });
  }
}
