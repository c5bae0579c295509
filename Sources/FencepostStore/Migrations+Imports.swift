extension Migrations {
    /// Imports say which members of their locations were dropped.
    static let droppedMembers = """
        -- An object of counts by name.
        ALTER TABLE import ADD COLUMN dropped TEXT NOT NULL DEFAULT '{}';
        """
}
