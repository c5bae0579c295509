import FencepostModel
public import FencepostService
import GRDB
import Synchronization

/// The part of a store that hands messages over without rows.
final class DirectDeliveries: Sendable {
    private struct State {
        var delivery: DirectDelivery?
        var handsOver = false
        var isUncertain = false
    }

    private let state = Mutex(State())

    /// Makes messages; `nil` before a dispatcher has begun.
    var messages: (@Sendable ([StoredEvent], Endpoint) -> [NewDelivery])? { state.withLock { $0.delivery?.messages } }

    /// Whether messages are handed over.
    var handsOver: Bool { state.withLock { $0.handsOver } }

    /// Whether a commit has failed that may be stored nevertheless, so that nobody has its messages.
    var isUncertain: Bool { state.withLock { $0.isUncertain } }

    func begin(_ delivery: DirectDelivery, handsOver: Bool) {
        state.withLock { ($0.delivery, $0.handsOver) = (delivery, handsOver) }
    }

    /// Notes that a commit has failed.
    func noteFailure() { state.withLock { if $0.handsOver { $0.isUncertain = true } } }

    /// Notes that the messages of failed commits have rows.
    func noteCertainty() { state.withLock { $0.isUncertain = false } }

    /// Hands the messages of a commit over, if the store does that.
    func hand(_ messages: DirectMessages) {
        let deliver = state.withLock { $0.handsOver ? $0.delivery?.deliver : nil }
        deliver?(messages)
    }
}

/// `endpoint.written_through` is the number of the event up to which all messages of an endpoint have rows; NULL for all events.
extension SQLiteStore {
    /// Gives messages rows that the process before has sent from memory and not finished. The store of a cluster hands nothing over.
    public func beginDirectDelivery(_ delivery: DirectDelivery) async throws -> Bool {
        let handsOver = log == nil
        direct.begin(delivery, handsOver: handsOver)
        let direct = direct
        let isUnfinished = try await read { db in
            try Int.fetchOne(db, sql: "SELECT 1 FROM endpoint WHERE written_through IS NOT NULL LIMIT 1") != nil
        }
        guard isUnfinished else { return handsOver }
        try await write { db in
            _ = try MissingMessages(db, direct).writeAll()
            try db.execute(sql: "UPDATE endpoint SET written_through = NULL WHERE written_through IS NOT NULL")
        }
        return handsOver
    }

    /// Gives messages rows after a commit that has failed, whose events may be stored nevertheless.
    func writeMessagesOfFailedCommits() async throws {
        guard direct.isUncertain else { return }
        let direct = direct
        var messages = DirectMessages([], through: 0)
        messages.endpointsWithRows = try await write { db in try MissingMessages(db, direct).writeAll() }
        direct.noteCertainty()
        direct.hand(messages)
    }
}

/// Writes the rows of messages that were handed over and have none, inside a transaction.
struct MissingMessages {
    private let db: Database
    private let direct: DirectDeliveries
    /// Events that are read at a time.
    private static let page = 500

    init(_ db: Database, _ direct: DirectDeliveries) {
        (self.db, self.direct) = (db, direct)
    }

    /// Writes those of all endpoints.
    ///
    /// - Returns: the ids of the endpoints that have new rows.
    func writeAll() throws -> Set<String> {
        let ids = try String.fetchAll(db, sql: "SELECT id FROM endpoint WHERE written_through IS NOT NULL")
        return Set(try ids.filter { try write(of: $0) })
    }

    /// Writes those of an endpoint as it is stored, before a change of it.
    ///
    /// - Returns: whether there are any.
    @discardableResult
    func write(of endpoint: String) throws -> Bool {
        guard let messages = direct.messages,
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: "SELECT definition, written_through FROM endpoint WHERE id = ? AND written_through IS NOT NULL"
                ),
                arguments: [endpoint]),
            let stored = try SQLiteStore.endpoint(endpoint, row[0])
        else { return false }
        var (number, hasNew): (Int64, Bool) = try (row[1], false)
        while true {
            var conditions = Conditions()
            conditions.add("number > ?", number)
            let events = try SQLiteStore.events(db, conditions, limit: Self.page)
            guard let last = events.last else { break }
            number = last.number
            // Those of a disabled endpoint got rows when it was disabled; those of the service had them from the beginning.
            let wanted = stored.isActive ? messages(events.filter { $0.event.deviceID != nil }, stored) : []
            let byID = Dictionary(events.map { ($0.event.id, $0) }) { first, _ in first }
            var queue = DeliveryQueue(db)
            for delivery in wanted {
                guard let event = byID[delivery.eventID] else { continue }
                let summary = EventRows.Summary(
                    number: event.number, type: event.event.type, timestamp: event.event.timestamp)
                let isNew = try queue.insert(delivery, of: summary, isNewEvent: false, at: event.receivedAt)
                hasNew = hasNew || isNew
            }
        }
        try db.execute(
            sql: "UPDATE endpoint SET written_through = max(written_through, ?) WHERE id = ?",
            arguments: [number, endpoint])
        return hasNew
    }

    /// Gives a message its row, unless its event was erased.
    static func write(_ message: DirectMessage, _ db: Database, _ queue: inout DeliveryQueue) throws {
        guard try exists(message.event, db) else { return }
        try queue.insert(message.delivery, result: nil)
    }

    static func exists(_ event: Int64, _ db: Database) throws -> Bool {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT 1 FROM event WHERE number = ?"), arguments: [event]) != nil
    }
}
