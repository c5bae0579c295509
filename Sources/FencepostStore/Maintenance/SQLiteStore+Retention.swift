public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore {
    /// Divisor of the retention that gives the headroom: how much longer expired fixes may stay in a segment with newer
    /// ones. It avoids that segments are rewritten for each expired fix.
    static let headroomDivisor = 30

    /// Expired fixes that a replay still needs are hidden at once, and removed with their row of the log.
    public func removeExpired(
        _ retention: Retention, now: Timestamp, isGuarded: Bool
    ) async throws -> [String: Int] {
        await maintenanceLock.acquire()
        let result = await Result { () async throws(StoreError) in
            try await remove(retention, now: now, isGuarded: isGuarded)
        }
        await maintenanceLock.release()
        return try result.get()
    }

    private func remove(
        _ retention: Retention, now: Timestamp, isGuarded: Bool
    ) async throws(StoreError) -> [String: Int] {
        try await keepNewestFix()
        var removed: [String: Int] = [:]
        func end(_ span: Duration, _ oldest: String, _ newest: String) async throws(StoreError) -> Timestamp {
            guard isGuarded else { return now - span }
            let (first, last) = try await read { db in
                (try Int64.fetchOne(db, sql: oldest), try Int64.fetchOne(db, sql: newest))
            }
            return RetentionGuard.limit(
                now - span, oldest: first.map { Timestamp(milliseconds: $0) },
                newest: last.map { Timestamp(milliseconds: $0) })
        }
        if let span = retention.locations {
            let end = try await end(
                span,
                """
                SELECT max(least, (SELECT history_floor FROM store)) FROM (SELECT min(
                  coalesce((SELECT min(first_received) FROM segment), 9223372036854775807),
                  coalesce((SELECT received_at FROM log ORDER BY position LIMIT 1), 9223372036854775807)) AS least)
                WHERE least < 9223372036854775807
                """, "SELECT received_at FROM log WHERE position = (SELECT max(position) FROM log)")
            removed["locations"] = try await removeFixes(
                before: end,
                headroom: min(.seconds(86_400), .milliseconds(span.milliseconds / Int64(Self.headroomDivisor))))
            for (kind, table) in [("quarantine", "quarantine"), ("reports", "report")] {
                removed[kind] = try await delete(from: table, "received_at < ?", [end.milliseconds])
            }
            try await deleteAll(from: "live_position", "received_at < ?", [end.milliseconds])
            try await removeOldRegions(before: end)
            try await deleteAll(from: "import", "state IN ('done', 'cancelled') AND created_at < ?", [end.milliseconds])
        }
        if let span = retention.events {
            // Numbers are given in the order of arrival.
            let end = try await end(
                span, "SELECT received_at FROM event ORDER BY number LIMIT 1",
                "SELECT received_at FROM event ORDER BY number DESC LIMIT 1")
            removed["events"] = try await deleteEvents(before: end)
            for (kind, table) in [("visits", "visit"), ("decisions", "decision")] {
                removed[kind] = try await delete(from: table, "received_at < ?", [end.milliseconds])
            }
        }
        if let span = retention.deliveries {
            let end = try await end(
                span, "SELECT min(created_at) FROM delivery WHERE status > 0",
                "SELECT max(created_at) FROM delivery WHERE status > 0")
            removed["deliveries"] = try await delete(
                from: "delivery", "status > 0 AND created_at < ?", [end.milliseconds])
        }
        try await deleteAll(
            from: "idempotency", "status IS NOT NULL AND claimed_at < ?", [(now - Self.keyLifetime).milliseconds])
        return removed
    }

    /// Deletes rows in small transactions.
    ///
    /// - Returns: number of deleted rows.
    func delete(
        from table: String, _ condition: String, _ arguments: StatementArguments, slice: Int = 200
    ) async throws(StoreError) -> Int {
        var removed = 0
        while true {
            let count = try await write { db in
                try db.cachedStatement(
                    sql:
                        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE \(condition) LIMIT \(slice))"
                ).execute(arguments: arguments)
                return db.changesCount
            }
            removed += count
            if count < slice { return removed }
        }
    }

    private func deleteAll(
        from table: String, _ condition: String, _ arguments: StatementArguments
    ) async throws(StoreError) {
        _ = try await delete(from: table, condition, arguments)
    }

    private func removeFixes(before limit: Timestamp, headroom: Duration) async throws(StoreError) -> Int {
        // A later floor would hide the fixes that come after a clock that is ahead was set right.
        let newest = try await read { db in
            try Int64.fetchOne(db, sql: "SELECT received_at FROM log WHERE position = (SELECT max(position) FROM log)")
        }
        guard let newest else { return 0 }
        let end = min(limit, Timestamp(milliseconds: newest + 1))
        var removed = try await write { db in
            let archive = try ArchiveState(db)
            guard end > archive.floor else { return 0 }
            try db.execute(sql: "UPDATE store SET history_floor = ?", arguments: [end.milliseconds])
            return try Int.fetchOne(
                db, sql: "SELECT sum(count) FROM log WHERE position > ? AND received_at >= ? AND received_at < ?",
                arguments: [archive.through, archive.floor.milliseconds, end.milliseconds]) ?? 0
        }
        while true {
            // Readers already ignore fixes before the floor. The deletion frees space and protects privacy.
            let count = try await write { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT id, count, device_id, last_time FROM segment
                        WHERE first_received < ?1 AND last_received < ?1 LIMIT 20
                        """, arguments: [end.milliseconds])
                for row in rows {
                    try HistoryWriter(db).raiseFloor(
                        of: DeviceID(row[2]), to: Timestamp(milliseconds: row[3]))
                    try db.cachedStatement(sql: "DELETE FROM segment WHERE id = ?")
                        .execute(arguments: [row[0] as Int64])
                }
                return (rows.count, try rows.reduce(0) { try $0 + ($1[1] as Int) })
            }
            removed += count.1
            if count.0 == 0 { break }
        }
        while true {
            let count = try await write { db in
                let rows = try Row.fetchAll(
                    db, sql: "SELECT id, device_id, fixes FROM segment WHERE first_received < ? LIMIT 20",
                    arguments: [(end - headroom).milliseconds])
                var removed = 0
                for row in rows {
                    let device = try DeviceID(row[1])
                    let fixes = try Segment.fixes([UInt8](row[2] as Data), device: device)
                    let rest = fixes.filter { $0.receivedAt >= end }
                    removed += fixes.count - rest.count
                    if let last = fixes.filter({ $0.receivedAt < end }).map(\.location.timestamp).max() {
                        try HistoryWriter(db).raiseFloor(of: device, to: last)
                    }
                    try db.cachedStatement(sql: "DELETE FROM segment WHERE id = ?")
                        .execute(arguments: [row[0] as Int64])
                    try Segment.insert(Segment(device: device, fixes: rest).encoded(), db)
                }
                return (rows.count, removed)
            }
            removed += count.1
            if count.0 == 0 { return removed }
        }
    }
}
