/** The German texts of the map. */
export const map = {
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  showAll: "Alles zeigen",
  myLocation: "Mein Standort",
  noLocation: "Der Browser gibt deinen Standort nicht an.",
  noStreets: "Keine Straßen auf der Karte",

  legend: {
    title: "Legende",
    close: "Legende schließen",
    signs: {
      outside: "Gerät außerhalb aller Regionen",
      inside: "Gerät in einer Region",
      old: "kein Standort seit 15 Minuten",
      moving: "Gerät, das sich bewegt, und wohin",
      accuracy: "Genauigkeit des Standorts",
      cluster: "Zahl der Geräte, die nah beieinander sind; der Ring hat den Anteil in Regionen (dick), außerhalb, und "
        + "stumm (gestrichelt); ein Klick vergrößert",
      region: "Region ohne Tag",
    },
    tagsTitle: "Regionen nach Tag",
    keysTitle: "Tasten",
    keys: {
      move: { keys: "Pfeile", use: "bewegen die Karte, die den Fokus hat" },
      zoom: { keys: "+ und −", use: "vergrößern und verkleinern" },
      next: { keys: "Tab", use: "geht zum nächsten Knopf oder Feld" },
      moveCorner: { keys: "Pfeile an einer Ecke", use: "bewegen die Ecke einer Region, die gezeichnet wird" },
      removeCorner: { keys: "Entf an einer Ecke", use: "entfernt sie" },
      playback: { keys: "Leertaste", use: "startet oder hält die Wiedergabe des Verlaufs an" },
      zoomTimeLine: { keys: "+, − und 0", use: "vergrößern die Zeitleiste, die den Fokus hat; 0 zeigt alles" },
      close: { keys: "Esc", use: "schließt diese Liste" },
    },
  },

  streets: {
    title: "Straßen",
    offer: "Straßen auf der Karte?",
    openStreetMap: "OpenStreetMap",
    file: "Eine Datei",
    otherServer: "Ein anderer Server",
    none: "Keine Straßen",
    about: "Wer davon erfährt",
    hint: (policy) => ["Der Server von OpenStreetMap sieht deine Adresse und welchen Teil der Welt du ansiehst "
      + "(", policy,
      "). Eine Datei (PMTiles oder MBTiles, auch auf die Karte gezogen) wird hier gespeichert und braucht keinen "
      + "anderen Server."],
    policy: "seine Regeln",
    fileLabel: "Datei mit einer Karte",
    address: "Adresse der Kacheln, mit {z}, {x} und {y}",
    attribution: "Quellenangabe, die die Karte zeigt",
    attributionPlaceholder: "© Wer die Karte gemacht hat",
    useServer: "Diesen Server benutzen",
    failed: (source) => `Von ${source} lassen sich keine Straßen laden.`,
    chooseAnother: "Andere Straßen wählen",
    noMap: (file, endings) => `${file} ist keine Karte: der Name muss auf ${endings.join(" oder ")} enden.`,
    sending: (file) => `${file} wird gesendet`,
    sendingSize: (file, size) => `${file} wird gesendet, ${size}`,
  },
};
