import { urlOf } from "../core/api.js";
import { element } from "../core/dom.js";
import { download } from "../core/download.js";
import { formatDistance, formatSpeed } from "../core/format.js";
import { profiles } from "../core/profiles.js";
import { session } from "../core/session.js";
import { formatDuration, formatHourMinute, formatTime, localDate } from "../core/time.js";
import { isImperial } from "../core/units.js";
import { timeZone } from "../core/zone.js";
import { toast } from "../shell/toasts.js";
import { text } from "../text/text.js";

const { summary: texts, trips: tripTexts, visits: visitTexts } = text.reports;

/**
 * Buttons that save a report as CSV, as an Excel workbook, and as GeoParquet where it has rows with a place.
 * @param {string} [kind] the rows of an export; none for summaries.
 */
export const saveButtons = (path, query, name, kind) => element("div.row", {},
  Object.entries({ csv: texts.saveAsCSV, xlsx: texts.saveAsExcel }).map(([format, label]) => element("button", {
    type: "button", onClick: () => save(path, { ...query, ...wording(path, format), format }, `${name}.${format}`),
  }, label)),
  kind && element("button", {
    type: "button",
    onClick: () => save("/v1/exports", { ...query, kind, format: "geoparquet" }, `${name}.parquet`),
  }, texts.saveAsGeoParquet));

/**
 * What a workbook takes from the page: the units, which visits have none of, and the zone, which summaries have in any
 * format.
 */
const wording = (path, format) => (format === "csv" ? {} : {
  ...(path !== "/v1/visits" && { units: isImperial() ? "imperial" : "metric" }),
  ...(path !== "/v1/summaries" && { timeZone }),
});

/** The most trips and visits that are shown: a fleet has thousands in a week, and the file has them all. */
const shownTrips = 200;
export const shownVisits = 200;

/**
 * The first visits of a week, with their device where the query names no single one, and buttons to save them all.
 * @param {{ data: object[], nextCursor: string|null }} page the first page of `shownVisits`.
 */
export function visitList({ data, nextCursor }, query, nameOf) {
  if (!data.length) return element("p.hint", {}, visitTexts.none);
  const end = ({ arrival, departure }) => {
    if (!departure) return null;
    const isOneDay = arrival && localDate(Date.parse(arrival)) === localDate(Date.parse(departure));
    return isOneDay ? formatHourMinute(Date.parse(departure)) : formatTime(departure);
  };
  const duration = ({ arrival, departure }) => (arrival && departure
    ? formatDuration((Date.parse(departure) - Date.parse(arrival)) / 1000) : null);
  const where = ({ regions, latitude, longitude }) => regions.map(nameOf).join(", ")
    || `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`;
  const list = element("ol.lines", {}, data.map((visit) => element("li", {},
    element("strong", {}, visitTexts.heading(where(visit), query.deviceId ? null : profiles.labelOf(visit.deviceId))),
    element("small", {}, visitTexts.visit({
      arrival: visit.arrival && formatTime(visit.arrival), departure: end(visit), duration: duration(visit),
    })))));
  return element("div", {}, list, nextCursor && element("p.hint", {}, visitTexts.first(data.length)),
    saveButtons("/v1/visits", query, "visits", "visits"));
}

/** The trips of a week, with their device where the query names no single one, and buttons to save them all. */
export function tripTable(trips, query, nameOf) {
  if (!trips.length) return element("p.hint", {}, tripTexts.none);
  const names = (end) => end.regions.map(nameOf).join(", ") || "…";
  const list = element("ol.lines.trip-list", {}, trips.slice(0, shownTrips).map((trip) => element("li", {},
    element("strong", {}, tripTexts.heading(formatTime(trip.start.time), tripTexts.modes[trip.mode] ?? trip.mode,
      query.deviceId ? null : profiles.labelOf(trip.deviceId))),
    element("small", {}, tripTexts.trip({
      start: names(trip.start), end: names(trip.end), distance: formatDistance(trip.distance),
      duration: formatDuration(trip.duration), speed: trip.topSpeed ? formatSpeed(trip.topSpeed) : null,
    })),
    trip.legs.length > 1 && element("small.trip-legs", {}, trip.legs.map((leg) => tripTexts.leg({
      mode: tripTexts.modes[leg.mode] ?? leg.mode, distance: formatDistance(leg.distance),
      duration: formatDuration(leg.duration),
    })).join(tripTexts.legSeparator)))));
  return element("div", {}, list,
    trips.length > shownTrips && element("p.hint", {}, tripTexts.first(shownTrips, trips.length)),
    saveButtons("/v1/trips", query, "trips", "trips"));
}

/** Saves the answer of a route as a file. Links cannot send the token. */
async function save(path, query, name) {
  const url = urlOf(path);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  const token = session.token.value;
  const response = await fetch(url, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  if (!response.ok) {
    // Such as that of a file that would be too large.
    const problem = await response.json().catch(() => null);
    toast(problem?.detail ?? texts.notLoaded, { tone: "bad" });
    return;
  }
  download(name, await response.blob());
}
