import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Inserts, settles and revives deliveries, inside a transaction.
struct DeliveryQueue {
    let db: Database
    /// Endpoints that exist, and those that do not, as far as they were asked for in this transaction.
    private var endpoints: [String: Bool] = [:]
    /// The header fields of the last row and their text: those of the messages of an endpoint are mostly the same.
    private var headers: (fields: [String: String], text: String) = ([:], JSONColumn.encode([String: String]()))

    init(_ db: Database) {
        self.db = db
    }

    /// The id `dlv_…` of the delivery of an event to an endpoint.
    ///
    /// It begins with the time of the event, so that the ids of one commit are next to each other in their index: else each of them
    /// changes a page of its own.
    static func id(endpoint: String, event: String, timestamp: Timestamp) -> String {
        var time = UInt64(max(0, min(timestamp.milliseconds, 1 << 45 - 1)))
        var text = Array(repeating: UInt8(0), count: timeLength)
        for index in text.indices.reversed() {
            text[index] = Identity.digits[Int(time & 31)]
            time >>= 5
        }
        let hash = formerID(endpoint: endpoint, event: event).dropFirst(4 + timeLength)
        return "dlv_" + String(decoding: text, as: UTF8.self) + hash
    }

    /// Characters of the time in an id, five bits each: milliseconds until the year 3084.
    private static let timeLength = 9

    /// The id that earlier versions gave a delivery.
    private static func formerID(endpoint: String, event: String) -> String {
        var identity = Identity()
        identity.add(endpoint)
        identity.add(event)
        return identity.text(prefix: "dlv_")
    }

    /// Inserts a message, cancelled if its endpoint does not exist. An existing one stays unchanged.
    ///
    /// - Parameters:
    ///   - delivery: the message.
    ///   - event: its event.
    ///   - isNewEvent: whether the event was not stored before, so that it has no message by an id of an earlier version.
    ///   - now: when the message is stored.
    /// - Returns: whether it is new.
    /// - Throws: what the database says.
    mutating func insert(
        _ delivery: NewDelivery, of event: EventRows.Summary, isNewEvent: Bool, at now: Timestamp
    ) throws -> Bool {
        let former = Self.formerID(endpoint: delivery.endpointID, event: delivery.eventID)
        if try !isNewEvent && fetch("SELECT 1 FROM delivery WHERE id = ?", [former]) { return false }
        let isKnown = try exists(delivery.endpointID)
        var isWaiting = false
        if delivery.isOrdered, let device = delivery.deviceID {
            isWaiting = try fetch(
                "SELECT 1 FROM delivery WHERE endpoint_id = ? AND device_id = ? AND status = 0 AND is_ordered = 1",
                [delivery.endpointID, device.rawValue])
        }
        return try insert(
            PendingDelivery(delivery, of: event, at: now), status: isKnown ? .pending : .cancelled,
            order: delivery.isOrdered ? isKnown && isWaiting ? .waiting : .first : .any)
    }

    /// Inserts the row of a message that was sent without one.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - settlement: the outcome of its first attempt; `nil` before that.
    /// - Throws: what the database says.
    mutating func insert(_ message: PendingDelivery, result settlement: Settlement?) throws {
        guard try exists(message.endpointID) else {
            _ = try insert(message, status: .cancelled, order: .any)
            return
        }
        var (message, status) = (message, DeliveryRecord.Status.pending)
        switch settlement?.result {
        case .retry(let due): message.due = due
        case .delivered: status = .delivered
        case .exhausted: status = .exhausted
        case .cancelled: status = .cancelled
        case .expired: status = .expired
        case .suppressed: status = .suppressed
        case nil: break
        }
        message.attempts = settlement?.attempt == nil ? 0 : 1
        guard try insert(message, status: status, order: .any), let attempt = settlement?.attempt else { return }
        try insert(attempt, of: db.lastInsertedRowID)
    }

    /// Whether a message waits for an earlier one of its device.
    private enum Order {
        case any, first, waiting
    }

    /// Inserts a row, unless there is one with its id.
    ///
    /// - Returns: whether it is new.
    private mutating func insert(
        _ message: PendingDelivery, status: DeliveryRecord.Status, order: Order
    ) throws -> Bool {
        if headers.fields != message.headers {
            headers = (message.headers, JSONColumn.encode(message.headers))
        }
        let device = message.deviceID?.rawValue
        var row = try RowStatement(
            db,
            """
            INSERT INTO delivery (id, endpoint_id, event_id, event_type, event_timestamp, device_id, is_ordered, status,
              is_waiting, attempts, created_at, due, headers, body, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """)
        for text in [message.id, message.endpointID, message.eventID, message.eventType] { row.bind(text) }
        row.bind(message.eventTimestamp?.milliseconds)
        row.bind(device)
        row.bind(order != .any)
        row.bind(status.code)
        row.bind(order == .waiting)
        row.bind(message.attempts)
        row.bind(message.createdAt.milliseconds)
        row.bind(message.due.milliseconds)
        row.bind(headers.text)
        row.bind(message.body)
        row.bind(
            ContentHash.delivery(
                id: message.id, endpoint: message.endpointID, event: message.eventID, device: device,
                createdAt: message.createdAt.milliseconds, headers: headers.text, body: message.body))
        try row.execute()
        return db.changesCount > 0
    }

    private mutating func exists(_ endpoint: String) throws -> Bool {
        if let known = endpoints[endpoint] { return known }
        let isThere = try fetch("SELECT 1 FROM endpoint WHERE id = ?", [endpoint])
        endpoints[endpoint] = isThere
        return isThere
    }

    mutating func settle(_ settlement: Settlement) throws {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT number, status, endpoint_id, device_id, is_ordered FROM delivery WHERE id = ?"),
                arguments: [settlement.deliveryID])
        else {
            // It has no row yet; or it was erased, or removed after its retention.
            if let message = settlement.message, try MissingMessages.exists(message.event, db) {
                try insert(message.delivery, result: settlement)
            }
            return
        }
        let number: Int64 = try row[0]
        if let attempt = settlement.attempt { try insert(attempt, of: number) }
        let made = settlement.attempt == nil ? 0 : 1
        let isPending = try row[1] as Int == DeliveryRecord.Status.pending.code
        // One change of the row, which has the body.
        func finish(as status: DeliveryRecord.Status) throws {
            // A delivery that was finished during the attempt stays as it is, unless it was delivered.
            guard isPending || status == .delivered else { return try count(made, of: number) }
            try execute(
                "UPDATE delivery SET status = ?, is_waiting = 0, attempts = attempts + ? WHERE number = ?",
                [status.code, made, number])
        }
        switch settlement.result {
        case .retry(let due):
            guard isPending else { return try count(made, of: number) }
            try execute(
                "UPDATE delivery SET due = ?, attempts = attempts + ? WHERE number = ?",
                [due.milliseconds, made, number])
            return
        case .delivered: try finish(as: .delivered)
        case .exhausted: try finish(as: .exhausted)
        case .cancelled: try finish(as: .cancelled)
        case .expired: try finish(as: .expired)
        case .suppressed: try finish(as: .suppressed)
        }
        if try row[4], let device = try row[3] as String? { try renewHead(endpoint: row[2], device: device) }
    }

    /// Counts an attempt.
    private func count(_ made: Int, of number: Int64) throws {
        guard made > 0 else { return }
        try execute("UPDATE delivery SET attempts = attempts + ? WHERE number = ?", [made, number])
    }

    private func insert(_ attempt: DeliveryAttempt, of delivery: Int64) throws {
        let (seconds, attoseconds) = attempt.duration.components
        var row = try RowStatement(
            db,
            """
            INSERT INTO attempt (delivery, number, started_at, nanoseconds, status, failure, excerpt, next_attempt)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        row.bind(delivery)
        row.bind(attempt.number)
        row.bind(attempt.startedAt.milliseconds)
        row.bind(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        row.bind(attempt.status)
        row.bind(attempt.failure?.rawValue)
        row.bind(attempt.excerpt)
        row.bind(attempt.nextAttempt?.milliseconds)
        try row.execute()
    }

    /// Makes a delivery due now, in any state.
    func revive(number: Int64, endpoint: String, orderedDevice: String?, at now: Timestamp) throws {
        try execute(
            "UPDATE delivery SET status = 0, is_waiting = 0, due = ? WHERE number = ?", [now.milliseconds, number])
        if let orderedDevice { try renewHead(endpoint: endpoint, device: orderedDevice) }
    }

    /// Makes the first pending message of an ordered endpoint and device sendable, and all others wait for it.
    func renewHead(endpoint: String, device: String) throws {
        let queue = "endpoint_id = ?1 AND device_id = ?2 AND status = 0 AND is_ordered = 1"
        let heads = try [0, 1].map { isWaiting in
            try Int64.fetchOne(
                db.cachedStatement(
                    sql: "SELECT number FROM delivery WHERE \(queue) AND is_waiting = ?3 ORDER BY number LIMIT 1"),
                arguments: [endpoint, device, isWaiting])
        }
        guard let head = heads.compactMap(\.self).min() else { return }
        try execute("UPDATE delivery SET is_waiting = 0 WHERE number = ? AND is_waiting = 1", [head])
        // Another one may have been sendable before an older one was revived.
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
    /// The code in the database.
    var code: Int {
        switch self {
        case .pending: 0
        case .delivered: 1
        case .exhausted: 2
        case .cancelled: 3
        case .expired: 4
        case .suppressed: 5
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
    /// A message as it is stored with its event.
    init(_ delivery: NewDelivery, of event: EventRows.Summary, at now: Timestamp) {
        self.init(
            id: DeliveryQueue.id(
                endpoint: delivery.endpointID, event: delivery.eventID, timestamp: event.timestamp),
            endpointID: delivery.endpointID, eventID: delivery.eventID, eventType: event.type,
            deviceID: delivery.deviceID, body: delivery.body, headers: delivery.headers, attempts: 0, createdAt: now,
            due: now)
        eventTimestamp = event.timestamp
    }

    /// The columns of `init(row:)`, in its order.
    static let columns = """
        id, endpoint_id, event_id, event_type, device_id, body, headers, attempts, created_at, due, \
        event_timestamp
        """

    /// The header fields of the last row. Those of the messages of an endpoint are the same, and reading them takes as long as the
    /// rest of a row.
    struct Headers {
        private var text = ""
        private var fields: [String: String] = [:]

        fileprivate mutating func decode(_ text: String) throws -> [String: String] {
            if text != self.text || text.isEmpty {
                (fields, self.text) = (try JSONColumn.decode([String: String].self, text), text)
            }
            return fields
        }
    }

    init(row: Row, _ headers: inout Headers) throws {
        try self.init(
            id: row[0], endpointID: row[1], eventID: row[2], eventType: row[3],
            deviceID: (row[4] as String?).map { DeviceID($0) }, body: row[5],
            headers: try headers.decode(row[6]), attempts: row[7],
            createdAt: Timestamp(milliseconds: row[8]), due: Timestamp(milliseconds: row[9]))
        eventTimestamp = try (row[10] as Int64?).map { Timestamp(milliseconds: $0) }
    }
}
