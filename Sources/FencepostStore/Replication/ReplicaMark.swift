import GRDB

/// Up to where a copy has applied its cluster's log. It is in the same transaction as what was applied.
public struct ReplicaMark: Hashable, Sendable {
    /// The id of the cluster, made at its first start.
    public var cluster: String
    /// The sequence of the newest applied record; 0 for none.
    public var sequence: UInt64 = 0
    /// Its position; 0 for none.
    public var position: UInt64 = 0
    /// Its epoch; 0 for none.
    public var epoch: UInt64 = 0

    /// The mark of a copy that has applied nothing.
    public init(cluster: String) {
        self.cluster = cluster
    }

    /// The mark of a database; `nil` when it is of a single node.
    static func read(_ db: Database) throws -> ReplicaMark? {
        guard try db.tableExists("replica"),
            let row = try Row.fetchOne(db, sql: "SELECT cluster, sequence, position, epoch FROM replica")
        else { return nil }
        var mark = ReplicaMark(cluster: try row[0])
        mark.sequence = UInt64(bitPattern: try row[1] as Int64)
        mark.position = UInt64(bitPattern: try row[2] as Int64)
        mark.epoch = UInt64(bitPattern: try row[3] as Int64)
        return mark
    }

    /// Creates the table with this mark.
    func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE replica (
                  id INTEGER PRIMARY KEY CHECK (id = 1),
                  cluster TEXT NOT NULL,
                  sequence INTEGER NOT NULL,
                  position INTEGER NOT NULL,
                  epoch INTEGER NOT NULL
                ) STRICT
                """)
        try db.execute(sql: "INSERT INTO replica VALUES (1, ?, 0, 0, 0)", arguments: [cluster])
        try write(db)
    }

    /// Stores the mark.
    func write(_ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE replica SET sequence = ?, position = ?, epoch = ?").execute(arguments: [
            Int64(bitPattern: sequence), Int64(bitPattern: position), Int64(bitPattern: epoch),
        ])
    }
}
