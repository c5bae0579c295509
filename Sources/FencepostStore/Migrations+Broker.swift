extension Migrations {
    /// The MQTT broker that an administrator sets.
    static let broker = """
        CREATE TABLE broker (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          -- The members of mqtt in the configuration, with the password.
          definition TEXT NOT NULL
        ) STRICT;
        """
}
