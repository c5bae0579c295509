public import FencepostModel
public import FencepostService
import Foundation
import GRDB

/// Messages of a disabled endpoint stay pending but are not due. Those of a removed endpoint are cancelled.
extension SQLiteStore: Outbox {
    /// All endpoints that can be read, sorted by id. `fencepost doctor` names the others; a `PUT` replaces one.
    public func endpoints() async throws -> [Endpoint] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, definition FROM endpoint ORDER BY id").compactMap { row in
                try Self.endpoint(row[0], row[1])
            }
        }
    }

    /// A stored endpoint; `nil` where it cannot be read.
    static func endpoint(_ id: String, _ definition: String) -> Endpoint? {
        // Another id would be that of another row.
        (try? JSONColumn.decode(Endpoint.self, definition)).flatMap { $0.id == id ? $0 : nil }
    }

    /// The health of an endpoint; good health for an unknown one.
    public func health(of endpoint: String) async throws -> EndpointHealth {
        try await read { db in
            let text = try String.fetchOne(db, sql: "SELECT health FROM endpoint WHERE id = ?", arguments: [endpoint])
            return text.flatMap { try? JSONColumn.decode(EndpointHealth.self, $0) } ?? EndpointHealth()
        }
    }

    /// Due deliveries by due time and then by number. A disabled endpoint has none.
    public func due(
        for endpoint: String, at now: Timestamp, excluding: Set<String>, limit: Int
    ) async throws -> [PendingDelivery] {
        try await read { db in
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT \(PendingDelivery.columns) FROM delivery INDEXED BY delivery_due
                        WHERE endpoint_id = ?1 AND status = 0 AND is_waiting = 0 AND due <= ?2 AND \(Self.isActive)
                        ORDER BY due, number
                        """), arguments: [endpoint, now.milliseconds])
            var deliveries: [PendingDelivery] = []
            var headers = PendingDelivery.Headers()
            while deliveries.count < limit, let row = try rows.next() {
                if try !excluding.contains(row[0]) { deliveries.append(try PendingDelivery(row: row, &headers)) }
            }
            return deliveries
        }
    }

    /// The earliest due time; `nil` for a disabled endpoint.
    public func nextDue(for endpoint: String, excluding: Set<String>) async throws -> Timestamp? {
        try await read { db in
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT id, due FROM delivery INDEXED BY delivery_due
                        WHERE endpoint_id = ?1 AND status = 0 AND is_waiting = 0 AND \(Self.isActive)
                        ORDER BY due, number
                        """), arguments: [endpoint])
            while let row = try rows.next() {
                if try !excluding.contains(row[0]) { return try Timestamp(milliseconds: row[1]) }
            }
            return nil
        }
    }

    private static let isActive = "EXISTS (SELECT 1 FROM endpoint WHERE id = ?1 AND is_active)"

    /// Events and their deliveries are stored with the time of the event: an event about an attempt happens when it is
    /// stored.
    ///
    /// Without events the transaction is not synced. It survives the end of the process at once, and a power cut with the
    /// next commit; a power cut before repeats these messages. So results of attempts are written within a fraction of
    /// the time that a sync takes, and fewer messages are repeated after a crash.
    public func settle(
        _ settlements: [Settlement], events: [NewEvent], deliveries: [NewDelivery], direct: DirectProgress
    ) async throws {
        let tail = eventTail
        try await write(isSynced: !events.isEmpty || !deliveries.isEmpty) { db in
            var queue = DeliveryQueue(db)
            let writer = CommitWriter(db, tail)
            for settlement in settlements { try queue.settle(settlement) }
            for message in direct.messages { try MissingMessages.write(message, db, &queue) }
            for (endpoint, position) in direct.positions {
                try queue.execute(
                    position == nil
                        ? "UPDATE endpoint SET written_through = ?1 WHERE id = ?2"
                        : "UPDATE endpoint SET written_through = max(coalesce(written_through, 0), ?1) WHERE id = ?2",
                    [position, endpoint])
            }
            var moments: [String: Timestamp] = [:]
            for event in events { moments[event.id] = event.timestamp }
            let latest = events.map(\.timestamp).max() ?? settlements.compactMap(\.attempt?.startedAt).max()
            for event in events {
                try writer.write(
                    [event], deliveries: deliveries.filter { $0.eventID == event.id }, at: event.timestamp)
            }
            for delivery in deliveries where moments[delivery.eventID] == nil {
                guard let event = try writer.events.summary(ofID: delivery.eventID) else {
                    throw CommitWriter.missing(delivery)
                }
                _ = try queue.insert(
                    delivery, of: event, isNewEvent: false, at: latest ?? Timestamp(milliseconds: 0))
            }
        }
    }

    /// Stores the health of an endpoint, and its state if it is disabled; ignored for one that was changed or removed.
    public func update(_ endpoint: Endpoint, health: EndpointHealth) async throws {
        let direct = direct
        try await write { db in
            guard
                let text = try String.fetchOne(
                    db, sql: "SELECT definition FROM endpoint WHERE id = ?", arguments: [endpoint.id])
            else { return }
            var stored = try JSONColumn.decode(Endpoint.self, text)
            guard stored.isDefined(as: endpoint) else { return }
            if !endpoint.isActive {
                try MissingMessages(db, direct).write(of: endpoint.id)
                stored.state = endpoint.state
            }
            try db.execute(
                sql: "UPDATE endpoint SET is_active = ?, definition = ?, health = ? WHERE id = ?",
                arguments: [
                    stored.isActive, try JSONColumn.encode(stored), try JSONColumn.encode(health), endpoint.id,
                ])
        }
    }

    /// The number of pending deliveries of all endpoints, and the creation time of the first one by number.
    public func backlog() async throws -> (pending: Int, oldest: Timestamp?) {
        try await read { db in
            var (count, first) = (0, Int64?.none)
            for endpoint in try DeliveryList.endpoints(db) {
                count +=
                    try Int.fetchOne(
                        db.cachedStatement(
                            sql: "SELECT count(*) FROM delivery WHERE endpoint_id = ? AND status = 0"),
                        arguments: [endpoint]) ?? 0
                let oldest = try DeliveryList.numbers(db, [(endpoint, .pending)], after: .min, limit: 1)
                first = [first, oldest.first].compactMap(\.self).min()
            }
            let oldest = try first.flatMap {
                try Int64.fetchOne(db, sql: "SELECT created_at FROM delivery WHERE number = ?", arguments: [$0])
            }
            return (count, oldest.map { Timestamp(milliseconds: $0) })
        }
    }
}
