import FencepostModel
public import FencepostService
import Foundation
import GRDB

/// Reads the monitor's state from a copy that follows its cluster's log. One thread uses it.
public final class ReplicaStates: FollowedStates {
    private let queue: DatabaseQueue
    private let changes: ReplicaChanges
    private let path: String
    /// The number of the newest event that was read.
    private var newestEvent: Int64 = 0
    /// Events that are read at a time.
    private static let eventLimit = 4096

    /// Opens a copy for reading.
    ///
    /// - Parameters:
    ///   - path: the path of the database, which a `ReplicaStore` has open for as long as this.
    ///   - changes: what that store changes.
    /// - Throws: a `StoreError`.
    public init(of path: String, _ changes: ReplicaChanges) throws(StoreError) {
        (self.path, self.changes) = (path, changes)
        do {
            var configuration = GRDB.Configuration()
            configuration.label = "fencepost-standby"
            configuration.readonly = true
            configuration.busyMode = .timeout(2)
            queue = try DatabaseQueue(path: path, configuration: configuration)
        } catch {
            throw StoreError(error, path: path)
        }
        changes.begin()
    }

    /// As `FollowedStates`.
    public func load() throws -> (state: MonitorState, replayFloor: LogPosition) {
        try read { db, mark in
            // They are in it.
            _ = changes.take(through: mark?.position ?? 0)
            newestEvent = try Int64.fetchOne(db, sql: "SELECT max(number) FROM event") ?? 0
            return (try SQLiteStore.currentState(db), try Self.floor(db))
        }
    }

    /// As `FollowedStates`.
    public func delta(after position: LogPosition, floor: LogPosition, limit: Int) throws -> StateDelta {
        try read { db, mark in
            let changes = changes.take(through: mark?.position ?? 0)
            let newFloor = try Self.floor(db)
            let newest = try LogPosition.fetchOne(db, sql: "SELECT max(position) FROM log") ?? 0
            let entries = try SQLiteStore.log(db, after: position, limit: limit)
            let events = try events(db)
            let hasMore = entries.count == limit || events.count == Self.eventLimit
            var delta = StateDelta(
                epoch: mark?.epoch ?? 0,
                position: entries.count == limit ? entries.last?.position ?? newest : newest, hasMore: hasMore,
                entries: entries, events: events, checkpoints: [], removed: [], known: nil, replayFloor: newFloor,
                regionRevision: try UInt32.fetchOne(db, sql: "SELECT region_revision FROM store") ?? 0,
                isWatchChanged: changes.isWatchChanged)
            delta.setAside = try SQLiteStore.setAside(db)
            for device in changes.devices.sorted(by: { $0.rawValue < $1.rawValue }) {
                let row = try Row.fetchOne(
                    db.cachedStatement(sql: "SELECT position, state FROM device WHERE id = ?"),
                    arguments: [device.rawValue])
                if let row {
                    delta.checkpoints.append(
                        DeviceCheckpoint(deviceID: device, position: try row[0], state: [UInt8](try row[1] as Data)))
                } else {
                    delta.removed.append(device)
                }
            }
            if newFloor > floor {
                delta.known = Set(try String.fetchAll(db, sql: "SELECT id FROM device").map { DeviceID($0) })
            }
            return delta
        }
    }

    /// The next events of an evaluation as locations arrive.
    private func events(_ db: Database) throws -> [FollowedEvent] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT number, coalesce(cause, id), device_id FROM event
                    WHERE number > ? AND origin = ? AND device_id IS NOT NULL ORDER BY number LIMIT ?
                    """), arguments: [newestEvent, EventOrigin.live.rawValue, Self.eventLimit])
        var events: [FollowedEvent] = []
        while let row = try rows.next() {
            newestEvent = try row[0]
            events.append(FollowedEvent(id: try row[1], deviceID: DeviceID(try row[2])))
        }
        return events
    }

    /// As `FollowedStates`.
    public func hasEvent(_ id: String) throws -> Bool {
        try read { db, _ in
            let last = try EventRun.lastNumber(db)
            let numbers = try EventSearch(db, EventTail.View(through: last))
                .numbers(.identity, of: [EventFacts.mark(id)])
            return try Int.fetchOne(
                db,
                sql: """
                    SELECT 1 FROM event WHERE number IN (SELECT value FROM json_each(?2)) AND (id = ?1 OR cause = ?1)
                    UNION ALL SELECT 1 FROM event WHERE number > ?3 AND (id = ?1 OR cause = ?1) LIMIT 1
                    """, arguments: [id, numbers.json, last]) != nil
        }
    }

    /// As `FollowedStates`.
    public func close() throws {
        changes.end()
        do {
            try queue.close()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func floor(_ db: Database) throws -> LogPosition {
        try LogPosition.fetchOne(db, sql: "SELECT replay_floor FROM store") ?? 0
    }

    /// Reads a snapshot; `body` gets up to where it has applied the cluster's log.
    private func read<Value>(_ body: (Database, ReplicaMark?) throws -> Value) throws -> Value {
        do {
            return try queue.read { db in try body(db, try ReplicaMark.read(db)) }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
