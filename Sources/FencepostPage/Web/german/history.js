import { number, plural } from "./common.js";

/** The German texts of the tab History. */
export const history = {
  title: "Verlauf",

  form: {
    title: "Verlauf eines Geräts",
    device: "Gerät",
    devicePlaceholder: "person/gerät",
    day: (zone) => ["Tag ", zone],
    timeZone: (name) => `(Zeitzone ${name})`,
    previous: "Zurück",
    next: "Weiter",
    numberOfDays: "Zahl der Tage",
    lengths: { 1: "ein Tag", 3: "3 Tage", 7: "7 Tage", 14: "14 Tage", 31: "31 Tage" },
    show: "Zeigen",
  },

  loading: "Wird geladen …",
  noData: "Keine Daten für diese Zeit",
  noDataHint: (device) => `Der Dienst hat für diese Tage keine Daten von ${device}.`,
  selectDevice: "Wähle ein Gerät",
  selectDeviceHint: "Die Liste zeigt seine Aufenthalte und Wege, die Karte seine Spur, die Zeitleiste seine Positionen "
    + "und Ereignisse. Die Karte eines Geräts in „Live“ hat einen Link auf seinen Verlauf.",
  unknownDevice: "Kein solches Gerät",
  unknownDeviceHint: (device) => `Der Dienst kennt kein Gerät „${device}“.`,
  didYouMean: (devices) => ["Meintest du ", devices, "?"],

  summary: (fixes) => `${plural(fixes, "Position", "Positionen")} in dieser Zeit.`,
  notAll: "Nicht alle Daten werden gezeigt. Wähle weniger Tage.",
  events: "Ereignisse",
  allEvents: (count) => `Alle Ereignisse (${number(count)})`,
  noEvents: "Keine Ereignisse in dieser Zeit.",
  noExplanation: "Zu diesem Ereignis ist keine Erklärung gespeichert.",
  span: (from, to) => `${from} bis ${to}`,

  namesOfKinds: { home: "Zuhause", work: "Arbeit" },

  diary: {
    label: "Aufenthalte und Wege",
    until: (to) => `bis ${to}`,
    since: (from) => `seit ${from}`,
    allTheTime: "den ganzen Tag",
    lastHeard: (from, to) => `seit ${from}, zuletzt gemeldet ${to}`,
    unnamed: "Ein Ort ohne Namen",
    inside: (regions) => `in ${regions}`,
    near: (position) => `nahe ${position}`,
    arrived: (between) => `Angekommen ${between}`,
    left: (between) => `Aufgebrochen ${between}`,
    legs: {
      still: (distance) => `Wenig bewegt, ${distance}`,
      walking: (distance) => `${distance} gegangen`,
      cycling: (distance) => `${distance} Rad gefahren`,
      driving: (distance) => `${distance} gefahren`,
      rail: (distance) => `${distance} mit dem Zug`,
      air: (distance) => `${distance} geflogen`,
    },
    otherLeg: (distance, mode) => `${mode} ${distance}`,
    probably: (leg) => `${leg}, vermutlich`,
    unknown: "Keine Daten",
    rest: "Weder Aufenthalt noch Weg",
    by: {
      still: "wenig bewegt", walking: "zu Fuß", cycling: "mit dem Rad", driving: "mit dem Auto", rail: "mit dem Zug",
      air: "in der Luft",
    },
    total: {
      stays: (count, duration) => `${duration} an ${plural(count, "Ort", "Orten")}`,
      mode: (distance, mode) => `${distance} ${mode}`,
      moved: (distances, duration) => `${distances.join(", ")} in ${duration}`,
      unknown: (duration) => `${duration} keine Daten`,
      separator: " · ",
    },
  },

  naming: {
    name: "Name dieses Ortes",
    save: "Speichern",
    hint: "Der Name wird eine Region: alle Aufenthalte hier bekommen ihn, und von nun an sind Betreten und Verlassen "
      + "Ereignisse.",
    saved: (name) => `Der Ort heißt jetzt ${name}.`,
  },

  correction: {
    title: "Diesen Aufenthalt berichtigen",
    name: "Was es war",
    region: "Ort, falls es ein anderer war",
    from: "Von",
    to: "Bis",
    save: "Berichtigung speichern",
    join: "Mit dem nächsten Aufenthalt verbinden",
    none: "Es war kein Aufenthalt",
    takeBack: "Berichtigung zurücknehmen",
    hint: "Verlauf, Wege und Berichte zeigen es von nun an so. Positionen und Ereignisse bleiben, wie sie sind. Mit "
      + "einer kürzeren Zeit bleibt der Rest ein eigener Aufenthalt.",
    saved: "Der Aufenthalt ist berichtigt.",
    joined: "Die Aufenthalte sind jetzt einer.",
    removed: "Der Aufenthalt ist entfernt.",
    undo: "Rückgängig",
  },

  player: {
    label: "Wiedergabe",
    previousEvent: "Voriges Ereignis",
    play: "Abspielen",
    pause: "Anhalten",
    nextEvent: "Nächstes Ereignis",
    speed: "Geschwindigkeit der Wiedergabe",
    realTime: "Echtzeit",
    time: "Zeit der Wiedergabe",
    inRegions: (regions) => `in ${regions}`,
    inNoRegion: "in keiner Region",
    noPosition: (where) => `${where}, noch keine Position`,
    lastPosition: (duration) => `letzte Position ${duration} vorher`,
  },

  zoom: {
    label: "Ausschnitt der Zeitleiste",
    earlier: "Früher",
    later: "Später",
    out: "Verkleinern",
    in: "Vergrößern",
    showAll: "Alles zeigen",
  },

  timeline: {
    label: "Zeitleiste",
    time: "Zeit",
    fixes: "Positionen",
    unknown: (from, to) => `Unbekannt: ${from} bis ${to}`,
    fixesInPeriod: (count) => `${plural(count, "Position", "Positionen")} in dieser Zeit`,
    fixesAt: (time, count) => `${time}: ${plural(count, "Position", "Positionen")}`,
    otherRegions: "Andere Regionen",
    stay: (region, from, to, duration) => `${region}: ${from} bis ${to}, ${duration}`,
    earlierDay: "einem früheren Tag",
    laterDay: "einem späteren Tag",
    lastHeard: (end) => `${end}, als es sich zuletzt meldete`,
    visits: "Besuche",
    visit: (number, where) => `Besuch ${number}: ${where}`,
    visitUnknownArrival: (number, where) => `Besuch ${number}: ${where}, Ankunft unbekannt`,
    outsideRegions: "außerhalb von Regionen",
    events: "Ereignisse",
  },
};
