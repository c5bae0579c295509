// The names that imported files give to places: the service keeps them with the stays that the files state.

import { getAll } from "../core/api.js";
import { distance } from "../core/geo.js";
import { text } from "../text/text.js";

/** Names from so many milliseconds before and after a history are used too: 31 days. */
const nearTime = 31 * 86_400_000;
const maximumReports = 2000;
/** Metres: a stay there at the same time is the same one, and a place that is nearer has the same name. */
const [sameStay, nearestName] = [300, 100];

/** What Google calls places that it has no name for; the prefixes are those of older files. */
const kinds = /^(?:TYPE_|INFERRED_)?(HOME|WORK|UNKNOWN|SEARCHED_ADDRESS|ALIASED_LOCATION)$|^Type_/i;

/**
 * The name of a place as a file has it: words for home and work are those of the page, and what is no name is null.
 * @param {string | undefined} name
 */
export function readableName(name) {
  if (!name?.trim()) return null;
  const [isKind, kind] = kinds.exec(name.trim()) ?? [];
  if (!isKind) return name.trim();
  return text.history.namesOfKinds[(kind ?? "").toLowerCase()] ?? null;
}

/**
 * The name of a stay by what files state: of a stay there at the same time, or else of the nearest place.
 * @param {any} position the visit, with latitude and longitude.
 * @param {{from: number, to: number}} span
 * @param {any[]} reports `/v1/reports` of the kind `visit`.
 * @returns {string | null}
 */
export function statedNameOf({ latitude, longitude }, { from, to }, reports) {
  let best = { name: null, overlap: 0, meters: nearestName };
  for (const report of reports) {
    const name = readableName(report.name);
    if (name === null || report.latitude === undefined) continue;
    const meters = distance([longitude, latitude], [report.longitude, report.latitude]);
    if (meters > sameStay) continue;
    const overlap = Math.max(0, Math.min(to, Date.parse(report.departure ?? report.timestamp))
      - Math.max(from, Date.parse(report.arrival ?? report.timestamp)));
    const isBetter = overlap === best.overlap ? meters <= best.meters : overlap > best.overlap;
    if (isBetter) best = { name, overlap, meters };
  }
  return best.name;
}

/** The stays around a period that files of a device state; none, if they cannot be read. */
export function readStatedStays(device, from, to, { signal }) {
  const [earliest, latest] = [new Date(from - nearTime), new Date(to + nearTime)].map((time) => time.toISOString());
  const query = { deviceId: device, kind: "visit", from: earliest, to: latest };
  return getAll("/v1/reports", query, { limit: maximumReports, signal }).catch((problem) => {
    if (problem.name === "AbortError") throw problem;
    return [];
  });
}
