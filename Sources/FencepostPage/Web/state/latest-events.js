// The latest events, for a page that has just opened. The API lists the oldest events first, so the page reads longer
// and longer periods until it has enough events.

import { getPages } from "../core/api.js";
import { text } from "../text/text.js";

const wantedEvents = 40;
const maximumEvents = 500;
const periods = [15 * 60, 3 * 3600, 24 * 3600, 14 * 86_400, 400 * 86_400];

/** Adds the latest events to the event log. */
export async function readLatestEvents(app) {
  try {
    for (const seconds of periods) {
      const from = new Date(Date.now() - seconds * 1000).toISOString();
      let latest = [];
      let isComplete = true;
      for await (const page of getPages("/v1/events", { from, explain: true }, { limit: 5000 })) {
        latest = latest.concat(page).slice(-maximumEvents);
        isComplete = page.length < 500 || latest.length < 5000;
      }
      app.eventLog.add(latest);
      if (latest.length >= wantedEvents || !isComplete) return;
    }
  } catch (problem) {
    if (problem.status !== 401) app.toast(text.shell.earlierEventsFailed(problem.message), { tone: "bad" });
  }
}
