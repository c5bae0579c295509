import { plural } from "./common.js";

/** The English texts of the tab Import. */
export const imports = {
  title: "Import",
  hint: "Histories of other programs: GPX, KML, CSV, GeoJSON, NMEA, Google Takeout and Timeline, OwnTracks, Dawarich, "
    + "GeoPulse, also in archives. Nothing is stored before you start the import.",
  chooseFile: "Choose a file, or drop it here",
  device: "Device of records that name none",
  format: "Format",
  detectFormat: "detect it",

  preview: {
    label: "The file",
    reading: (file) => `Reading ${file} …`,
    noLocation: "The file has no location that can be stored.",
    start: "Start the import",
    discard: "Discard",
    importing: (file) => `Importing ${file} …`,
    inBackground: (file) => `${file} is imported in the background.`,
    imported: (file) => `${file} was imported`,
    failed: (file) => `${file} cannot be imported`,
  },

  jobs: {
    label: "Imports",
    needsScope: "Imports need a token with the scope ingest.",
    title: "Imports in the background",
    /** An import whose file has no name. */
    aFile: "A file",
    states: {
      storing: "Storing locations",
      paused: "Paused: the storage cannot write. It goes on when there is space",
      evaluating: "Evaluating the history",
      done: "Done",
      cancelled: "Cancelled",
    },
    progress: (file) => `Progress of ${file ?? "the file"}`,
    report: "Report",
    cancelled: (file) => `The import of ${file ?? "the file"} was cancelled. What it has stored stays.`,
  },

  report: {
    format: "Format",
    new: "New",
    stored: "Stored",
    locations: (count) => plural(count, "location"),
    duplicates: "Duplicates",
    storedAlready: (count) => `${count.toLocaleString("en")} stored already`,
    repeated: (count) => `${count.toLocaleString("en")} twice in the file`,
    /** Of an import that is over, it is not known which of the two they were. */
    storedOrRepeated: (count) => count ? `${count.toLocaleString("en")}, stored already or twice in the file` : "none",
    retracted: (count) => count === 1 ? "1 event that is stored turns out to be wrong and is retracted"
      : `${count.toLocaleString("en")} events that are stored turn out to be wrong and are retracted`,
    ignored: "Ignored",
    withoutLocation: (count) => `${plural(count, "record")} without a location`,
    rejected: "Rejected",
    records: (count) => plural(count, "record"),
    events: "Events",
    noEvents: "none",
    eventsNotComputed: "not computed, because the file is large",
    devices: "Devices",
    deviceLocations: (count, from, to) => `${plural(count, "location")}, ${from} to ${to}`,
    moreDevices: (count) => `and ${plural(count, "device")} more`,
    rejectedRecords: "Rejected records",
    /** A reason by its code, and where its first records are. */
    reason: (code, count, positions) => [code, ` ${plural(count, "record")}: `, positions],
    moreReasons: (count) => `and ${plural(count, "reason")} more`,
    line: (number) => `line ${number}`,
    record: (number) => `record ${number}`,
    theFile: "the file",
  },
};
