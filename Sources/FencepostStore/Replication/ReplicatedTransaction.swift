import GRDB

/// What one transaction changed, as the commit log has it: docs/design/commit-log.md lists the bytes.
struct ReplicatedTransaction: Hashable {
    /// The newest number that was ever given to a row of a table, which SQLite never gives again.
    struct Counter: Hashable {
        var table: String
        var value: Int64
    }

    /// The format that this version writes and reads.
    static let format: UInt8 = 1

    /// The schema of the database that it was recorded in.
    var schema: Int
    /// Those that the transaction changed.
    var counters: [Counter]
    /// A patch set of SQLite's session extension; empty for none.
    var changes: [UInt8]

    /// The bytes in the log.
    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.append(byte: Self.format)
        writer.append(UInt64(schema))
        writer.append(UInt64(counters.count))
        for counter in counters {
            writer.append(text: counter.table)
            writer.append(signed: counter.value)
        }
        return writer.bytes + changes
    }

    init(schema: Int, counters: [Counter], changes: [UInt8]) {
        (self.schema, self.counters, self.changes) = (schema, counters, changes)
    }

    /// Decodes the bytes of a commit.
    ///
    /// - Throws: `ReplicaError`.
    init(decoding bytes: [UInt8]) throws {
        var reader = ByteReader(bytes)
        do {
            let format = try reader.byte()
            guard format == Self.format else { throw ReplicaError.otherFormat(format) }
            schema = Int(truncatingIfNeeded: try reader.number())
            let count = try reader.number()
            guard count < 1000 else { throw ReplicaError.unreadable }
            counters = try (0..<count).map { _ in Counter(table: try reader.text(), value: try reader.signed()) }
            changes = Array(reader.rest)
        } catch is CodecError {
            throw ReplicaError.unreadable
        }
    }

    /// Writes the transaction into a copy of its schema, within a transaction of the copy's connection.
    func apply(to db: Database) throws {
        var changes = changes
        if !changes.isEmpty { try ChangeSession.apply(&changes, to: db) }
        for counter in counters {
            try db.cachedStatement(sql: "DELETE FROM sqlite_sequence WHERE name = ?")
                .execute(arguments: [counter.table])
            try db.cachedStatement(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
                .execute(arguments: [counter.table, counter.value])
        }
    }

    /// The counters of all tables.
    static func counters(_ db: Database) throws -> [String: Int64] {
        var counters: [String: Int64] = [:]
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT name, seq FROM sqlite_sequence"))
        while let row = try rows.next() { counters[try row[0]] = try row[1] as Int64 }
        return counters
    }
}
