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
}
