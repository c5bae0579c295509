import { plural } from "./common.js";

const devices = (count) => plural(count, "Gerät", "Geräte");
const many = (count) => plural(count, "Region", "Regionen");

/** The German texts of the tab Places. */
export const regions = {
  title: "Orte",
  notLoaded: (reason) => `Die Region konnte nicht geladen werden: ${reason}`,
  import: "Importieren",
  export: "Exportieren",
  draw: "Eine Region zeichnen",
  circle: "Kreis",
  polygon: "Polygon",
  corridor: "Korridor",

  list: {
    label: "Alle Regionen",
    find: "Region suchen",
    showMore: "Mehr zeigen",
    notAll: "Nicht alle Regionen werden gezeigt.",
    devicesInside: (count) => `${devices(count)} innen`,
    empty: "leer",
    loading: "Regionen werden geladen …",
    noMatch: "Keine Region passt zur Suche.",
    noRegions: "Noch keine Regionen",
    noRegionsHint: "Zeichne eine Region, oder importiere eine Datei mit Regionen. Der Dienst meldet, wenn ein Gerät "
      + "sie "
      + "betritt oder verlässt.",
  },

  shapes: {
    circle: (radius) => `Kreis, ${radius}`,
    corridor: (width) => `Korridor, ${width} breit`,
    polygons: (count) => `${count} Polygone`,
    polygonWithHoles: "Polygon mit Löchern",
    polygon: "Polygon",
  },

  card: {
    label: "Gewählte Region",
    doesNotExist: (id) => `Die Region „${id}“ gibt es nicht.`,
    id: "Kennung",
    shape: "Form",
    tags: "Tags",
    entries: "Betreten",
    exits: "Verlassen",
    notReported: "nicht gemeldet",
    dwell: "Aufenthalte",
    crossing: "Übergang",
    open: "Geöffnet",
    openings: (weekly, timeZone) => `${weekly} (${timeZone})`,
    devices: "Geräte",
    expires: "Läuft ab",
    noDevicesInside: "Keine Geräte innen.",
    devicesInside: (count, links, more) => [`${devices(count)} innen: `, links, more > 0 && ` und ${more} weitere`],
    show: "Zeigen",
    change: "Ändern",
    walkIn: "Hineingehen",
    export: "Exportieren",
    deleted: (name) => `${name} wurde gelöscht.`,
    undo: "Rückgängig",
    notDeleted: (name, reason) => `${name} wurde nicht gelöscht: ${reason}`,
    deleteQuestion: (name) => `${name} löschen? Geräte darin verlassen sie mit dem Grund „deleted“.`,
  },

  editor: {
    newCircle: "Neuer Kreis",
    newPolygon: "Neues Polygon",
    newCorridor: "Neuer Korridor",
    change: (name) => `${name} ändern`,
    announceNew: (hint) => `Neue Region. ${hint}`,
    announceChange: (hint) => `Region wird geändert. ${hint}`,
    hints: {
      circle: "Klicke den Mittelpunkt an, dann einen Punkt des Kreises. Zieh einen von beiden, um den Kreis zu ändern.",
      polygon: "Klicke die Ecken nacheinander an; das Polygon schließt sich von selbst. Zieh eine Ecke, um sie zu "
        + "bewegen, "
        + "zieh einen kleinen Punkt, um eine Ecke einzufügen, klicke doppelt auf eine Ecke, um sie zu entfernen.",
      corridor: "Klicke die Positionen der Linie vom Anfang bis zum Ende an. Zieh eine Position, um sie zu bewegen, "
        + "zieh "
        + "einen kleinen Punkt, um eine einzufügen.",
    },
    touchHints: {
      circle: "Tippe den Mittelpunkt an, dann einen Punkt des Kreises. Zieh einen von beiden, um den Kreis zu ändern.",
      polygon: "Tippe die Ecken nacheinander an; das Polygon schließt sich von selbst. Zieh eine Ecke, um sie zu "
        + "bewegen, "
        + "zieh einen kleinen Punkt, um eine Ecke einzufügen, halte eine Ecke, um sie zu entfernen.",
      corridor: "Tippe die Positionen der Linie vom Anfang bis zum Ende an. Zieh eine Position, um sie zu bewegen, "
        + "zieh "
        + "einen kleinen Punkt, um eine einzufügen.",
    },
    undo: "Rückgängig",
    undoKeys: "Strg+Z",
    redo: "Wiederholen",
    redoKeys: "Strg+Umschalt+Z",
    addCentre: "Die Mitte der Karte hinzufügen",
    id: "Kennung",
    newIDHint: "Für die API. Sie folgt dem Namen, bis du eine eingibst, und kann nach dem Speichern nicht geändert "
      + "werden.",
    idHint: "Für die API. Kann nicht geändert werden.",
    coordinates: "Koordinaten",
    save: "Speichern",
    saveNamed: (name) => `${name} speichern`,
    nameAndSave: "Benennen und speichern",
    namesake: (name) => `Es gibt schon eine Region „${name}“`,
    namesakeHint: "In Nachrichten und Listen sähen die beiden gleich aus.",
    saveAnother: (name) => `Noch eine Region ${name} speichern`,
    changeName: "Einen anderen Namen wählen",
    needsName: "Die Region braucht einen Namen.",
    saved: (name) => `${name} wurde gespeichert.`,
    notSaved: "Die Region wurde nicht gespeichert",
    idExists: "Eine Region mit dieser Kennung gibt es schon",
    changedByOther: "Ein anderer Benutzer hat diese Region geändert",
    changesKept: "Deine Änderungen sind noch in diesem Formular.",
    overwrite: "Mit meiner Fassung überschreiben",
    loadOther: "Die andere Fassung laden",
    repairAndSave: "Reparieren und speichern",
    otherLoaded: "Dies ist die gespeicherte Fassung. „Rückgängig“ stellt deine wieder her.",
  },

  draft: {
    needsID: "Die Region braucht eine Kennung.",
    needsCentreAndRadius: "Der Kreis braucht einen Mittelpunkt und einen Radius.",
    needsCorners: "Ein Ring braucht mindestens drei Ecken.",
    needsPositions: "Eine Linie braucht mindestens zwei Positionen.",
    smallCircle: (radius) => `Ein Kreis von ${radius} ist kleiner als der Fehler der meisten Positionen, also sind `
      + `Geräte `
      + "selten darin. Zieh seinen Rand, um ihn zu vergrößern.",
  },

  handles: {
    centre: "Mittelpunkt",
    radius: "Radius: ziehen, um ihn zu ändern",
    vertex: (number, count) => `Ecke ${number} von ${count}`,
    vertexWithError: (number, count, error) => `Ecke ${number} von ${count}: ${error}`,
    newVertex: (number) => `Neue Ecke nach ${number}`,
    withKeys: (title) => `${title}. Pfeiltasten bewegen, Entf entfernt.`,
  },

  coordinates: {
    latitude: "Breite",
    longitude: "Länge",
    radius: (unit) => `Radius, ${unit}`,
    convertToPolygon: "In ein Polygon umwandeln",
    totalWidth: (unit) => `Ganze Breite, ${unit}`,
    line: "Linie",
    lineOfSeveral: (number) => `Linie ${number}`,
    outerRing: "äußerer Ring",
    hole: (number) => `Loch ${number}`,
    outerRingOf: (polygon) => `Polygon ${polygon}, äußerer Ring`,
    holeOf: (polygon, number) => `Polygon ${polygon}, Loch ${number}`,
    corners: (ring, count) => `${ring}: ${count} Ecken`,
    positions: (line, count) => `${line}: ${count} Positionen`,
    addClicksHere: "Klicks hier hinzufügen",
    remove: "Entfernen",
    vertexLatitude: (number) => `Breite der Ecke ${number}`,
    vertexLongitude: (number) => `Länge der Ecke ${number}`,
    removeVertex: (number) => `Ecke ${number} entfernen`,
    addLine: "Linie hinzufügen",
    addHole: "Loch hinzufügen",
    addPolygon: "Polygon hinzufügen",
  },

  form: {
    otherProperties: (count) => `Andere Eigenschaften (unverändert): ${count}`,
    notNumber: "Das ist keine Zahl.",
    notJSON: (reason) => `Das ist kein gültiges JSON: ${reason}`,
    notDuration: (entered) => `„${entered}“ ist keine Dauer. Schreibe 10 min, 1 h 30 min, PT10M, oder 600 für `
      + `Sekunden.`,
  },

  groups: {
    tags: "Tags",
    events: "Ereignisse",
    detectionAndSchedule: "Erkennung und Zeitplan",
    devicesAndAltitude: "Geräte und Höhe",
    metadata: "Metadaten",
  },

  fields: {
    name: {
      label: "Name",
      help: "Steht auf dieser Seite, in Ereignissen und in Webhooks.",
    },
    tags: {
      label: "Tags",
      placeholder: "arbeit, berlin",
      help: "Durch Kommas getrennt. Ereignisse enthalten sie, so dass Empfänger filtern können.",
    },
    notifyOnEntry: { label: "Betreten melden" },
    notifyOnExit: { label: "Verlassen melden" },
    dwell: {
      label: "Aufenthalte melden ab",
      help: "Meldet ein Gerät, das so lange innen war: 10 min, 1 h 30 min oder PT10M; eine Zahl allein sind Sekunden. "
        + "Mehrere Werte sind möglich.",
    },
    initialState: {
      label: "Wenn die erste Position eines Geräts innen ist",
      reportEntry: "ein Betreten melden",
      reportNothing: "nichts melden",
    },
    crossing: {
      label: "Art des Übergangs",
      serviceDefault: "Vorgabe des Dienstes",
      confirmed: "confirmed: nach Genauigkeit gewichtet, an der Grenze stabil",
      raw: "raw: jede Position ohne ihre Genauigkeit",
      coreLocation: "coreLocation: wie ein iPhone, mit einem Puffer und 20 s",
    },
    schedule: {
      label: "Zeitplan",
      help: "Die Region gilt zu diesen Zeiten. Geräte darin betreten sie, wenn sie öffnet, und verlassen sie, wenn sie "
        + "schließt.",
      weeklyHint: "Eine Öffnung je Zeile. 22:00-06:00 endet am nächsten Tag.",
      timeZone: "Zeitzone",
      excludedDates: "Ausgenommene Tage",
    },
    speedLimit: {
      label: "Tempolimit",
      placeholder: (number, withUnit) => `${number} oder ${withUnit}`,
      help: (unit) => `In ${unit}, oder mit einer Einheit. Ein Gerät darin, das 10 s schneller fährt, löst eine `
        + `Warnung aus.`,
    },
    expires: {
      label: "Läuft ab",
      help: "Ortszeit. Geräte darin verlassen sie mit dem Grund „expired“.",
    },
    devices: {
      label: "Geräte",
      help: "Nur Geräte, deren Kennung zu einem Muster passt: * ist beliebiger Text, ? ein Zeichen. Leer heißt alle "
        + "Geräte.",
    },
    minAltitude: {
      label: (unit) => `Kleinste Höhe, ${unit}`,
      help: "Positionen darunter sind außen. Positionen ohne Höhe ändern nichts.",
    },
    maxAltitude: { label: (unit) => `Größte Höhe, ${unit}` },
    metadata: {
      label: "Metadaten",
      help: "Beliebiges JSON von höchstens 4096 Bytes. Jedes Ereignis der Region enthält es.",
    },
  },

  importing: {
    title: "Regionen importieren",
    hint: "GeoJSON, KML und KMZ (Google My Maps), GPX-Wegpunkte, Tabellen (CSV), Geofences von Traccar, Wegpunkte von "
      + "OwnTracks, WKT, WKB, TopoJSON, JSON von ArcGIS und Geohashes. Nichts wird gespeichert, bevor du gesehen hast, "
      + "was es ist. Eine Region ersetzt eine gespeicherte mit derselben Kennung.",
    placeholder: '{"type":"FeatureCollection","features":[…]}',
    file: "Datei (oder hierher ziehen)",
    text: "Text",
    idProperty: "Eigenschaft mit den Kennungen (freiwillig)",
    repair: "Ungültige Polygone reparieren statt ablehnen",
    radius: "Meter um Punkte, und zu beiden Seiten von Linien, die keine haben (freiwillig)",
    submit: "Zeigen, was darin ist",
    reading: (file) => `${file ?? "Der Text"} wird gelesen …`,
    found: (file, count) => `${file ?? "Der Text"}: ${many(count)}`,
    counts: (added, replaced) =>
      `${added} neu, ${replaced} ${replaced === 1 ? "ersetzt eine gespeicherte" : "ersetzen gespeicherte"}.`,
    replaces: (names) => `Gespeicherte Regionen, die ersetzt würden: ${names}`,
    more: (count) => `und ${plural(count, "weitere Region", "weitere Regionen")}`,
    store: (count) => `${many(count)} speichern`,
    discard: "Verwerfen",
    line: (number) => `Zeile ${number}:`,
    underWay: (file) => `${file ?? "Der Text"} wird gespeichert …`,
    done: (added, replaced) => `${many(added)} hinzugefügt, ${replaced} ersetzt.`,
    doneWith: (file, added, replaced) => `${file ?? "Der Text"}: ${many(added)} hinzugefügt, ${replaced} ersetzt.`,
    warnings: "Warnungen",
    failed: (file) => `${file ?? "Der Text"} wurde nicht importiert`,
  },
};
