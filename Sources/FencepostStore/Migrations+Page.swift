extension Migrations {
    /// What administrators have chosen for the map, and the names and colours of devices.
    static let page = """
        CREATE TABLE map_choice (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          -- MapTiles.text.
          tiles TEXT NOT NULL,
          attribution TEXT NOT NULL
        ) STRICT;

        CREATE TABLE device_profile (
          device_id TEXT PRIMARY KEY,
          name TEXT,
          -- #rrggbb
          color TEXT
        ) STRICT;
        """

    /// The pictures of devices: PNG or JPEG files.
    static let faces = "ALTER TABLE device_profile ADD COLUMN face BLOB;"
}
