import FencepostModel
import FencepostService
import GRDB

extension SQLiteStore {
    /// Adds the newest events to the indexes, in small transactions, if there are enough or they waited long enough.
    ///
    /// - Returns: the number of events; 0 if nothing was due.
    func indexEventsIfDue(at now: Timestamp, isForced: Bool) async throws(StoreError) -> Int {
        let (count, oldest) = eventTail.backlog
        guard isForced || count >= limits.eventBatch || oldest.map({ $0 + limits.eventWait <= now }) ?? false else {
            return 0
        }
        return try await indexEvents(isPaced: !isForced)
    }

    /// Adds the events that are there now to the indexes.
    ///
    /// - Returns: the number of events.
    @discardableResult
    func indexEvents(isPaced: Bool) async throws(StoreError) -> Int {
        let last = eventTail.slice(of: .max)?.upperBound ?? 0
        var indexed = 0
        while let slice = eventTail.slice(of: limits.eventSlice), slice.lowerBound <= last {
            // The more events wait, the less time is left to commits, and the more events get into the pages that change.
            let backlog = eventTail.backlog.events
            let share = min(30, 2 * limits.eventBacklog / max(1, backlog))
            // A power cut may undo it: the next start finds these events without their entries again.
            indexed += try await writeSlice(
                isPaced: isPaced && backlog < limits.eventBacklog, share: share, isSynced: false
            ) { db in
                // OR FAIL: the transaction is rolled back as a whole, so SQLite need not copy each page for the statement.
                let sql = "UPDATE OR FAIL event SET is_indexed = 1 WHERE number >= ? AND number <= ? AND is_indexed = 0"
                let span: StatementArguments = [slice.lowerBound, slice.upperBound]
                do {
                    try db.cachedStatement(sql: sql).execute(arguments: span)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    // Otherwise no event would get into the indexes any more.
                    try Self.renameDoubles(db, in: slice)
                    // The cached statement still has its error.
                    try db.execute(sql: sql, arguments: span)
                }
                return db.changesCount
            }
            eventTail.didIndex(through: slice.upperBound)
        }
        return indexed
    }

    /// Gives each event another id whose id an earlier event has. A writer that asks before it inserts makes none.
    private static func renameDoubles(_ db: Database, in slice: ClosedRange<Int64>) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT number, id, body FROM event AS double WHERE number >= ?1 AND number <= ?2 AND is_indexed = 0
                  AND (EXISTS (SELECT 1 FROM event WHERE is_indexed = 1 AND event.id = double.id)
                    OR EXISTS (SELECT 1 FROM event WHERE number >= ?1 AND number < double.number AND is_indexed = 0
                      AND event.id = double.id))
                ORDER BY number
                """, arguments: [slice.lowerBound, slice.upperBound])
        for row in rows {
            let (number, id, body): (Int64, String, String) = try (row[0], row[1], row[2])
            var identity = Identity()
            identity.add(id)
            identity.add("double")
            identity.add(number)
            let next = identity.text(prefix: "evt_")
            try db.execute(
                sql: "UPDATE event SET id = ?, body = ?, hash = NULL WHERE number = ?",
                arguments: [next, body.replacing(id, with: next), number])
        }
    }

    /// Deletes events that the indexes have, with their messages, in small transactions.
    ///
    /// - Returns: the number of deleted events.
    func deleteEvents(
        _ condition: String, _ arguments: StatementArguments, slice: Int = 200
    ) async throws(StoreError) -> Int {
        var removed = 0
        while true {
            let count = try await write { db in
                let old = try Row.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT number, id FROM event WHERE is_indexed = 1 AND \(condition) LIMIT \(slice)"),
                    arguments: arguments)
                // The next messages of an ordered queue wait for one that is deleted.
                var queues: Set<[String]> = []
                for event in old {
                    let ordered = try Row.fetchCursor(
                        db.cachedStatement(
                            sql: """
                                SELECT endpoint_id, device_id FROM delivery
                                WHERE event_id = ? AND status = 0 AND is_ordered = 1 AND device_id IS NOT NULL
                                """), arguments: [event[1] as String])
                    while let queue = try ordered.next() { try queues.insert([queue[0], queue[1]]) }
                    try db.cachedStatement(sql: "DELETE FROM delivery WHERE event_id = ?")
                        .execute(arguments: [event[1] as String])
                    try db.cachedStatement(sql: "DELETE FROM event WHERE number = ?")
                        .execute(arguments: [event[0] as Int64])
                }
                for queue in queues.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    try DeliveryQueue(db).renewHead(endpoint: queue[0], device: queue[1])
                }
                return old.count
            }
            removed += count
            if count < slice { return removed }
        }
    }
}
