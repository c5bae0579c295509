extension Migrations {
    /// What users state about the stays of devices. Rows of a device do not overlap.
    static let stayCorrections = """
        CREATE TABLE stay_correction (
          device_id TEXT NOT NULL,
          id TEXT NOT NULL,
          arrival INTEGER NOT NULL,
          departure INTEGER NOT NULL,
          -- NULL where there was no stay.
          latitude REAL,
          longitude REAL,
          name TEXT,
          -- An array of ids as JSON.
          regions TEXT NOT NULL,
          PRIMARY KEY (device_id, id)
        ) STRICT, WITHOUT ROWID;
        """
}
