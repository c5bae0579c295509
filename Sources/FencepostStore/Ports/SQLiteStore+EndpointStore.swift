public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: EndpointStore {
    /// An endpoint with its health; `nil` when there is none.
    public func endpoint(id: String) async throws -> (endpoint: Endpoint, health: EndpointHealth)? {
        try await read { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT definition, health FROM endpoint WHERE id = ?", arguments: [id])
            else { return nil }
            guard let endpoint = try Self.endpoint(id, row[0]) else { return nil }
            return (endpoint, (try? JSONColumn.decode(EndpointHealth.self, row[1] as String)) ?? EndpointHealth())
        }
    }

    /// Adds an endpoint with good health, or replaces one, whose health stays.
    public func save(_ endpoint: Endpoint) async throws {
        let direct = direct
        try await write { db in
            try MissingMessages(db, direct).write(of: endpoint.id)
            try db.execute(
                sql: """
                    INSERT INTO endpoint (id, is_active, definition, health) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET is_active = excluded.is_active, definition = excluded.definition
                    """,
                arguments: [
                    endpoint.id, endpoint.isActive, try JSONColumn.encode(endpoint),
                    try JSONColumn.encode(EndpointHealth()),
                ])
        }
    }

    /// Adds an endpoint with good health; `false` when one with its id exists. It replaces one that cannot be read.
    public func add(_ endpoint: Endpoint) async throws -> Bool {
        try await write { db in
            let former = try String.fetchOne(
                db, sql: "SELECT definition FROM endpoint WHERE id = ?", arguments: [endpoint.id])
            if let former, Self.endpoint(endpoint.id, former) == nil {
                try db.execute(sql: "DELETE FROM endpoint WHERE id = ?", arguments: [endpoint.id])
            }
            try db.execute(
                sql: """
                    INSERT INTO endpoint (id, is_active, definition, health) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO NOTHING
                    """,
                arguments: [
                    endpoint.id, endpoint.isActive, try JSONColumn.encode(endpoint),
                    try JSONColumn.encode(EndpointHealth()),
                ])
            return db.changesCount > 0
        }
    }

    /// Replaces an endpoint that is as it was read.
    public func replace(_ former: Endpoint, with endpoint: Endpoint) async throws -> Bool {
        let direct = direct
        return try await write { db in
            guard try Self.isStored(former, db) else { return false }
            try MissingMessages(db, direct).write(of: former.id)
            try db.execute(
                sql: "UPDATE endpoint SET is_active = ?, definition = ? WHERE id = ?",
                arguments: [endpoint.isActive, try JSONColumn.encode(endpoint), former.id])
            return true
        }
    }

    private static func isStored(_ endpoint: Endpoint, _ db: Database) throws -> Bool {
        let text = try String.fetchOne(
            db, sql: "SELECT definition FROM endpoint WHERE id = ?", arguments: [endpoint.id])
        return text.flatMap { Self.endpoint(endpoint.id, $0) } == endpoint
    }

    /// Removes an endpoint and then cancels its pending deliveries, 500 in each transaction.
    public func removeEndpoint(id: String) async throws -> Bool { try await removeEndpoint(id) { _ in true } }

    /// Removes an endpoint that is as it was read, and then cancels its pending deliveries.
    public func removeEndpoint(_ former: Endpoint) async throws -> Bool {
        try await removeEndpoint(former.id) { db in try Self.isStored(former, db) }
    }

    private func removeEndpoint(
        _ id: String, if isExpected: @escaping @Sendable (Database) throws -> Bool
    ) async throws -> Bool {
        let direct = direct
        let isThere = try await write { db in
            guard try isExpected(db) else { return false }
            try MissingMessages(db, direct).write(of: id)
            try db.execute(sql: "DELETE FROM endpoint WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
        guard isThere else { return false }
        // An unreachable endpoint may have a million deliveries. Small transactions let commits proceed.
        while try await cancelPending(of: id) > 0 {}
        return true
    }

    private func cancelPending(of endpoint: String) async throws(StoreError) -> Int {
        try await write { db in
            // An endpoint that was created with the same id meanwhile keeps its deliveries.
            try db.execute(
                sql: """
                    UPDATE delivery SET status = 3, is_waiting = 0 WHERE number IN (
                      SELECT number FROM delivery WHERE endpoint_id = ?1 AND status = 0 LIMIT 500)
                    AND NOT EXISTS (SELECT 1 FROM endpoint WHERE id = ?1)
                    """, arguments: [endpoint])
            return db.changesCount
        }
    }

    /// Deliveries with all their attempts, by number.
    public func deliveries(
        endpoint: String?, status: DeliveryRecord.Status?, event: String?, after cursor: Int64, limit: Int
    ) async throws -> [(number: Int64, record: DeliveryRecord)] {
        let tail = eventTail
        return try await read { db in
            var conditions = Conditions()
            if let event {
                let time = try EventRows(db, tail).summary(ofID: event)?.timestamp.milliseconds
                conditions.add("event_timestamp IS ? AND event_id = ?", time, event)
                if let endpoint { conditions.add("endpoint_id = ?", endpoint) }
                if let status { conditions.add("status = ?", status.code) }
                conditions.add("number > ?", cursor)
            } else if endpoint == nil, status == nil {
                conditions.add("number > ?", cursor)
            } else {
                let numbers = try DeliveryList.numbers(
                    db, endpoint: endpoint, status: status, after: cursor, limit: limit)
                conditions.add("number IN (SELECT value FROM json_each(?))", numbers.json)
            }
            return try Self.records(db, conditions, limit: limit)
        }
    }

    /// A delivery with all its attempts; `nil` when there is none.
    public func delivery(id: String) async throws -> DeliveryRecord? {
        try await read { db in
            var conditions = Conditions()
            conditions.add("id = ?", id)
            return try Self.records(db, conditions, limit: 1).first?.record
        }
    }

    private static func records(
        _ db: Database, _ conditions: Conditions, limit: Int
    ) throws -> [(number: Int64, record: DeliveryRecord)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT \(PendingDelivery.columns), number, status FROM delivery
                WHERE \(conditions.sql) ORDER BY number LIMIT \(max(0, limit))
                """, arguments: conditions.arguments)
        var headers = PendingDelivery.Headers()
        return try rows.map { row in
            let number: Int64 = try row[11]
            let attempts = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT number, started_at, nanoseconds, status, failure, excerpt, next_attempt
                        FROM attempt WHERE delivery = ? ORDER BY id
                        """), arguments: [number])
            let record = DeliveryRecord(
                try PendingDelivery(row: row, &headers), status: try DeliveryRecord.Status(code: row[12]),
                attempts: try attempts.map { attempt in
                    try DeliveryAttempt(
                        number: attempt[0], startedAt: Timestamp(milliseconds: attempt[1]),
                        duration: .nanoseconds(attempt[2] as Int64), status: attempt[3],
                        failure: (attempt[4] as String?).flatMap(DeliveryAttempt.Failure.init(rawValue:)),
                        excerpt: attempt[5],
                        nextAttempt: (attempt[6] as Int64?).map { Timestamp(milliseconds: $0) })
                })
            return (number, record)
        }
    }

    /// Makes a delivery due now; that of an ordered endpoint may wait for earlier ones of its device.
    public func retry(delivery id: String, at now: Timestamp) async throws -> Bool {
        try await write { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT number, endpoint_id, device_id, is_ordered FROM delivery WHERE id = ?",
                arguments: [id])
            guard let row else { return false }
            try DeliveryQueue(db).revive(
                number: row[0], endpoint: row[1], orderedDevice: row[3] ? row[2] : nil, at: now)
            return true
        }
    }

    /// Makes dead letters due now, 500 in each transaction.
    public func retryExhausted(endpoint: String, since: Timestamp, at now: Timestamp) async throws -> Int {
        var (count, cursor) = (0, Int64.min)
        while true {
            let after = cursor
            let numbers = try await write { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT number, endpoint_id, device_id, is_ordered FROM delivery
                        WHERE endpoint_id = ? AND status = 2 AND number > ? AND created_at >= ?
                        ORDER BY number LIMIT 500
                        """, arguments: [endpoint, after, since.milliseconds])
                for row in rows {
                    try DeliveryQueue(db).revive(
                        number: row[0], endpoint: row[1], orderedDevice: row[3] ? row[2] : nil, at: now)
                }
                return try rows.map { try $0[0] as Int64 }
            }
            guard let last = numbers.last else { return count }
            (count, cursor) = (count + numbers.count, last)
        }
    }

    /// Ignores deliveries of events that are not stored.
    public func enqueue(_ deliveries: [NewDelivery], at now: Timestamp) async throws -> Int {
        let tail = eventTail
        return try await write { db in
            var queue = DeliveryQueue(db)
            var count = 0
            for delivery in deliveries {
                guard let event = try EventRows(db, tail).summary(ofID: delivery.eventID) else { continue }
                if try queue.insert(delivery, of: event, isNewEvent: false, at: now) { count += 1 }
            }
            return count
        }
    }

    /// Stores an event with its messages in one transaction.
    public func append(_ event: NewEvent, deliveries: [NewDelivery], at now: Timestamp) async throws {
        let tail = eventTail
        try await write { db in _ = try CommitWriter(db, tail).write([event], deliveries: deliveries, at: now) }
    }
}
