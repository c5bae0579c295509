import FencepostModel
import FencepostService
import GRDB

/// Finds events for the writing connection, whether they are in the indexes or not, and those of its transaction.
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

    /// The event of an id; `nil` when none is stored.
    func summary(ofID id: String) throws -> Summary? {
        var row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT number, type, timestamp FROM event WHERE is_indexed = 1 AND id = ?"),
            arguments: [id])
        for number in tail.view(ofID: id).numbers where row == nil {
            row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT number, type, timestamp FROM event WHERE number = ? AND id = ?"),
                arguments: [number, id])
        }
        return try row.map { try Summary(number: $0[0], type: $0[1], timestamp: Timestamp(milliseconds: $0[2])) }
    }

    /// Whether an event of an id is stored.
    func contains(id: String) throws -> Bool {
        var indexed = try RowStatement(db, "SELECT number FROM event WHERE is_indexed = 1 AND id = ?")
        indexed.bind(id)
        if try indexed.number() != nil { return true }
        return try tail.view(ofID: id).numbers.contains { number in
            var recent = try RowStatement(db, "SELECT number FROM event WHERE number = ? AND id = ?")
            recent.bind(number)
            recent.bind(id)
            return try recent.number() != nil
        }
    }

    /// Inserts an event at the end, in no index.
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
            EventTail.Entry(
                number: number, id: event.id, cause: event.cause, device: device, region: region,
                timestamp: event.timestamp.milliseconds, receivedAt: now.milliseconds), type: event.type)
        return Summary(number: number, type: event.type, timestamp: event.timestamp)
    }

    /// The rows of events that fit one of two conditions: with the indexes, and without them for the given numbers.
    ///
    /// `condition` has its own parameters from ?1 on; `numbers` becomes the last one.
    static func everywhere(_ columns: String, _ condition: String, numbers parameter: Int) -> String {
        """
        SELECT \(columns) FROM event WHERE is_indexed = 1 AND \(condition)
        UNION ALL
        SELECT \(columns) FROM event
        WHERE number IN (SELECT value FROM json_each(?\(parameter))) AND is_indexed = 0 AND \(condition)
        """
    }
}

extension [Int64] {
    /// The numbers as an array of JSON, which a statement takes as one argument.
    var json: String { "[" + map(String.init).joined(separator: ",") + "]" }
}
