public import FencepostModel
import FencepostService
import GRDB

/// What the database knows about the true time, which a clock that is wrong contradicts.
extension SQLiteStore {
    /// The newest fix that was ever stored: the latest time that the clock of its sender and that of the service have both
    /// reached. It stays known when the fix is removed.
    ///
    /// The smaller of the two times counts, so that neither a phone nor a service with a clock that is ahead pretends a
    /// later time.
    public func newestFix() async throws -> Timestamp? { try await read { db in try Self.newestFix(db) } }

    /// Remembers that the true time is at least `trustedTime`.
    public func remember(trustedTime: Timestamp) async throws {
        try await write { db in try Self.raise("trusted_time", to: trustedTime, db) }
    }

    /// A time that has certainly passed; `nil` in a store that never had a fix.
    static func trustedTime(_ db: Database) throws -> Timestamp? {
        let known = try Int64.fetchOne(db, sql: "SELECT trusted_time FROM clock WHERE id = 1")
        return try [known.map { Timestamp(milliseconds: $0) }, newestFix(db)].compactMap { $0 }.max()
    }

    /// Keeps `newestFix` for the time when the rows that it comes from are removed.
    func keepNewestFix() async throws(StoreError) {
        try await write { db in
            guard let newest = try Self.newestFix(db) else { return }
            try Self.raise("newest_fix", to: newest, db)
        }
    }

    private static func raise(_ column: String, to time: Timestamp, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO clock (id, \(column)) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE
                SET \(column) = ?1 WHERE \(column) IS NULL OR \(column) < ?1
                """, arguments: [time.milliseconds])
    }

    private static func newestFix(_ db: Database) throws -> Timestamp? {
        let kept = try Int64.fetchOne(db, sql: "SELECT newest_fix FROM clock WHERE id = 1")
        return try [kept.map { Timestamp(milliseconds: $0) }, newestStoredFix(db)].compactMap { $0 }.max()
    }

    private static func newestStoredFix(_ db: Database) throws -> Timestamp? {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT received_at, devices, fixes FROM log
                WHERE position > (SELECT max(position) FROM log) - 2000 AND count > 0 ORDER BY position DESC LIMIT 20
                """)
        let newest = try rows.compactMap { row in
            let receivedAt = try Timestamp(milliseconds: row[0])
            return try LogRow.fixes(devices: row[1], fixes: row[2]).map { min($0.location.timestamp, receivedAt) }.max()
        }.max()
        if let newest { return newest }
        // The rows of the log may all be archived, or without fixes for long. Both columns are in indexes.
        let received = try Int64.fetchOne(db, sql: "SELECT max(last_received) FROM segment")
        let times = try Int64.fetchOne(db, sql: "SELECT max(last_time) FROM segment")
        guard let received, let times else { return nil }
        return Timestamp(milliseconds: min(received, times))
    }
}
