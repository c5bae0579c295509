extension Migrations {
    /// Answers of the geocoder, by rounded position. No device is named, so erasing one has nothing to do here.
    static let addresses = """
        CREATE TABLE address (
          source TEXT NOT NULL,
          -- Degrees × 10,000.
          latitude INTEGER NOT NULL,
          longitude INTEGER NOT NULL,
          stored_at INTEGER NOT NULL,
          -- NULL where the geocoder knows no address.
          place TEXT,
          PRIMARY KEY (source, latitude, longitude)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX address_by_time ON address(stored_at);
        """
}
