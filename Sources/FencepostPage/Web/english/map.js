/** The English texts of the map. */
export const map = {
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  showAll: "Show all",
  myLocation: "My location",
  noLocation: "The browser does not give your location.",

  /** What the map without tiles says. */
  noStreets: "No streets on the map",

  legend: {
    title: "Legend",
    close: "Close the legend",
    /** The signs of the map by their class. */
    signs: {
      outside: "device outside all regions",
      inside: "device inside a region",
      old: "no location for 15 minutes",
      moving: "device that moves, and where to",
      accuracy: "accuracy of the location",
      cluster: "number of devices close together; its ring has the share inside regions (thick), outside, and silent "
        + "(dashed); a click zooms in",
      region: "region without a tag",
    },
    tagsTitle: "Regions by tag",
    keysTitle: "Keys",
    keys: {
      move: { keys: "Arrows", use: "move the map that has the focus" },
      zoom: { keys: "+ and −", use: "zoom" },
      next: { keys: "Tab", use: "go on to the next button or field" },
      moveCorner: { keys: "Arrows on a corner", use: "move the corner of a region that is drawn" },
      removeCorner: { keys: "Delete on a corner", use: "remove it" },
      playback: { keys: "Space", use: "start or stop the playback of History" },
      zoomTimeLine: { keys: "+, − and 0", use: "zoom the time line of History that has the focus; 0 shows all" },
      close: { keys: "Esc", use: "close this list" },
    },
  },

  streets: {
    title: "Streets",
    offer: "Streets on the map?",
    openStreetMap: "OpenStreetMap",
    file: "A file",
    otherServer: "Another server",
    none: "No streets",
    about: "Who learns of it",
    /** `policy` is a link with the text below. */
    hint: (policy) => ["OpenStreetMap's server sees your address and which part of the world you look at (", policy,
      "). A file (PMTiles or MBTiles, also dropped on the map) is stored here and needs no other server."],
    policy: "its policy",
    fileLabel: "File with a map",
    address: "Address of the tiles, with {z}, {x} and {y}",
    attribution: "Attribution, which the map shows",
    attributionPlaceholder: "© Who made the map",
    useServer: "Use this server",
    /** `source` is the host that has the tiles. */
    failed: (source) => `Streets do not load from ${source}.`,
    chooseAnother: "Choose other streets",
    noMap: (file, endings) => `${file} is no map: its name has to end with ${endings.join(" or ")}.`,
    sending: (file) => `Sending ${file}`,
    sendingSize: (file, size) => `Sending ${file}, ${size}`,
  },
};
