extension Migrations {
    /// What administrators have chosen for the map.
    static let mapChoice = """
        CREATE TABLE map_choice (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          -- MapTiles.text.
          tiles TEXT NOT NULL,
          attribution TEXT NOT NULL
        ) STRICT;
        """
}
