// What a file contains and what an import did, as lists.

import { element, fact } from "../core/dom.js";
import { eventVerb } from "../core/event-types.js";
import { formatDateTime } from "../core/time.js";
import { locale } from "../text/choice.js";
import { text } from "../text/text.js";

const texts = text.imports.report;

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
      fact(texts.format, report.format),
      fact(isDry ? texts.new : texts.stored, texts.locations(report.stored)),
      fact(texts.duplicates, duplicateText(report)),
      fact(texts.ignored, texts.withoutLocation(report.ignored)),
      fact(texts.rejected, texts.records(report.rejected.length)),
      fact(texts.events, eventText(report, events, isDry))),
    devices.length > 0 && [element("h3", {}, texts.devices), element("ul.lines.import-devices", {},
      devices.slice(0, listed).map((device) => element("li", {}, device.id,
        element("small", {}, texts.deviceLocations(
          device.locations, formatDateTime(device.from), formatDateTime(device.to))))),
      more(devices.length, texts.moreDevices))],
    report.rejected.length > 0 && [element("h3", {}, texts.rejectedRecords), reasons(report.rejected)]);
}

/** What is known of duplicates: a preview has those of the file apart. */
function duplicateText({ duplicates, repeated }) {
  if (repeated === undefined) return texts.storedOrRepeated(duplicates);
  const parts = [texts.storedAlready(duplicates - repeated), repeated > 0 && texts.repeated(repeated)];
  return parts.filter(Boolean).join(", ");
}

function eventText(report, events, isDry) {
  if (report.events === undefined) return isDry ? texts.eventsNotComputed : texts.noEvents;
  if (!events.length) return texts.noEvents;
  return events.map(([type, count]) => type === "event.retracted" ? texts.retracted(count)
    : `${count.toLocaleString(locale)} × ${eventVerb(type)}`).join(", ");
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
  const positionsOf = ({ first, count }) => `${first.join(", ")}${count > first.length ? " …" : ""}`;
  return element("ul.lines.import-reasons", {}, [...groups.values()].slice(0, listed).map((group) => element("li", {},
    group.detail, element("small", {},
      texts.reason(element("code", {}, group.code), group.count, positionsOf(group))))),
  more(groups.size, texts.moreReasons));
}

const positionOf = ({ line, index, pointer }) => {
  if (line !== undefined) return texts.line(line);
  return index === undefined ? pointer ?? texts.theFile : texts.record(index + 1);
};

/** The last item of a list, with the number of those that are left out in the words of `moreOf`. */
const more = (count, moreOf) => count > listed && element("li", {}, moreOf(count - listed));
