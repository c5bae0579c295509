extension Migrations {
    /// Users, their sessions, groups of devices, and share links.
    static let users = """
        CREATE TABLE user (
          id TEXT PRIMARY KEY,
          -- The name in lower case.
          key TEXT NOT NULL UNIQUE,
          definition TEXT NOT NULL
        ) STRICT;
        CREATE TABLE session (
          id TEXT PRIMARY KEY,
          hash BLOB NOT NULL UNIQUE,
          user_id TEXT NOT NULL,
          expires INTEGER NOT NULL,
          definition TEXT NOT NULL
        ) STRICT;
        CREATE INDEX session_by_user ON session(user_id);
        CREATE TABLE device_group (
          tag TEXT PRIMARY KEY,
          definition TEXT NOT NULL
        ) STRICT;
        CREATE TABLE share (
          id TEXT PRIMARY KEY,
          hash BLOB NOT NULL UNIQUE,
          name TEXT NOT NULL,
          expires INTEGER NOT NULL,
          created_at INTEGER NOT NULL
        ) STRICT;
        -- A table of its own, so that the erasure of a device finds the links that show it.
        CREATE TABLE share_device (
          share_id TEXT NOT NULL,
          device_id TEXT NOT NULL,
          PRIMARY KEY (share_id, device_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX share_device_by_device ON share_device(device_id);
        """

    /// Who made a share link: the id of a user or of a token; NULL for links of earlier versions and of commands.
    static let shareOwners = """
        ALTER TABLE share ADD COLUMN owner_id TEXT;
        CREATE INDEX share_by_owner ON share(owner_id);
        """
}
