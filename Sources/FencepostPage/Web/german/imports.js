import { number, plural } from "./common.js";

/** The German texts of the tab Import. */
export const imports = {
  title: "Import",
  hint: "Verläufe anderer Programme: GPX, KML, CSV, GeoJSON, NMEA, Google Takeout und Timeline, OwnTracks, Dawarich, "
    + "GeoPulse, auch in Archiven. Nichts wird gespeichert, bevor du den Import startest.",
  chooseFile: "Wähle eine Datei, oder zieh sie hierher",
  device: "Gerät der Einträge, die keines nennen",
  format: "Format",
  detectFormat: "erkennen",

  preview: {
    label: "Die Datei",
    reading: (file) => `${file} wird gelesen …`,
    noLocation: "Die Datei hat keinen Standort, der gespeichert werden kann.",
    start: "Import starten",
    discard: "Verwerfen",
    importing: (file) => `${file} wird importiert …`,
    inBackground: (file) => `${file} wird im Hintergrund importiert.`,
    imported: (file) => `${file} wurde importiert`,
    failed: (file) => `${file} kann nicht importiert werden`,
  },

  jobs: {
    label: "Importe",
    needsScope: "Importe brauchen ein Token mit dem Umfang ingest.",
    title: "Importe im Hintergrund",
    aFile: "Eine Datei",
    states: {
      storing: "Standorte werden gespeichert",
      paused: "Angehalten: der Speicher kann nicht schreiben. Es geht weiter, wenn Platz ist",
      evaluating: "Der Verlauf wird ausgewertet",
      done: "Fertig",
      cancelled: "Abgebrochen",
    },
    progress: (file) => `Fortschritt von ${file ?? "der Datei"}`,
    report: "Bericht",
    cancelled: (file) => `Der Import von ${file ?? "der Datei"} wurde abgebrochen. Was er gespeichert hat, bleibt.`,
  },

  report: {
    format: "Format",
    new: "Neu",
    stored: "Gespeichert",
    locations: (count) => plural(count, "Standort", "Standorte"),
    duplicates: "Doppelte",
    storedAlready: (count) => `${number(count)} schon gespeichert`,
    repeated: (count) => `${number(count)} zweimal in der Datei`,
    storedOrRepeated: (count) => count ? `${number(count)}, schon gespeichert oder zweimal in der Datei` : "keine",
    retracted: (count) => count === 1 ? "1 gespeichertes Ereignis erweist sich als falsch und wird zurückgenommen"
      : `${number(count)} gespeicherte Ereignisse erweisen sich als falsch und werden zurückgenommen`,
    ignored: "Übergangen",
    withoutLocation: (count) => `${plural(count, "Eintrag", "Einträge")} ohne Standort`,
    rejected: "Abgelehnt",
    records: (count) => plural(count, "Eintrag", "Einträge"),
    events: "Ereignisse",
    noEvents: "keine",
    eventsNotComputed: "nicht berechnet, weil die Datei groß ist",
    devices: "Geräte",
    deviceLocations: (count, from, to) => `${plural(count, "Standort", "Standorte")}, ${from} bis ${to}`,
    moreDevices: (count) => `und ${plural(count, "weiteres Gerät", "weitere Geräte")}`,
    rejectedRecords: "Abgelehnte Einträge",
    reason: (code, count, positions) => [code, ` ${plural(count, "Eintrag", "Einträge")}: `, positions],
    moreReasons: (count) => `und ${plural(count, "weiterer Grund", "weitere Gründe")}`,
    line: (number) => `Zeile ${number}`,
    record: (number) => `Eintrag ${number}`,
    theFile: "die Datei",
  },
};
