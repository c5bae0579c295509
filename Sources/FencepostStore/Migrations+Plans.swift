extension Migrations {
    /// The plans that are made over the API, with all their versions: an evaluation of the past finds the one that applied then.
    static let plans = """
        CREATE TABLE plan (
          id TEXT PRIMARY KEY,
          -- An array of Plan as JSON, the oldest version first
          definition TEXT NOT NULL,
          -- NULL while it applies
          ended INTEGER
        ) STRICT;
        """
}
