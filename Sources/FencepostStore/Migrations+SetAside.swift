extension Migrations {
    /// Devices and imports whose work has ended the process repeatedly.
    static let setAside = """
        CREATE TABLE set_aside (
          -- SetAside.Kind
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          -- WorkJournal.Work
          work INTEGER NOT NULL,
          ends INTEGER NOT NULL,
          since INTEGER NOT NULL,
          is_released INTEGER NOT NULL,
          PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;
        """
}
