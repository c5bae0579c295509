/** The German texts of the form that sets up a phone. */
export const phones = {
  title: "Ein Telefon hinzufügen",
  person: "Person",
  device: "Gerät",
  allowedCharacters: "Buchstaben, Ziffern, Punkte, Bindestriche",
  app: "App",
  locations: "Standorte",
  modes: {
    precise: "Genau: Ereignisse innerhalb einer Minute",
    saving: "Schont den Akku: Ereignisse Minuten später",
  },
  friends: "Freunde",
  friendsHint: "Geräte, die die App auf ihrer Karte zeigt, durch Kommas getrennt (freiwillig)",
  regions: "Regionen auf dem Telefon",
  regionsHint: "wie viele der nächsten die App selbst überwacht (freiwillig)",
  address: "Adresse des Dienstes, wie das Telefon sie sieht",
  localAddress: "Ein Telefon kann diese Adresse nicht benutzen: sie meint das Telefon selbst. Gib den Namen ein, "
    + "unter dem "
    + "ein Proxy mit TLS diese Seite anbietet.",
  noTLS: "Ohne TLS können alle auf dem Weg die Positionen und das Token lesen, und iOS lehnt solche Adressen ab.",
  showSettings: "Einstellungen zeigen",
  cannotIssue: "Ein Telefon hinzuzufügen stellt ein Token aus, und dafür braucht es ein Token mit dem Umfang „admin“.",
  setup: {
    title: (app, device) => `${app} von ${device}`,
    hint: "Die Einstellungen enthalten ein Token nur für dieses Gerät. Es wird nicht noch einmal gezeigt.",
    scan: (app) => `Lies dies mit der Kamera des Telefons ein, oder in ${app}, wenn es das kann. Oder öffne dort den `
      + `Link.`,
    code: (app, device) => `QR-Code, der ${app} für ${device} einrichtet`,
    open: (app) => `In ${app} öffnen`,
    byHand: "Einstellungen von Hand eingeben",
  },
  apps: {
    "owntracks": {
      name: "OwnTracks",
      about: "Sendet bei wesentlichen Ortswechseln (etwa 500 m), oder im Modus Move ständig.",
      mode: "Mode",
      url: "URL",
      user: "User name",
      password: "Password",
      device: "Device ID",
      monitoring: "Monitoring",
      monitorings: { precise: "Move", saving: "Significant changes" },
      interval: "Locator interval",
      displacement: "Locator displacement",
      commands: "Remote commands",
      on: "on",
    },
    "overland": {
      name: "Overland",
      about: "Zeichnet dicht auf und sendet gebündelt, so dass Ereignisse Minuten später kommen können.",
      url: "Receiver endpoint",
      token: "Access token",
      device: "Device ID",
      interval: "Send interval",
      significantLocation: "Significant location",
      significantLocations: { precise: "Enabled", saving: "Significant only" },
    },
    "traccar": {
      name: "Traccar Client",
      about: "Sendet in festem Abstand von Zeit und Weg, solange sich das Telefon bewegt.",
      url: "Server URL",
      device: "Device identifier",
      interval: "Frequency",
      distance: "Distance",
      accuracy: "Accuracy",
      accuracies: { high: "high", medium: "medium" },
      buffering: "Offline buffering",
      on: "on",
    },
    "gpslogger": {
      name: "GPSLogger",
      about: "Benutzt den GPS-Empfänger in festem Abstand; es hat keinen Link für Einstellungen.",
      toURL: "Log to custom URL",
      on: "on",
      url: "URL",
      method: "HTTP method",
      authentication: "Basic authentication",
      userAndPassword: "ein beliebiger Name, das Token als Passwort",
      password: "Password",
      discardOffline: "Discard offline locations",
      off: "off",
      interval: "Logging interval",
    },
    "home-assistant": {
      name: "Home-Assistant-App",
      about: "Sendet nur an Home Assistant; eine Automation gibt jeden Standort weiter.",
      entity: "Entität",
      entityHint: (entity) => `Ersetze ${entity} durch die des Telefons.`,
      file: "Datei",
      fileHint: (file) => `Füge dies in ${file} ein und starte Home Assistant neu.`,
    },
  },
  check: {
    title: "Prüfung",
    waiting: "Wartet auf den ersten Standort …",
    arrived: "Der erste Standort ist angekommen.",
    noAccuracy: "Er hat keine Genauigkeit, also ist sein Abstand von einer Grenze unsicher. Lass die App die "
      + "Genauigkeit "
      + "senden.",
    poorAccuracy: (accuracy) =>
      `Seine Genauigkeit ist ${accuracy}. Erlaube der App den genauen Standort, und versuche es im Freien.`,
    old: (age) => `Er ist ${age} alt. Entweder geht die Uhr des Telefons falsch, oder es hat gesendet, was es `
      + `aufbewahrt `
      + "hatte; dann ist der nächste neuer.",
    inFuture: (duration) =>
      `Er liegt ${duration} in der Zukunft: die Uhr des Telefons oder dieses Rechners geht falsch.`,
    tooSeldom: (region, crossing, interval) => `Zu Fuß durchquert man ${region} in ${crossing}, und die App sendet `
      + `alle `
      + `${interval}: ein Betreten kann verpasst werden. Wähle einen kürzeren Abstand oder eine größere Region.`,
    refused: (reason) => `Ein Standort wurde abgelehnt: ${reason}.`,
  },
};
