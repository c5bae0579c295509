extension Migrations {
    /// The topics for which brokers keep messages.
    static let retainedTopics = """
        CREATE TABLE retained_topic (
          broker TEXT NOT NULL,
          topic TEXT NOT NULL,
          device_id TEXT,
          kind TEXT NOT NULL,
          PRIMARY KEY (broker, topic)
        ) STRICT;
        """
}
