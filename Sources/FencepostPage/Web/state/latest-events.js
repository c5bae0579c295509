// The latest events, for a page that has just opened.

import { getAll } from "../core/api.js";
import { text } from "../text/text.js";

const wantedEvents = 100;

/** Adds the latest events to the event log. */
export async function readLatestEvents(app) {
  try {
    app.eventLog.add(await getAll("/v1/events", { order: "desc", explain: true }, { limit: wantedEvents }));
  } catch (problem) {
    if (problem.status !== 401) app.toast(text.shell.earlierEventsFailed(problem.message), { tone: "bad" });
  }
}
