import FencepostModel
public import FencepostService
import GRDB

extension SQLiteStore: NetworkStore {
    private static func network(_ row: Row) throws -> AllowedNetwork {
        try AllowedNetwork(id: row[0], network: row[1], createdAt: Timestamp(milliseconds: row[2]))
    }

    /// All networks that administrators allow, sorted by id.
    public func allowedNetworks() async throws -> [AllowedNetwork] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, network, created_at FROM allowed_network ORDER BY id")
                .map(Self.network)
        }
    }

    /// Adds a network; `false` when it is there.
    public func add(_ network: AllowedNetwork) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO allowed_network (id, network, created_at) VALUES (?, ?, ?)",
                arguments: [network.id, network.network, network.createdAt.milliseconds])
            return db.changesCount > 0
        }
    }

    /// Removes a network and returns it; `nil` when none has the id.
    public func removeNetwork(id: String) async throws -> AllowedNetwork? {
        try await write { db in
            let found = try Row.fetchOne(
                db, sql: "SELECT id, network, created_at FROM allowed_network WHERE id = ?", arguments: [id]
            ).map(Self.network)
            try db.execute(sql: "DELETE FROM allowed_network WHERE id = ?", arguments: [id])
            return found
        }
    }
}
