import { plural } from "./common.js";

/** The German texts of the view Messages, and of the messages of an event. */
export const webhooks = {
  title: "Nachrichten",
  heading: "Endpunkte",
  loading: "Endpunkte werden geladen …",
  empty: {
    title: "Keine Endpunkte",
    hint: "Ein Endpunkt sendet Ereignisse als signierte Webhooks an ein Programm, oder als Nachrichten an Menschen: "
      + "ntfy, "
      + "Telegram, E-Mail und andere. Was fehlschlägt, wird wieder versucht.",
  },
  milliseconds: (number) => `${number} ms`,

  form: {
    title: "Endpunkt hinzufügen",
    kind: "Art",
    description: "Beschreibung",
    descriptionExample: "Leitstelle",
    devices: "Geräte",
    devicesHint: "mehrere, oder ein Muster wie van-*",
    everyDevice: "jedes Gerät",
    regions: "Regionen",
    regionsHint: "mehrere, oder ein Muster wie depot-*",
    everyRegion: "jede Region",
    events: "Arten von Ereignissen",
    types: {
      "region.*": "Betreten, Verlassen und Bleiben", "visit.*": "Besuche", "device.*": "stumme Geräte",
      "alert.*": "Warnungen", "app.*": "App-Starts",
    },
    eventsOfPeople: "Wähle keine für das Übliche: wer nach Hause kommt und aufbricht, und Warnungen. Ohne eine Region "
      + "mit "
      + "dem Namen oder Tag „Home“ ist es jede Region.",
    noEvents: "Wähle mindestens eine Art von Ereignissen.",
    inOrder: "Die Ereignisse jedes Geräts der Reihe nach zustellen",
    positions: "Mit Positionen",
    allow: (network) => `Nachrichten an ${network} erlauben, auch über http`,
    submit: "Endpunkt hinzufügen",
    added: "Hinzugefügt. „Test senden“ weiter unten sendet eine erste Nachricht.",
    secretOf: (name) => `Geheimnis von ${name} zum Signieren.`,
  },

  kinds: {
    webhook: { title: "Webhook", about: "Signiertes JSON für ein Programm.", url: "URL" },
    ntfy: {
      title: "ntfy",
      about: "Mitteilungen auf Telefonen mit der App ntfy.",
      url: "URL mit dem Thema",
      token: "Zugangstoken",
      tokenHint: "nur für geschützte Themen",
    },
    gotify: {
      title: "Gotify",
      about: "Mitteilungen eines Gotify-Servers.",
      url: "URL des Servers",
      token: "Token der Anwendung",
    },
    telegram: {
      title: "Telegram",
      about: "Nachrichten von einem Bot.",
      token: "Token des Bots",
      tokenHint: "von @BotFather",
      chat: "Chat",
      chatHint: "seine Nummer, oder @kanal",
    },
    slack: { title: "Slack", about: "Nachrichten in einem Kanal.", url: "URL des eingehenden Webhooks" },
    discord: { title: "Discord", about: "Nachrichten in einem Kanal.", url: "URL des Webhooks des Kanals" },
    email: {
      title: "E-Mail",
      about: "Über einen Mailserver mit TLS.",
      url: "Mailserver",
      urlHint: "smtps:// für Port 465",
      from: "Absender",
      to: "Empfänger",
      toHint: "durch Kommas getrennt",
      username: "Benutzername",
      password: "Passwort",
    },
    apprise: {
      title: "Apprise",
      about: "Mehr als hundert andere Dienste, über seine API.",
      url: "URL der API",
      urls: "Adressen von Diensten",
      urlsHint: "nur ohne gespeicherte Konfiguration",
    },
  },

  messageFields: {
    title: "Texte, Namen und Ruhezeiten",
    messageTitle: "Titel",
    messageText: "Text",
    templateHint: "eine Mustache-Vorlage",
    names: "Namen von Geräten",
    link: "Adresse dieser Seite für Links",
    linkHint: "wie die Empfänger sie erreichen; leer für keine Links",
    localLink: "Telefone und andere Rechner können Links auf diese Adresse nicht öffnen. Gib den Namen ein, unter dem "
      + "sie "
      + "diese Seite erreichen.",
    units: "Einheiten",
    unitChoices: { metric: "km, m, km/h", imperial: "Meilen, Fuß, mph" },
    quietHours: "Ruhezeiten; Nachrichten warten bis zu ihrem Ende",
    quietFrom: "Ruhe ab",
    quietTo: "bis",
    quietUntil: "Ruhe bis",
    cooldown: "Minuten zwischen Nachrichten über ein Gerät und eine Region",
    group: "Minuten, in denen Nachrichten eine werden",
    preview: "Vorschau",
  },

  mqtt: {
    title: "MQTT und Home Assistant",
    broker: "Broker",
    port: "Port",
    encryption: "Verschlüsselung",
    tls: "TLS",
    noTLS: "keine",
    topics: "Themen",
    connected: "verbunden",
    notConnected: "nicht verbunden",
    triesAgain: "Der Broker ist nicht verbunden. Der Dienst versucht es wieder; so lange warten die Nachrichten.",
    publishes: "Alle Ereignisse, die Positionen der Geräte, und wer in welcher Region ist, werden dort veröffentlicht.",
    none: "Der Dienst veröffentlicht an keinen Broker. Mit einem findet Home Assistant jedes Gerät, seinen Ort und "
      + "seine "
      + "Regionen.",
    testAccepted: "Der Broker hat einen Test angenommen.",
    testFailed: (failure) => `Der Test hat den Broker nicht erreicht: ${failure}.`,
    setUp: "MQTT und Home Assistant einrichten",
    settings: "Einstellungen für die Konfigurationsdatei",
    settingsStep: 1,
    steps: [
      "Installiere in Home Assistant das Add-on Mosquitto broker, richte die Integration MQTT ein, und lege einen "
        + "Benutzer "
      + "für Fencepost an.",
      "Füge den Broker in die Konfigurationsdatei des Dienstes ein, fencepost.json. Das Passwort kann auch in einer "
        + "Datei "
      + "sein, die FENCEPOST_MQTT_PASSWORD_FILE nennt.",
      "Starte den Dienst neu. Diese Karte sagt, ob der Broker verbunden ist.",
      "In Home Assistant ist jedes Telefon nach seiner ersten Meldung ein Gerät unter Einstellungen, Geräte & Dienste, "
      + "MQTT.",
    ],
  },

  secret: {
    label: "Geheimnis",
    copy: "Kopieren",
    copied: "Kopiert",
    hint: "Es wird nicht noch einmal gezeigt. Der Empfänger prüft damit Signaturen.",
  },

  card: {
    label: (title) => `Endpunkt ${title}`,
    kindAndServer: (kind, server) => `${kind} ${server}`,
    active: "aktiv",
    paused: "angehalten",
    to: (recipients) => `an ${recipients}`,
    receives: {
      sentence: (filter) => `Bekommt ${filter}.`,
      sentenceWithOptions: (filter, options) => `Bekommt ${filter}; ${options}.`,
      filter: ({ events, devices, regions, apps, conditions }) => [
        events, devices && `von ${devices}`, regions && `in ${regions}`, apps && `für die Apps ${apps}`,
        conditions && `wenn ${conditions}`,
      ].filter(Boolean).join(" "),
      allEvents: "alle Ereignisse",
      usual: "Ankünfte, Aufbrüche und Warnungen",
      or: (conditions) => conditions.join(" oder "),
      inOrder: "der Reihe nach",
      withoutPositions: "ohne Positionen",
      cloudEvents: (format) => `als CloudEvents (${format})`,
      quiet: (times) => `Ruhe ${times}`,
      cooldown: (span) => `höchstens alle ${span} für ein Gerät und eine Region`,
      group: (span) => `${span} lang gesammelt`,
    },
    loadingHealth: "Der Zustand wird geladen …",
    failures: (count) => `${plural(count, "Fehlschlag", "Fehlschläge")} nacheinander`,
    failingFor: (span) => `seit ${span}`,
    lastSuccess: (age) => `letzter Erfolg ${age}`,
    noSuccess: "noch kein Erfolg",
    noMessage: "Noch keine Nachricht wurde gesendet.",
    onlyTest: "Ein Test wurde gesendet, und noch keine Nachricht über ein Ereignis.",
    test: "Test senden",
    sendingTest: "Eine Testnachricht wird gesendet …",
    testAnswered: (status, duration) => `Der Endpunkt hat nach ${duration} ${status} geantwortet.`,
    testFailed: (failure, duration) => `Der Endpunkt hat nach ${duration} nicht geantwortet (${failure}).`,
    pause: "Anhalten",
    resume: "Fortsetzen",
    isPaused: (title) => `${title} ist angehalten`,
    isActiveAgain: (title) => `${title} ist wieder aktiv`,
    messages: "Nachrichten",
    noScope: "Diesem Token fehlt der Umfang „write“.",
    more: "Nachsenden, Geheimnis, Entfernen",
    replayEvents: "Nicht zugestellte Ereignisse nachsenden:",
    replayPeriod: (title) => `Zeit, die an ${title} nachgesendet wird`,
    replayPeriods: {
      3600: "die letzte Stunde", 86400: "der letzte Tag", 604800: "die letzte Woche", 2592000: "die letzten 30 Tage",
    },
    replay: "Nachsenden",
    replayed: (queued, retried) => `${plural(queued, "Nachricht", "Nachrichten")} eingereiht, `
      + `${plural(retried, "aufgegebene Nachricht", "aufgegebene Nachrichten")} wieder eingereiht.`,
    rotate: "Geheimnis erneuern",
    newSecret: "Neues Geheimnis zum Signieren. 24 Stunden lang werden Nachrichten auch mit dem alten signiert.",
    remove: "Entfernen",
    confirmRemoval: "Zum Entfernen noch einmal drücken",
    removed: (title) => `Der Endpunkt ${title} wurde entfernt.`,
  },

  deliveries: {
    title: "Letzte Nachrichten",
    refresh: "Aktualisieren",
    filterByStatus: "Nach Zustand filtern",
    statuses: {
      "": "Alle Nachrichten", pending: "Wartend", exhausted: "Aufgegeben", delivered: "Zugestellt",
      cancelled: "Abgebrochen", expired: "Zu alt", suppressed: "Ruhe",
    },
    filterByEndpoint: "Nach Endpunkt filtern",
    allEndpoints: "Alle Endpunkte",
    truncated: "Es gibt mehr Nachrichten, als die Seite lädt. Filtere nach Endpunkt oder Zustand.",
    noMatch: "Keine Nachricht passt zum Filter.",
    none: "Noch keine Nachrichten.",
    showMore: "Mehr zeigen",
  },

  delivery: {
    statuses: {
      pending: "wartend", delivered: "zugestellt", exhausted: "aufgegeben", cancelled: "abgebrochen",
      expired: "zu alt",
    },
    retrying: "wird wieder versucht",
    sendAgain: "Noch einmal senden",
    retryNow: "Jetzt versuchen",
    event: (device, verb) => `${device} ${verb}`,
    about: (event, answer, next) => [event, answer && `: ${answer}`, next && `; ${next}`],
    nextAttempt: (age) => `nächster Versuch ${age}`,
    due: "fällig, eingereiht",
    attempts: (count) => plural(count, "Versuch", "Versuche"),
    attempt: (answer, duration, time, delay) => [
      answer, ` nach ${duration}, `, time, delay && `, nächster Versuch ${delay} später`,
    ],
    answered: (status) => `antwortete ${status}`,
    failures: {
      dns: "DNS-Suche fehlgeschlagen", connect: "Verbindung fehlgeschlagen", tls: "TLS-Aushandlung fehlgeschlagen",
      timeout: "Zeit überschritten", reset: "Verbindung abgebrochen", blocked: "Adresse nicht erlaubt",
      status: "andere Antwort als 2xx", report: "der Bericht konnte nicht erstellt werden",
    },
    accepted: "angenommen",
  },
};
