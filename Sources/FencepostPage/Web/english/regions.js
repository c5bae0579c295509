import { plural } from "./common.js";

/** The English texts of the tab Places. */
export const regions = {
  title: "Places",
  notLoaded: (reason) => `The region could not be loaded: ${reason}`,
  import: "Import",
  export: "Export",
  draw: "Draw a region",
  circle: "Circle",
  polygon: "Polygon",
  corridor: "Corridor",

  list: {
    label: "All regions",
    find: "Find a region",
    showMore: "Show more",
    notAll: "Not all regions are shown.",
    devicesInside: (count) => `${plural(count, "device")} inside`,
    empty: "empty",
    loading: "Loading regions …",
    noMatch: "No region matches the search.",
    noRegions: "No regions yet",
    noRegionsHint: "Draw a region, or import a file of regions. The service reports when a device enters or leaves it.",
  },

  /** The shape of a region in a few words. */
  shapes: {
    circle: (radius) => `circle, ${radius}`,
    corridor: (width) => `corridor, ${width} wide`,
    polygons: (count) => `${count} polygons`,
    polygonWithHoles: "polygon with holes",
    polygon: "polygon",
  },

  card: {
    label: "Selected region",
    doesNotExist: (id) => `The region “${id}” does not exist.`,
    id: "Id",
    shape: "Shape",
    tags: "Tags",
    entries: "Entries",
    exits: "Exits",
    notReported: "not reported",
    dwell: "Stays",
    crossing: "Crossing",
    open: "Open",
    openings: (weekly, timeZone) => `${weekly} (${timeZone})`,
    devices: "Devices",
    expires: "Expires",
    noDevicesInside: "No devices inside.",
    /** `devices` are links to the first ones; the number of the others is `more`. */
    devicesInside: (count, devices, more) =>
      [`${plural(count, "device")} inside: `, devices, more > 0 && ` and ${more} more`],
    show: "Show",
    change: "Change",
    walkIn: "Walk in",
    export: "Export",
    deleted: (name) => `${name} was deleted.`,
    undo: "Undo",
    notDeleted: (name, reason) => `${name} was not deleted: ${reason}`,
    deleteQuestion: (name) => `Delete ${name}? Devices inside leave it with the reason “deleted”.`,
  },

  editor: {
    newCircle: "New circle",
    newPolygon: "New polygon",
    newCorridor: "New corridor",
    change: (name) => `Change ${name}`,
    announceNew: (hint) => `New region. ${hint}`,
    announceChange: (hint) => `Changing region. ${hint}`,
    hints: {
      circle: "Click the centre, then a point of the circle. Drag either of them to change the circle.",
      polygon: "Click the corners one after the other; the polygon is closed automatically. Drag a corner to move it, "
        + "drag a small point to insert a corner, double-click a corner to remove it.",
      corridor: "Click the positions of the line from start to end. Drag a position to move it, drag a small point to "
        + "insert one.",
    },
    /** Where people point with their fingers. */
    touchHints: {
      circle: "Tap the centre, then a point of the circle. Drag either of them to change the circle.",
      polygon: "Tap the corners one after the other; the polygon is closed automatically. Drag a corner to move it, "
        + "drag a small point to insert a corner, hold a corner to remove it.",
      corridor: "Tap the positions of the line from start to end. Drag a position to move it, drag a small point to "
        + "insert one.",
    },
    undo: "Undo",
    undoKeys: "Ctrl+Z",
    redo: "Redo",
    redoKeys: "Ctrl+Shift+Z",
    addCentre: "Add the map’s centre",
    id: "Id",
    newIDHint: "Used by the API. It follows the name until you enter one, and cannot be changed after saving.",
    idHint: "Used by the API. Cannot be changed.",
    coordinates: "Coordinates",
    save: "Save",
    /** The button on the map. */
    saveNamed: (name) => `Save ${name}`,
    nameAndSave: "Name and save",
    namesake: (name) => `There is a region “${name}” already`,
    namesakeHint: "In messages and lists the two would look the same.",
    saveAnother: (name) => `Save another ${name}`,
    changeName: "Choose another name",
    needsName: "The region needs a name.",
    saved: (name) => `${name} was saved.`,
    notSaved: "The region was not saved",
    idExists: "A region with this id exists",
    changedByOther: "Another user changed this region",
    changesKept: "Your changes are still in this form.",
    overwrite: "Overwrite with my version",
    loadOther: "Load the other version",
    repairAndSave: "Repair and save",
    otherLoaded: "This is the stored version. Undo restores yours.",
  },

  draft: {
    needsID: "The region needs an id.",
    needsCentreAndRadius: "The circle needs a centre and a radius.",
    needsCorners: "A ring needs at least three corners.",
    needsPositions: "A line needs at least two positions.",
    smallCircle: (radius) => `A circle of ${radius} is smaller than the error of most positions, so devices are seldom `
      + "found inside. Drag its edge to make it larger.",
  },

  handles: {
    centre: "Centre",
    radius: "Radius: drag to change it",
    vertex: (number, count) => `Vertex ${number} of ${count}`,
    vertexWithError: (number, count, error) => `Vertex ${number} of ${count}: ${error}`,
    newVertex: (number) => `New vertex after ${number}`,
    /** What a screen reader says of a handle with the title `title`. */
    withKeys: (title) => `${title}. Arrow keys move it, Delete removes it.`,
  },

  coordinates: {
    latitude: "Latitude",
    longitude: "Longitude",
    radius: (unit) => `Radius, ${unit}`,
    convertToPolygon: "Convert to a polygon",
    totalWidth: (unit) => `Total width, ${unit}`,
    line: "Line",
    lineOfSeveral: (number) => `Line ${number}`,
    outerRing: "outer ring",
    hole: (number) => `hole ${number}`,
    outerRingOf: (polygon) => `Polygon ${polygon}, outer ring`,
    holeOf: (polygon, number) => `Polygon ${polygon}, hole ${number}`,
    corners: (ring, count) => `${ring}: ${count} corners`,
    positions: (line, count) => `${line}: ${count} positions`,
    addClicksHere: "Add clicks here",
    remove: "Remove",
    vertexLatitude: (number) => `Latitude of vertex ${number}`,
    vertexLongitude: (number) => `Longitude of vertex ${number}`,
    removeVertex: (number) => `Remove vertex ${number}`,
    addLine: "Add a line",
    addHole: "Add a hole",
    addPolygon: "Add a polygon",
  },

  form: {
    otherProperties: (count) => `Other properties (unchanged): ${count}`,
    notNumber: "This is not a number.",
    notJSON: (reason) => `This is not valid JSON: ${reason}`,
    /** The form reads these units only. */
    notDuration: (entered) =>
      `“${entered}” is not a duration. Write 10 min, 1 h 30 min, PT10M, or 600 for seconds.`,
  },

  groups: {
    tags: "Tags",
    events: "Events",
    detectionAndSchedule: "Detection and schedule",
    devicesAndAltitude: "Devices and altitude",
    metadata: "Metadata",
  },

  /** The fields of the form by the property that they set. */
  fields: {
    name: {
      label: "Name",
      help: "Shown on this page, in events and in webhooks.",
    },
    tags: {
      label: "Tags",
      placeholder: "work, berlin",
      help: "Separated by commas. Events contain them, so that receivers can filter.",
    },
    notifyOnEntry: { label: "Report entries" },
    notifyOnExit: { label: "Report exits" },
    dwell: {
      label: "Report stays of",
      /** The form reads these units only. */
      help: "Reports a device that has been inside for this time: 10 min, 1 h 30 min or PT10M; a number alone is in "
        + "seconds. Several values are possible.",
    },
    initialState: {
      label: "If the first position of a device is inside",
      reportEntry: "report an entry",
      reportNothing: "report nothing",
    },
    crossing: {
      label: "Crossing mode",
      serviceDefault: "default of the service",
      confirmed: "confirmed: weighted by accuracy, stable at the boundary",
      raw: "raw: each position without its accuracy",
      coreLocation: "coreLocation: like an iPhone, with a distance buffer and 20 s",
    },
    schedule: {
      label: "Schedule",
      help: "The region is active at these times. Devices inside enter when it opens and leave when it closes.",
      weeklyHint: "One opening per line. 22:00-06:00 ends on the next day.",
      timeZone: "Time zone",
      excludedDates: "Excluded dates",
    },
    speedLimit: {
      label: "Speed limit",
      placeholder: (number, withUnit) => `${number} or ${withUnit}`,
      help: (unit) => `In ${unit}, or with a unit. A device inside that drives faster for 10 s causes an alert.`,
    },
    expires: {
      label: "Expires",
      help: "Local time. Devices inside leave with the reason “expired”.",
    },
    devices: {
      label: "Devices",
      help: "Only devices whose id matches a pattern: * is any text, ? one character. Empty means all devices.",
    },
    minAltitude: {
      label: (unit) => `Minimum altitude, ${unit}`,
      help: "Positions below are outside. Positions without an altitude change nothing.",
    },
    maxAltitude: { label: (unit) => `Maximum altitude, ${unit}` },
    metadata: {
      label: "Metadata",
      help: "Any JSON of at most 4096 bytes. Every event of the region contains it.",
    },
  },

  importing: {
    title: "Import regions",
    hint: "GeoJSON, KML and KMZ (Google My Maps), GPX waypoints, tables (CSV), geofences of Traccar, waypoints of "
      + "OwnTracks, WKT, WKB, TopoJSON, JSON of ArcGIS and geohashes. Nothing is stored before you have seen "
      + "what it is. A region replaces a stored region with the same id.",
    placeholder: '{"type":"FeatureCollection","features":[…]}',
    file: "File (or drop it here)",
    text: "Text",
    idProperty: "Property with the ids (optional)",
    repair: "Repair invalid polygons instead of rejecting them",
    radius: "Metres around points, and to either side of lines, that have none (optional)",
    submit: "Show what it has",
    reading: (file) => `Reading ${file ?? "the text"} …`,
    found: (file, count) => `${file ?? "The text"}: ${plural(count, "region")}`,
    counts: (added, replaced) =>
      `${added} new, ${replaced} that ${replaced === 1 ? "replaces a stored one" : "replace stored ones"}.`,
    replaces: (names) => `Stored regions that would be replaced: ${names}`,
    more: (count) => `and ${plural(count, "region")} more`,
    store: (count) => `Store ${plural(count, "region")}`,
    discard: "Discard",
    line: (number) => `line ${number}:`,
    /** Without the name of a file, the content of the field is imported. */
    underWay: (file) => `Storing ${file ?? "the text"} …`,
    done: (added, replaced) => `${plural(added, "region")} added, ${replaced} replaced.`,
    doneWith: (file, added, replaced) =>
      `${file ?? "The text"}: ${plural(added, "region")} added, ${replaced} replaced.`,
    warnings: "Warnings",
    failed: (file) => `${file ?? "The text"} was not imported`,
  },
};
