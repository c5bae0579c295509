import { plural } from "./common.js";

/** The German texts of the tab Reports. */
export const reports = {
  title: "Berichte",
  device: "Gerät",
  week: "Woche vom",
  timeZone: (name) => `(Zeitzone ${name})`,
  of: "Übersicht, Besuche und Fahrten von",
  ofDevice: "diesem Gerät",
  ofAll: "allen Geräten",
  ofGroup: (tag) => `Gruppe ${tag}`,
  by: "Übersicht nach",
  byChoices: { device: "Gerät", group: "Gruppe", region: "Region", tag: "Tag" },
  period: "und",
  periods: { day: "Tag", week: "Woche", month: "Monat" },
  dayStart: "der Tag beginnt um",
  show: "Zeigen",
  loading: "Wird geladen …",
  empty: {
    title: "Keine Geräte",
    hint: "Berichte zeigen den Verlauf von Geräten. Sende oder importiere zuerst Standorte.",
  },

  lanes: {
    title: "Die Woche",
    span: (start, end) => `${start} bis ${end}`,
    unknown: (span) => `Unbekannt: ${span}`,
    stay: (region, span) => `${region}: ${span}`,
  },
  hours: {
    title: "Zeit in Regionen nach Stunde",
    label: (duration) => `${duration} in Regionen, nach Wochentag und Stunde`,
    hour: (weekday, hour, duration) => `${weekday} ${hour}: ${duration}`,
  },
  distances: { title: "Strecke nach Tag" },

  summary: {
    title: "Übersicht",
    none: "Keine Daten in dieser Woche.",
    table: "Tabelle der Übersicht",
    from: "Ab",
    inside: "Innen",
    visits: "Besuche",
    trips: "Fahrten",
    distance: "Strecke",
    unknown: "Unbekannt",
    total: "Summe",
    search: "In der Übersicht suchen",
    count: (shown, all) => (shown < all ? `Die ersten ${shown} von ${all} Zeilen` : plural(all, "Zeile", "Zeilen")),
    saveAsCSV: "Als CSV speichern",
    saveAsExcel: "Als Excel-Datei speichern",
    saveAsGeoParquet: "Als GeoParquet speichern",
    notLoaded: "Die Datei konnte nicht geladen werden.",
  },

  visits: {
    title: "Besuche",
    none: "Keine Besuche in dieser Woche.",
    heading: (place, device) => [place, device].filter(Boolean).join(" · "),
    visit: ({ arrival, departure, duration }) => {
      if (arrival && departure) return `${arrival} bis ${departure}, ${duration}`;
      if (arrival) return `seit ${arrival}`;
      return departure ? `bis ${departure}` : "seit vor dem ersten Standort";
    },
    first: (shown) => `Das sind die ersten ${shown} Besuche. Die Datei hat alle.`,
  },

  trips: {
    title: "Fahrten",
    none: "Keine Fahrten in dieser Woche.",
    modes: {
      still: "ruhend", walking: "zu Fuß", cycling: "mit dem Rad", driving: "mit dem Auto", rail: "mit dem Zug",
      air: "in der Luft",
    },
    heading: (time, mode, device) => [time, mode, device].filter(Boolean).join(" · "),
    first: (shown, all) => `Das sind die ersten ${shown} von ${all} Fahrten. Die Datei hat alle.`,
    trip: ({ start, end, distance, duration, speed }) =>
      `${start} → ${end}, ${distance} in ${duration}${speed ? `, bis ${speed}` : ""}`,
    leg: ({ mode, distance, duration }) => `${mode} ${distance} in ${duration}`,
    legSeparator: " · ",
  },

  suggestions: {
    title: "Häufige Orte",
    none: "Kein Ort hat in den letzten 92 Tagen drei Besuche oder mehr.",
    facts: ({ visits, duration, hours, radius }) =>
      `${plural(visits, "Besuch", "Besuche")}, ${duration}, ${hours}, Radius ${radius} m`,
    lastMonth: (entries, exits) =>
      `Als Region wäre sie im letzten Monat ${entries}-mal betreten und ${exits}-mal verlassen worden.`,
    name: "Name der Region",
    numbered: (number) => `Ort ${number}`,
    add: "Zur Region machen",
    added: (name) => `Die Region ${name} wurde hinzugefügt.`,
  },
  schedules: {
    title: "Nach Zeitplan gesendet",
    none: "Noch wird kein Bericht gesendet.",
    noEndpoint: "Fügen Sie unter Nachrichten einen Endpunkt für E-Mail, ntfy, Telegram oder Discord hinzu, damit "
      + "Berichte gesendet werden.",
    add: "Per E-Mail senden …",
    name: "Name",
    nameExample: "Fahrzeuge, letzte Woche",
    report: "Bericht",
    reports: { summaries: "Übersicht", trips: "Fahrten", visits: "Besuche" },
    group: "Gruppe",
    allDevices: "alle Geräte",
    device: "Gerät oder Muster",
    frequency: "Wie oft",
    frequencies: { daily: "jeden Tag", weekly: "jede Woche", monthly: "jeden Monat" },
    firstDay: "Am",
    weekdays: {
      monday: "Montag", tuesday: "Dienstag", wednesday: "Mittwoch", thursday: "Donnerstag", friday: "Freitag",
      saturday: "Samstag", sunday: "Sonntag",
    },
    at: "Um",
    zone: "Zeitzone",
    format: "Datei",
    formats: { xlsx: "Excel", csv: "CSV" },
    to: "An",
    endpoint: (name, kind) => `${name} (${kind})`,
    submit: "Speichern",
    added: (name) => `${name} wird gesendet.`,
    send: "Jetzt senden",
    sent: (name) => `${name} ist unterwegs.`,
    pause: "Anhalten",
    resume: "Fortsetzen",
    remove: "Entfernen",
    paused: "Angehalten.",
    next: (time) => `Nächster: ${time}.`,
    titles: { summaries: "Übersicht", trips: "Fahrten", visits: "Besuche" },
    line: ({ report, frequency, firstDay, at, timeZone, to }) => {
      const often = reports.schedules.frequencies[frequency];
      const day = firstDay ? ` am ${reports.schedules.weekdays[firstDay]}` : "";
      return `${reports.schedules.titles[report]} ${often}${day} um ${at} (${timeZone}) an ${to}.`;
    },
  },
};
