// What a file contains and what an import did, as lists.

import { element, fact } from "../core/dom.js";
import { eventVerb } from "../core/event-types.js";
import { formatCount } from "../core/format.js";
import { formatDateTime } from "../core/time.js";

/** How many reasons and devices are listed. */
const listed = 20;

/**
 * The counts of a report, its events, its devices if it has them, and why records were rejected.
 * @param {object} report the answer of `POST /v1/imports` or an import of `GET /v1/imports/{id}`.
 * @param {boolean} isDry whether nothing is stored yet.
 */
export function importReport(report, isDry) {
  const events = Object.entries(report.events ?? {});
  const devices = report.devices ?? [];
  return element("div", {},
    element("dl.facts", {},
      fact("Format", report.format),
      fact(isDry ? "New" : "Stored", formatCount(report.stored, "location")),
      fact("Duplicates", `${report.duplicates.toLocaleString()} stored already`),
      fact("Ignored", `${formatCount(report.ignored, "record")} without a location`),
      fact("Rejected", formatCount(report.rejected.length, "record")),
      fact("Events", eventText(report, events, isDry))),
    devices.length > 0 && [element("h3", {}, "Devices"), element("ul.lines.import-devices", {},
      devices.slice(0, listed).map((device) => element("li", {}, device.id,
        element("small", {}, `${formatCount(device.locations, "location")}, ${formatDateTime(device.from)} to `,
          formatDateTime(device.to)))), more(devices.length, "device"))],
    report.rejected.length > 0 && [element("h3", {}, "Rejected records"), reasons(report.rejected)]);
}

function eventText(report, events, isDry) {
  if (report.events === undefined) return isDry ? "not computed, because the file is large" : "none";
  if (!events.length) return "none";
  return events.map(([type, count]) => `${count.toLocaleString()} × ${eventVerb(type)}`).join(", ");
}

/** The reasons, each with its number of records and the first of them. */
function reasons(rejected) {
  const groups = new Map();
  for (const record of rejected) {
    const key = `${record.code} ${record.detail}`;
    const group = groups.get(key) ?? { ...record, count: 0, first: [] };
    group.count += 1;
    if (group.first.length < 3) group.first.push(positionOf(record));
    groups.set(key, group);
  }
  return element("ul.lines.import-reasons", {}, [...groups.values()].slice(0, listed).map((group) => element("li", {},
    group.detail, element("small", {}, element("code", {}, group.code), ` ${formatCount(group.count, "record")}: `,
      group.first.join(", "), group.count > group.first.length && " …"))), more(groups.size, "reason"));
}

const positionOf = ({ line, index, pointer }) => {
  if (line !== undefined) return `line ${line}`;
  return index === undefined ? pointer ?? "the file" : `record ${index + 1}`;
};

const more = (count, noun) => count > listed && element("li", {}, `and ${formatCount(count - listed, noun)} more`);
