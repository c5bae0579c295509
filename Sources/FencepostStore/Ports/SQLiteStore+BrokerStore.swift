public import FencepostService
import GRDB

extension SQLiteStore: BrokerStore {
    /// The broker as it is stored; `nil` for none.
    public func brokerText() async throws -> String? {
        try await read { db in try String.fetchOne(db, sql: "SELECT definition FROM broker") }
    }

    /// Compares and changes the broker in one transaction.
    public func changeBroker(from former: String?, to text: String?) async throws -> Bool {
        try await write { db in
            guard try String.fetchOne(db, sql: "SELECT definition FROM broker") == former else { return false }
            guard let text else {
                try db.execute(sql: "DELETE FROM broker")
                return true
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO broker (id, definition) VALUES (1, ?)", arguments: [text])
            return true
        }
    }
}
