import { plural } from "./common.js";

const joined = (names) => (names.length < 3 ? names.join(" und ")
  : `${names.slice(0, -1).join(", ")} und ${names.at(-1)}`);
const upper = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
const holding = (duration) => (duration ? ` für ${duration}` : "");
const inside = (region) => (region ? ` in ${region}` : "");

/** The German texts of the view Alerts. */
export const alerts = {
  title: "Alarme",
  heading: "Alarme",
  intro: "Eine Regel beobachtet Geräte und meldet, wann ihre Bedingung beginnt und endet, unter Live und in "
    + "Nachrichten.",
  loading: "Regeln werden geladen …",
  empty: {
    title: "Keine Regeln",
    hint: "Fügen Sie eine Regel hinzu, etwa eine für Geräte, die zu schnell fahren oder wenig Akku haben. Unter "
      + "Nachrichten steht, wohin ihre Alarme gesendet werden.",
  },

  everyDevice: "jedes Gerät",
  devices: joined,
  group: (tag) => `Gruppe ${tag}`,
  noDevice: "kein Gerät",
  sentences: {
    speed: ({ who, above, duration, region }) =>
      upper(`${who} schneller als ${above}${holding(duration)}${inside(region)}`),
    battery: ({ who, below, duration, region }) =>
      upper(`${who} mit einem Akkustand von ${below} oder weniger${holding(duration)}${inside(region)}`),
    accuracy: ({ who, above, duration, region }) =>
      upper(`${who} ungenauer als ${above}${holding(duration)}${inside(region)}`),
    jump: ({ who, above }) => upper(`${who} springt, als wäre es schneller als ${above}`),
    unplugged: ({ who, duration, region }) =>
      upper(`${who} ohne äußere Stromversorgung${holding(duration)}${inside(region)}`),
    absent: ({ who, time, days, region, zone }) => upper(`${who} um ${time} nicht in ${region}${days}, ${zone}`),
    present: ({ who, time, days, region, zone }) => upper(`${who} um ${time} noch in ${region}${days}, ${zone}`),
    silent: ({ who, above, duration }) => upper(above ? `${who} meldet sich seit mehr als ${above} nicht`
      : `${who} meldet sich länger nicht als gewöhnlich${duration ? `, mindestens ${duration}` : ""}`),
  },
  days: (days) => ` (${days})`,

  now: {
    title: "Alarme jetzt",
    none: "Jetzt hat kein Gerät einen Alarm.",
    since: (age) => `begann ${age}`,
    speedLimit: (region) => `Höchstgeschwindigkeit von ${region}`,
    more: (count) => `und ${plural(count, "weiteres Gerät", "weitere Geräte")}`,
  },

  card: {
    label: (sentence) => `Regel: ${sentence}`,
    configured: "in der Konfigurationsdatei",
    configuredHint: "Diese Regel steht in monitor.alerts der Konfiguration. Ändern Sie sie dort, und starten Sie den "
      + "Dienst neu.",
    change: "Ändern",
    remove: "Entfernen",
    removed: (sentence) => `Entfernt: ${sentence}.`,
    undo: "Rückgängig",
    alerting: (count) => `${plural(count, "Gerät", "Geräte")} jetzt`,
  },

  pairs: {
    title: "Wer ist bei wem",
    intro: "Eine Regel meldet einmal, dass zwei Geräte einander nahe kommen, und einmal, dass sie sich trennen. "
      + "Beide Positionen werden zu einer Zeit verglichen, mit ihren Genauigkeiten.",
    add: "Geräte darauf beobachten, ob sie beieinander sind",
    sentence: (who, others, distance) => upper(others ? `${who} höchstens ${distance} entfernt von ${others}`
      : `${who} höchstens ${distance} voneinander entfernt`),
    dwells: (duration) => `auch nach ${duration}`,
    leaves: "auch wenn eines das andere verlässt",
    distance: (unit) => `Beieinander bis (${unit})`,
    others: "Verglichen mit",
    othersHint: "leer für untereinander",
    eachOther: "untereinander",
    otherGroups: "Gruppen, mit denen verglichen wird",
    dwell: "Auch melden nach (Minuten)",
    never: "nie",
    unaccompanied: "Melden, dass eines geht und das andere bleibt",
    hours: "Zeiten",
    hoursHint: "etwa Mon-Fri 08:00-18:00; leer für immer",
    always: "immer",
    added: "Die Regel gilt von der nächsten Position jedes Paares an.",
    configuredHint: "Diese Regel steht in monitor.proximity der Konfiguration. Ändern Sie sie dort, und starten Sie "
      + "den Dienst neu.",
  },

  form: {
    title: "Regel hinzufügen",
    changing: (sentence) => `Ändern: ${sentence}`,
    type: "Melden, wenn ein Gerät",
    types: {
      speed: "zu schnell ist", battery: "wenig Akku hat", silent: "sich nicht meldet", absent: "zu einer Zeit fehlt",
      present: "zu einer Zeit noch da ist", accuracy: "eine ungenaue Position hat", unplugged: "ohne Strom ist",
      jump: "springt",
    },
    speed: (unit) => `Schneller als (${unit})`,
    battery: "Stand höchstens (%)",
    accuracy: (unit) => `Ungenauer als (${unit})`,
    silent: "Ohne Meldung seit mehr als (Minuten)",
    silentHint: "leer für das, was für das Gerät ungewöhnlich ist",
    hold: "Mindestens (Sekunden)",
    usual: "wie üblich",
    region: "Region",
    regionOptional: "nur solange das Gerät darin ist",
    everywhere: "überall",
    by: "Bis",
    at: "Um",
    days: "Tage",
    dayChoices: { "": "jeden Tag", "Mon-Fri": "Montag bis Freitag", "Sat,Sun": "Samstag und Sonntag" },
    zone: "Zeitzone",
    devices: "Geräte",
    devicesHint: "mehrere, oder ein Muster wie van-*",
    everyDevice: "jedes Gerät",
    groups: "Gruppen",
    groupsHint: "ihre Geräte, auch solche, die später dazukommen",
    noGroup: "keine",
    submit: "Regel hinzufügen",
    save: "Speichern",
    cancel: "Abbrechen",
    added: "Die Regel gilt von der nächsten Position jedes Geräts an.",
  },
};
