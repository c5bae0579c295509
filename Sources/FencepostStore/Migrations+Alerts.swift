extension Migrations {
    /// The alert rules that are made over the API.
    static let alertRules = """
        CREATE TABLE alert_rule (
          id TEXT PRIMARY KEY,
          definition TEXT NOT NULL
        ) STRICT;
        """
}
