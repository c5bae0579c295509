import { plural } from "./common.js";

/** The German texts around the tabs: the app bar, signing in, messages over the page. */
export const shell = {
  skipToPanel: "Zur Seitenleiste springen",
  map: "Karte. Die Listen der Seitenleiste haben denselben Inhalt.",
  panel: "Seitenleiste",
  expandPanel: "Seitenleiste vergrößern",
  collapsePanel: "Seitenleiste verkleinern",
  panelWidth: "Breite der Seitenleiste",
  views: "Ansichten",
  earlierEventsFailed: (reason) => `Frühere Ereignisse konnten nicht geladen werden: ${reason}`,
  status: {
    loading: "Wird geladen …",
    loadingDevices: (count) => `Wird geladen, bisher ${plural(count, "Gerät", "Geräte")}`,
    eventsOnly: "Ereignisse sind live, Positionen verzögert",
    live: "Live",
    liveDevices: (count) => `Live, ${plural(count, "Gerät", "Geräte")}`,
    connecting: "Verbindung wird aufgebaut …",
    reconnecting: "Verbindung wird neu aufgebaut …",
    offline: "Offline, wartet auf das Netz",
    off: "Nicht verbunden",
  },
  menu: {
    menu: "Menü",
    more: "Weitere Ansichten",
    theme: "Farben",
    themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
    language: "Sprache",
    browserLanguage: "Die des Browsers",
    units: "Einheiten",
    unitChoices: {
      language: "Die der Sprache des Browsers", metric: "Meter und Kilometer", imperial: "Fuß und Meilen",
    },
    timeZone: (name) => `Alle Zeiten sind in der Zeitzone ${name}.`,
    changeTimeZone: "Unter Zugriff, Dein Konto, lässt sich eine andere wählen.",
    description: "Beschreibung der API (OpenAPI)",
    signOut: "Abmelden",
  },
  signIn: {
    intro: "Geofences und Besuche, live.",
    name: "Name",
    password: "Passwort",
    token: "Zugangstoken",
    tokenHelp: (command, option) => [
      "Das Token beweist, dass der Dienst deiner ist. Ein neuer Dienst gibt einmal eines aus, das mit fp_ beginnt, im "
      + "Terminal oder im Log, in dem er startet. Ein weiteres gibt ", command,
      " im Ordner des Dienstes, oder mit dessen ", option, ". Die Seite behält das Token nur in diesem Tab.",
    ],
    firstUser: "Erster Benutzer",
    firstUserHelp: "Wähle einen Namen und ein Passwort von mindestens 8 Zeichen, dann brauchst du das Token nicht "
      + "mehr. "
      + "Beide Felder können auch leer bleiben.",
    signIn: "Anmelden",
    provider: (name) => `Mit ${name} anmelden`,
    or: "oder",
    administrators: "Passwort eines Verwalters",
    passwordsOff: (provider) => `Passwörter sind hier für dich abgeschaltet. Melde dich mit ${provider} an.`,
    failed: (provider) => `Die Anmeldung mit ${provider} ist fehlgeschlagen. Versuche es noch einmal.`,
    failures: {
      provider_away: (provider) =>
        `${provider} antwortet nicht, wie es sein soll. Versuche es später wieder, oder frage einen Verwalter.`,
      denied: (provider) => `Du hast die Anmeldung abgebrochen, oder ${provider} hat sie abgelehnt.`,
      refused: (provider) =>
        `${provider} kennt dich, aber du darfst dieses Fencepost nicht benutzen. Frage einen Verwalter.`,
      expired: () =>
        "Die Anmeldung hat länger als zehn Minuten gedauert oder in einem anderen Browser begonnen. Versuche es "
        + "noch einmal.",
      invalid_token: (provider) =>
        `Was ${provider} gesendet hat, ist nicht vertrauenswürdig. Frage einen Verwalter: das Log des Dienstes nennt `
        + "den Grund.",
      name_taken: (provider) =>
        `Ein anderer Benutzer hat den Namen, den ${provider} für dich nennt. Frage einen Verwalter.`,
    },
    usePassword: "Mit Name und Passwort anmelden",
    useToken: "Mit einem Zugangstoken anmelden",
    tooManyAttempts: (seconds) => `Zu viele Versuche. Versuche es in ${seconds} s wieder.`,
    noAnswer: "Der Dienst antwortet nicht. Läuft er?",
    cannotRead: "Dem Token fehlt der Umfang „read“.",
  },
};
