import { plural } from "./common.js";

/** The German texts of the view MQTT. */
export const mqtt = {
  title: "MQTT und Home Assistant",
  intro: "Fencepost empfängt die Positionen von Telefonen mit OwnTracks von einem MQTT-Broker und veröffentlicht "
    + "dort, was geschieht und wo jedes Gerät ist. Home Assistant findet die Geräte von selbst.",
  empty: {
    title: "Noch kein Broker",
    hint: "Gib die Adresse deines Brokers ein. Der von Home Assistant ist das Add-on Mosquitto broker.",
  },
  configured: (origin) => `Die Konfiguration${origin && ` (${origin})`} nennt den Broker: Ändere ihn dort, oder `
    + "entferne „mqtt“ dort und starte den Dienst neu, um ihn hier einzustellen.",
  uncleared: (broker, topics) => `Der Broker ${broker} behält ${plural(topics, "Nachricht", "Nachrichten")} dieses `
    + "Dienstes: Er war nicht erreichbar, als er geändert oder entfernt wurde. Stelle ihn wieder ein, dann werden sie "
    + "gelöscht.",
  remove: "Broker entfernen",
  removed: "Der Broker ist entfernt. Er war nicht erreichbar und behält Nachrichten.",
  removedAndCleared: "Der Broker ist entfernt, und was er behalten hatte, ist gelöscht.",

  failures: {
    no_such_host: "Kein Rechner hat diesen Namen. Prüfe den Host.",
    unreachable: "Unter diesem Host und Port antwortet nichts. Prüfe beide, und ob der Broker läuft.",
    timeout: "Der Broker hat nicht rechtzeitig geantwortet. Prüfe Host, Port und Firewall.",
    tls: "Die verschlüsselte Verbindung ist fehlgeschlagen. Prüfe, ob der Port der für TLS ist (gewöhnlich 8883), ob "
      + "das Zertifikat des Brokers für diesen Host ist, und ob der Rechner des Dienstes seine Zertifizierungsstelle "
      + "kennt oder ihr Zertifikat hier eingetragen ist.",
    no_broker: "Was an diesem Port antwortet, ist kein MQTT-Broker, oder er verlangt eine verschlüsselte Verbindung "
      + "(TLS).",
    refused: "Der Broker lehnt die Verbindung ab. Prüfe Benutzername und Passwort.",
    subscription_refused: "Der Broker erlaubt diesem Benutzer nicht, das Thema der Telefone zu lesen.",
    lost: "Die Verbindung ist abgebrochen. Der Dienst versucht es wieder.",
    invalid: "Mit diesen Einstellungen geht es nicht.",
    not_stored: "Nachrichten können zurzeit nicht gespeichert werden; der Broker behält sie.",
  },

  card: {
    title: "Der Broker",
    connected: "verbunden",
    notConnected: "nicht verbunden",
    connecting: "Verbindung wird aufgebaut …",
    receiving: "Nachrichten der Telefone",
    publishing: "Ereignisse und Positionen",
    publishingTo: (broker) => `Ereignisse und Positionen, an ${broker}`,
    since: (age) => `Verbunden ${age}.`,
    received: (count) => `${plural(count, "Nachricht", "Nachrichten")} empfangen.`,
    published: (count) => `${plural(count, "Nachricht", "Nachrichten")} veröffentlicht.`,
    earlier: (age, failure) => `Davor, ${age}: ${failure}`,
    tls: "TLS",
    user: "Benutzer",
    none: "keiner",
    topic: "Liest",
    prefix: "Veröffentlicht",
    nothing: "nichts",
    homeAssistant: "Discovery",
    finds: (prefix) => `Home Assistant, ${prefix}`,
  },

  form: {
    title: "Einstellungen des Brokers",
    address: {
      host: "Host",
      hostHint: "ein Name oder eine Adresse",
      port: "Port",
      tls: "Verschlüsselt (TLS)",
      certificate: "Zertifikat der Zertifizierungsstelle",
      certificateHint: "nur wenn das des Brokers von einer eigenen Stelle ist; PEM",
      username: "Benutzername",
      password: "Passwort",
    },
    otherBroker: "Bei einem anderen Broker veröffentlichen",
    otherHint: "Was veröffentlicht wird, geht dorthin; die Nachrichten der Telefone kommen vom Broker oben. Lass den "
      + "Host leer, wenn es nur einen Broker gibt.",
    other: {
      host: "Sein Host",
      hostHint: "ein Name oder eine Adresse",
      port: "Sein Port",
      tls: "Dort verschlüsselt (TLS)",
      certificate: "Zertifikat seiner Zertifizierungsstelle",
      certificateHint: "nur das einer eigenen Stelle; PEM",
      username: "Sein Benutzer",
      password: "Sein Passwort",
    },
    unchanged: "unverändert",
    discovers: "Home Assistant findet die Geräte",
    publishes: "Ereignisse und Positionen veröffentlichen, und wer in welcher Region ist",
    noPublishing: "Ein Cluster aus mehreren Partitionen veröffentlicht nichts: Ihre Leader würden einander ersetzen.",
    more: "Themen und Client-Id",
    usual: (value) => `gewöhnlich ${value}`,
    topic: "Thema der Telefone",
    prefix: "Anfang der veröffentlichten Themen",
    discovery: "Discovery-Präfix von Home Assistant",
    clientId: "Client-Id",
    clientIdHint: "jeder Dienst braucht seine eigene",
    test: "Testen",
    testing: "Verbindung zum Broker wird aufgebaut …",
    accepted: (broker) => `Der Broker unter ${broker} hat Verbindung und Abonnement angenommen.`,
    discovered: ({ devices, entities }) => `Home Assistant zeigt ${plural(devices, "Gerät", "Geräte")} mit `
      + `${plural(entities, "Entität", "Entitäten")}, und einen Sensor für jeden Alarm von seinem ersten Mal an.`,
    connect: "Verbinden",
    save: "Speichern",
    saving: "Wird gespeichert; ein früherer Broker wird geleert …",
    saved: "Gespeichert. Der Dienst verbindet sich jetzt.",
    outdated: "Jemand anders hat diese Einstellungen inzwischen geändert. Die Felder zeigen sie jetzt: Ändere sie "
      + "noch einmal.",
  },

  steps: {
    title: "Schritte in Home Assistant",
    list: [
      "Installiere das Add-on Mosquitto broker, und richte unter Einstellungen, Geräte & Dienste die Integration "
        + "MQTT ein.",
      "Lege unter Einstellungen, Personen, Benutzer einen Benutzer für Fencepost an. Gib seinen Namen und sein "
        + "Passwort hier ein, mit dem Host von Home Assistant, etwa homeassistant.local; drücke dann Testen und "
        + "Verbinden.",
      "Öffne Einstellungen, Geräte & Dienste, MQTT: Dort ist jedes Telefon nach seiner ersten Meldung ein Gerät, mit "
        + "einem Tracker, seinem Ort und einem Sensor für jede Region.",
    ],
  },
  file: {
    title: "Stattdessen in der Konfigurationsdatei",
    hint: "Was die Konfigurationsdatei oder die Umgebung einstellt, tritt nach einem Neustart an die Stelle des hier "
      + "Eingestellten. Das Passwort kann in einer Datei sein, die FENCEPOST_MQTT_PASSWORD_FILE nennt.",
  },
};
