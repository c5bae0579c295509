import FencepostModel
import FencepostService
import GRDB

/// Finds and inserts events on the writing connection, those of its transaction included.
struct EventRows {
    let db: Database
    let tail: EventTail

    init(_ db: Database, _ tail: EventTail) {
        (self.db, self.tail) = (db, tail)
    }

    /// What a message has of its event.
    struct Summary {
        var number: Int64
        var type: String
        var timestamp: Timestamp
    }

    /// The columns of `facts(_:)`, in its order.
    static let factColumns = """
        number, id, type, device_id, region_id, timestamp, received_at, detected_at, cause, visit_id
        """

    /// The facts of a row with those columns.
    static func facts(_ row: Row) throws -> EventFacts {
        try EventFacts(
            number: row[0], id: row[1], cause: row[8], type: row[2], device: row[3], region: row[4], timestamp: row[5],
            receivedAt: row[6], detectedAt: row[7], visit: row[9])
    }

    /// The numbers of the events that have an id, or that the evaluation gave it, and perhaps some more.
    func numbers(ofID id: String) throws -> [Int64] {
        let view = tail.view(ofIDs: [id])
        return try EventSearch(db, view).numbers(.identity, of: [EventFacts.mark(id)]) + view.numbers
    }

    /// The numbers of the events of a visit, and perhaps some more.
    func numbers(ofVisit id: String) throws -> [Int64] {
        let mark = EventFacts.mark(id)
        let view = tail.stagedView { $0.visit == mark }
        return try EventSearch(db, view).numbers(.visit, of: [mark]) + view.numbers
    }

    /// The event of an id; `nil` when none is stored.
    func summary(ofID id: String) throws -> Summary? {
        guard tail.mayContain(id: id) else { return nil }
        return try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT number, type, timestamp FROM event WHERE number IN (SELECT value FROM json_each(?)) AND id = ?
                    """), arguments: [numbers(ofID: id).json, id]
        ).map { try Summary(number: $0[0], type: $0[1], timestamp: Timestamp(milliseconds: $0[2])) }
    }

    /// Whether an event of an id is stored.
    func contains(id: String) throws -> Bool { try summary(ofID: id) != nil }

    /// Inserts an event at the end, in no list.
    ///
    /// - Precondition: none with its id is stored.
    func insert(_ event: NewEvent, at now: Timestamp) throws -> Summary {
        let (device, region) = (event.deviceID?.rawValue, event.regionID?.rawValue)
        let packed = event.packed
        let (body, why) = packed == nil ? (event.body, event.why) : ("", nil)
        let hash = ContentHash.event(
            id: event.id, type: event.type, device: device, region: region, timestamp: event.timestamp.milliseconds,
            receivedAt: now.milliseconds, body: body, why: why, packed: packed, visit: event.visit?.id)
        var row = try RowStatement(
            db,
            """
            INSERT INTO event (id, type, device_id, region_id, timestamp, received_at, body, why, packed, visit_id,
              hash, detected_at, cause, revision, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for text in [event.id, event.type, device, region] { row.bind(text) }
        row.bind(event.timestamp.milliseconds)
        row.bind(now.milliseconds)
        row.bind(body)
        row.bind(why)
        row.bind(packed)
        row.bind(event.visit?.id)
        row.bind(hash)
        row.bind(event.detectedAt?.milliseconds)
        row.bind(event.cause)
        row.bind(event.revision)
        row.bind(event.origin.rawValue)
        try row.execute()
        let number = db.lastInsertedRowID
        tail.stage(
            EventFacts(
                number: number, id: event.id, cause: event.cause, type: event.type, device: device, region: region,
                timestamp: event.timestamp.milliseconds, receivedAt: now.milliseconds,
                detectedAt: event.detectedAt?.milliseconds, visit: event.visit?.id), type: event.type, device: device)
        return Summary(number: number, type: event.type, timestamp: event.timestamp)
    }
}

extension [Int64] {
    /// The numbers as an array of JSON, which a statement takes as one argument.
    var json: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
