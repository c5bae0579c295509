import { plural } from "./common.js";

/** The German texts of the view Apps, and of the decisions on events. */
export const apps = {
  title: "Apps",
  heading: "Simulierte Apps",
  intro: "Simuliert iOS für eine App auf diesen Geräten: ob die App jedes Ereignis bekäme, ob iOS sie starten würde, "
    + "wenn sie beendet ist, und welche Regel das entscheidet.",
  loading: "Apps werden geladen …",
  empty: {
    title: "Keine simulierten Apps",
    hint: "Füge eine App hinzu, die das System beendet hat, und lass dann ein Gerät in eine Region gehen. Die Karte "
      + "zeigt, "
      + "ob iOS die App starten würde.",
  },

  form: {
    title: "App hinzufügen",
    name: "Name",
    nameExample: "Kurier",
    devices: "Geräte",
    devicesHint: "mehrere, oder ein Muster wie van-*",
    everyDevice: "jedes Gerät",
    state: "Zustand der App",
    states: {
      "terminated/system": "vom System beendet", "terminated/user": "vom Benutzer beendet",
      suspended: "angehalten", foreground: "im Vordergrund",
    },
    permission: "Standortfreigabe",
    permissions: {
      always: "Immer", whenInUse: "Beim Verwenden der App", provisionalAlways: "Vorläufig immer", denied: "Nie",
    },
    version: "iOS-Version",
    services: "Ortungsdienste",
    regions: "Regionen",
    visits: "Besuche",
    significant: "wesentliche Ortswechsel",
    conditions: "Bedingungen (CLMonitor)",
    beacons: "Beacon-Regionen",
    beaconConditions: "Beacon-Bedingungen (CLMonitor)",
    session: "hält eine Dienstsitzung für „Immer“",
    sessionHint: "Ab iOS 18 brauchen Bedingungen sie im Hintergrund. Kein Standort meldet ein Beacon: die Karte hat "
      + "Aktionen dafür.",
    submit: "App hinzufügen",
  },

  card: {
    label: (name) => `App ${name}`,
    remove: "Entfernen",
    removed: (name) => `${name} wurde entfernt.`,
    undo: "Rückgängig",
    app: "App",
    granted: "Erlaubt",
    reported: (permission) => `≠ der App gemeldet: „${permission}“`,
    accuracy: "Genauigkeit",
    uses: "Benutzt",
    noService: "keinen Ortungsdienst",
    platform: "Plattform",
    platformNote: (devices, steps, id) => `Geräte ${devices}, ${plural(steps, "Schritt", "Schritte")}, Kennung ${id}`,
    actions: "Aktionen",
    actionsOn: (name) => `Aktionen für ${name}`,
    settings: "In den Einstellungen",
    settingsOf: (name) => `Einstellungen für ${name} ändern`,
    set: "Setzen",
    settingsStep: (setting) => `Einstellungen: ${setting}`,
    stepEffects: (step, effects) => `${step}: ${effects}`,
    stepEffect: (step, effect) => [step, ": ", effect],
    noEffect: "keine Wirkung",
    rules: "Regeln",
    decisions: "Entscheidungen",
    loadingDecisions: "Entscheidungen werden geladen …",
    noDecisions: "Noch keine Entscheidungen.",
    showMore: "Mehr zeigen",
  },

  events: {
    enter: (device, region) => `${device} hat ${region} betreten`,
    exit: (device, region) => `${device} hat ${region} verlassen`,
    arrival: (device, region) => `${device} ist angekommen ${region}`,
    departure: (device, region) => `${device} ist aufgebrochen ${region}`,
    significantChange: (device, region) => `${device} hat sich wesentlich bewegt ${region}`,
  },
  otherEvent: (device, kind, region) => `${device} ${kind} ${region}`,

  decision: {
    app: "App",
    startsInForeground: "startet die App",
    startsInBackground: "startet die App im Hintergrund",
    wakes: "weckt die App",
    later: (outcome) => `später ${outcome}`,
    settled: "entschieden",
    because: (service, reason) => `${service}: ${reason}`,
    howSure: (words) => `Wie sicher: ${words}`,
    uncertain: (warnings) => `Unsicher: ${warnings}`,
    decidedBy: (rule, others) => ["Entschieden von ", rule, others > 0 && ` und ${others} weiteren`],
    readingRules: "Die Regeln werden gelesen …",
    unknownRule: "Diese Regel ist nicht bekannt.",
  },

  outcomesTitle: "Ergebnisse",
  outcomes: {
    delivered: "zugestellt", queued: "eingereiht", held: "zurückgehalten", dropped: "verworfen",
    notMonitored: "nicht überwacht", lost: "verloren",
  },
  outcomeMeanings: {
    delivered: "die App bekommt es",
    queued: "wartet, bis die App wieder läuft",
    held: "wartet auf die Antwort des Benutzers auf die zweite Frage",
    dropped: "erreicht die App nie",
    notMonitored: "der Dienst erzeugt jetzt nichts",
    lost: "die App läuft, aber nichts in ihr nimmt das Ereignis",
  },

  services: {
    standardUpdates: "Standardortung", requestLocation: "Ein Standort", significantChange: "Wesentliche Ortswechsel",
    visits: "Besuche", regionCircular: "Regionen", regionBeacon: "Beacon-Regionen",
    beaconRanging: "Beacon-Entfernung", heading: "Kompass", clMonitorCircular: "Bedingungen",
    clMonitorBeacon: "Beacon-Bedingungen", liveUpdates: "Live-Ortung", locationPush: "Standort-Push",
    locationNotification: "Standort-Mitteilung",
  },
  grants: {
    notDetermined: "nicht entschieden", restricted: "eingeschränkt", denied: "abgelehnt",
    whenInUse: "beim Verwenden", temporaryWhenInUse: "beim Verwenden, einmal", provisionalAlways: "vorläufig immer",
    always: "immer",
  },
  lifecycles: {
    foreground: "im Vordergrund", backgroundGrace: "im Hintergrund, noch nicht angehalten",
    backgroundRunning: "läuft im Hintergrund", suspended: "angehalten", terminated: "beendet",
  },
  terminations: {
    system: "vom System beendet", user: "vom Benutzer beendet", crash: "abgestürzt",
    reboot: "durch einen Neustart beendet", neverLaunched: "nie gestartet",
  },
  accuracies: { full: "voll", reduced: "verringert", temporaryFull: "voll, vorübergehend" },

  actions: {
    open: { label: "Öffnen", hint: "Der Benutzer tippt auf das Symbol der App." },
    home: { label: "Zum Home-Bildschirm", hint: "Die App geht in den Hintergrund." },
    wait: { label: "1 Minute warten", hint: "iOS hält eine App im Hintergrund in dieser Zeit an." },
    terminate: {
      label: "System beendet", hint: "iOS braucht Speicher. Es kann die App für ein Ereignis wieder starten.",
    },
    quit: { label: "Beenden", hint: "Der Benutzer wischt die App im App-Umschalter weg." },
    crash: { label: "Absturz", hint: "Die App stürzt ab." },
    reboot: { label: "Neustart", hint: "Das Gerät startet neu und ist noch gesperrt." },
    unlock: { label: "Entsperren", hint: "Das erste Entsperren nach einem Neustart." },
    beaconNear: { label: "Beacon nah", hint: "Ein Beacon, das die App überwacht, kommt nahe." },
    beaconGone: { label: "Beacon weg", hint: "Das Beacon ist nicht mehr nah." },
  },
  settings: {
    never: "Nie", askNextTime: "Nächstes Mal fragen", whileUsing: "Beim Verwenden der App", always: "Immer",
    preciseOn: "Genauer Standort ein", preciseOff: "Genauer Standort aus", locationServicesOff: "Ortungsdienste aus",
    locationServicesOn: "Ortungsdienste ein", resetLocationAndPrivacy: "Standort & Datenschutz zurücksetzen",
  },
};
