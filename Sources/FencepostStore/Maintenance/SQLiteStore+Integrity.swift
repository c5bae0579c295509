import GRDB

extension SQLiteStore {
    /// What SQLite finds wrong with the database, for simulations; empty for a sound one.
    package func integrityProblems() async throws(StoreError) -> [String] {
        try await read { db in
            let found = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return found == ["ok"] ? [] : found
        }
    }
}
