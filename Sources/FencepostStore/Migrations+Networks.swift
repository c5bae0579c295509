extension Migrations {
    /// Private networks that administrators allow for endpoints.
    static let networks = """
        CREATE TABLE allowed_network (
          id TEXT PRIMARY KEY,
          network TEXT NOT NULL UNIQUE,
          created_at INTEGER NOT NULL
        ) STRICT;
        """
}
