public import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Fixes whose time was refused.
extension SQLiteStore {
    /// Quarantined fixes by number, from the one after the cursor. Rows whose fix cannot be decoded are left out.
    public func quarantinedFixes(
        after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, format: String, fix: Location)] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT number, format, device_id, fix FROM quarantine
                    WHERE fix IS NOT NULL AND number > ? ORDER BY number LIMIT ?
                    """, arguments: [cursor, limit])
            return try rows.compactMap { row in
                guard let device = try row[2] as String?, let bytes = try row[3] as Data?,
                    let fix = try FixDecoder.all([UInt8](bytes), devices: [DeviceID(device)]).first
                else { return nil }
                return try (row[0], row[1], fix.location)
            }
        }
    }

    /// Removes rows by their numbers, in one transaction.
    public func removeQuarantined(_ numbers: [Int64]) async throws {
        try await write { db in
            for number in numbers {
                try db.cachedStatement(sql: "DELETE FROM quarantine WHERE number = ?").execute(arguments: [number])
            }
        }
    }

    /// The newest stored fix: the latest time that the clock of its sender and that of the service have both reached.
    ///
    /// The smaller of the two times counts, so that neither a phone nor a service with a clock that is ahead pretends a
    /// later time.
    public func newestFix() async throws -> Timestamp? { try await read { db in try Self.newestFix(db) } }

    static func newestFix(_ db: Database) throws -> Timestamp? {
        let rows = try Row.fetchAll(
            db, sql: "SELECT received_at, devices, fixes FROM log WHERE count > 0 ORDER BY position DESC LIMIT 20")
        let newest = try rows.compactMap { row in
            let receivedAt = try Timestamp(milliseconds: row[0])
            return try LogRow.fixes(devices: row[1], fixes: row[2]).map { min($0.location.timestamp, receivedAt) }.max()
        }.max()
        if let newest { return newest }
        // The rows of the log may all be archived. Both columns are in indexes.
        let received = try Int64.fetchOne(db, sql: "SELECT max(last_received) FROM segment")
        let times = try Int64.fetchOne(db, sql: "SELECT max(last_time) FROM segment")
        guard let received, let times else { return nil }
        return Timestamp(milliseconds: min(received, times))
    }
}
