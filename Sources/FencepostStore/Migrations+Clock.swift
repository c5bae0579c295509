extension Migrations {
    /// What is known about the true time when the rows that prove it are gone.
    static let clock = """
        CREATE TABLE clock (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          -- The newest fix that was ever stored, as `newestFix` counts it; NULL without one.
          newest_fix INTEGER,
          -- The true time is at least this, by the last run of retention; NULL before one.
          trusted_time INTEGER
        ) STRICT;
        """
}
