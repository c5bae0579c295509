extension Migrations {
    /// Changes of fences, which evaluations of the past take at their time.
    static let fences = """
        CREATE TABLE fence_change (
          number INTEGER PRIMARY KEY,
          device_id TEXT NOT NULL,
          time INTEGER NOT NULL,
          -- FenceChange as JSON
          change TEXT NOT NULL
        ) STRICT;
        CREATE INDEX fence_change_by_device ON fence_change(device_id, time);
        """
}
