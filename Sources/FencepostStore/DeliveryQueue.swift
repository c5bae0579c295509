import FencepostModel
import FencepostService
import Foundation
import GRDB

/// The deliveries as rows: adds, settles and revives them, inside a transaction.
struct DeliveryQueue {
    let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// `dlv_…` of the message about an event for an endpoint.
    static func id(endpoint: String, event: String) -> String {
        var identity = Identity()
        identity.add(endpoint)
        identity.add(event)
        return identity.text(prefix: "dlv_")
    }

    /// Adds a message, at once cancelled when its endpoint is gone; one that is there already stays as it is.
    ///
    /// - Returns: whether it is new.
    /// - Throws: when its event is not stored.
    func insert(_ delivery: NewDelivery, at now: Timestamp) throws -> Bool {
        let isKnown = try fetch("SELECT 1 FROM endpoint WHERE id = ?", [delivery.endpointID])
        var isWaiting = false
        if delivery.isOrdered, let device = delivery.deviceID {
            isWaiting = try fetch(
                "SELECT 1 FROM delivery WHERE endpoint_id = ? AND device_id = ? AND status = 0 AND is_ordered = 1",
                [delivery.endpointID, device.rawValue])
        }
        let status = isKnown ? DeliveryRecord.Status.pending : .cancelled
        try execute(
            """
            INSERT INTO delivery (id, endpoint_id, event_id, event_type, device_id, is_ordered, status, is_waiting,
              attempts, created_at, due, headers, body)
            VALUES (?1, ?2, ?3, (SELECT type FROM event WHERE id = ?3), ?4, ?5, ?6, ?7, 0, ?8, ?8, ?9, ?10)
            ON CONFLICT (id) DO NOTHING
            """,
            [
                Self.id(endpoint: delivery.endpointID, event: delivery.eventID), delivery.endpointID, delivery.eventID,
                delivery.deviceID?.rawValue, delivery.isOrdered, status.code, isKnown && isWaiting, now.milliseconds,
                try Texts.encode(delivery.headers), delivery.body,
            ])
        return db.changesCount > 0
    }

    func settle(_ settlement: Settlement) throws {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT number, status, endpoint_id, device_id, is_ordered FROM delivery WHERE id = ?"),
                arguments: [settlement.deliveryID])
        else { return }  // erased, or past its retention
        let number: Int64 = row[0]
        if let attempt = settlement.attempt { try insert(attempt, of: number) }
        let isPending = row[1] as Int == DeliveryRecord.Status.pending.code
        switch settlement.result {
        case .retry(let due):
            // What is over stays over, whatever an attempt that was under way says of the next one.
            guard isPending else { return }
            try execute("UPDATE delivery SET due = ? WHERE number = ?", [due.milliseconds, number])
            return
        case .delivered: try execute("UPDATE delivery SET status = 1, is_waiting = 0 WHERE number = ?", [number])
        case .exhausted: try finish(number, as: .exhausted)
        case .cancelled: try finish(number, as: .cancelled)
        }
        if row[4], let device = row[3] as String? { try renewHead(endpoint: row[2], device: device) }
    }

    private func finish(_ number: Int64, as status: DeliveryRecord.Status) throws {
        try execute(
            "UPDATE delivery SET status = ?, is_waiting = 0 WHERE number = ? AND status = 0", [status.code, number])
    }

    private func insert(_ attempt: DeliveryAttempt, of delivery: Int64) throws {
        let (seconds, attoseconds) = attempt.duration.components
        try execute(
            """
            INSERT INTO attempt (delivery, number, started_at, nanoseconds, status, failure, excerpt, next_attempt)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                delivery, attempt.number, attempt.startedAt.milliseconds,
                seconds * 1_000_000_000 + attoseconds / 1_000_000_000, attempt.status, attempt.failure?.rawValue,
                attempt.excerpt, attempt.nextAttempt?.milliseconds,
            ])
        try execute("UPDATE delivery SET attempts = attempts + 1 WHERE number = ?", [delivery])
    }

    /// Makes a delivery due at once, whatever became of it before.
    func revive(number: Int64, endpoint: String, orderedDevice: String?, at now: Timestamp) throws {
        try execute(
            "UPDATE delivery SET status = 0, is_waiting = 0, due = ? WHERE number = ?", [now.milliseconds, number])
        if let orderedDevice { try renewHead(endpoint: endpoint, device: orderedDevice) }
    }

    /// Lets the first pending message of an ordered endpoint and device go, and all others wait for it.
    private func renewHead(endpoint: String, device: String) throws {
        let queue = "endpoint_id = ?1 AND device_id = ?2 AND status = 0 AND is_ordered = 1"
        let heads = try [0, 1].map { isWaiting in
            try Int64.fetchOne(
                db.cachedStatement(
                    sql: "SELECT number FROM delivery WHERE \(queue) AND is_waiting = ?3 ORDER BY number LIMIT 1"),
                arguments: [endpoint, device, isWaiting])
        }
        guard let head = heads.compactMap(\.self).min() else { return }
        try execute("UPDATE delivery SET is_waiting = 0 WHERE number = ? AND is_waiting = 1", [head])
        // One other may have been let go, before an older one was revived.
        try execute(
            "UPDATE delivery SET is_waiting = 1 WHERE \(queue) AND is_waiting = 0 AND number > ?3",
            [endpoint, device, head])
    }

    private func fetch(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
        try Int.fetchOne(db.cachedStatement(sql: sql), arguments: arguments) != nil
    }

    func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension DeliveryRecord.Status {
    /// Its number in the database.
    var code: Int {
        switch self {
        case .pending: 0
        case .delivered: 1
        case .exhausted: 2
        case .cancelled: 3
        }
    }

    init(code: Int) throws {
        guard let status = Self.allCases.first(where: { $0.code == code }) else {
            throw StoreError(.corrupt, "A delivery has the unknown status \(code).")
        }
        self = status
    }
}

extension PendingDelivery {
    /// The columns that `init(row:)` wants, in its order.
    static let columns =
        "id, endpoint_id, event_id, event_type, device_id, body, headers, attempts, created_at, due"

    init(row: Row) throws {
        self.init(
            id: row[0], endpointID: row[1], eventID: row[2], eventType: row[3],
            deviceID: (row[4] as String?).map { DeviceID($0) }, body: row[5],
            headers: try Texts.decode([String: String].self, row[6]), attempts: row[7],
            createdAt: Timestamp(milliseconds: row[8]), due: Timestamp(milliseconds: row[9]))
    }
}
