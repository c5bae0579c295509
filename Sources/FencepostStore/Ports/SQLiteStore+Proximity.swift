import FencepostFormats
public import FencepostModel
import FencepostMonitor
public import FencepostService
import GRDB

/// What pairs of devices need of the store.
extension SQLiteStore {
    /// The newest fixes of devices, and what has happened to the pairs of rules.
    public func proximityCheckpoint(of devices: [DeviceID], rules: [String]) async throws -> ProximityCheckpoint {
        var checkpoint = ProximityCheckpoint()
        for device in devices {
            func read(
                from: Timestamp? = nil, to: Timestamp? = nil, limit: Int, order: HistoryOrder = .descending
            ) async throws -> [Location] {
                try await locations(
                    of: device, from: from, to: to, after: nil, limit: limit, includesAhead: false, order: order
                ).map(\.location)
            }
            guard let last = try await read(limit: 1).first?.timestamp else { continue }
            let start = last - ProximityTrack.keptSpan
            // Some more than are kept, since a track has one fix of each time.
            let before = try await read(to: start, limit: 8 * ProximityTrack.context)
            checkpoint.fixes[device] = before + (try await read(from: start, limit: 100_000, order: .ascending))
        }
        let list = JSONColumn.encode(rules)
        let rows = try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT rule_key, device_id, other_id, \(ProximityTransition.columns) FROM proximity_event
                    WHERE holds AND rule_key IN (SELECT value FROM json_each(?))
                    ORDER BY device_id, other_id, rule_key, detected_at, kind
                    """, arguments: [list]
            ).map { row in try (row[0] as String, row[1] as String, row[2] as String, ProximityTransition(row, from: 3))
            }
        }
        for (rule, first, second, transition) in rows {
            let (first, second) = (DeviceID(first), DeviceID(second))
            let isNext =
                checkpoint.pairs.last.map { ($0.ruleKey, $0.first, $0.second) == (rule, first, second) } ?? false
            if isNext {
                checkpoint.pairs[checkpoint.pairs.count - 1].transitions.append(transition)
            } else {
                checkpoint.pairs.append(.init(ruleKey: rule, first: first, second: second, transitions: [transition]))
            }
        }
        // The last one before the fixes that are kept stands for all before it.
        for index in checkpoint.pairs.indices {
            let pair = checkpoint.pairs[index]
            let starts = [pair.first, pair.second].compactMap { checkpoint.fixes[$0]?.map(\.timestamp).min() }
            guard let start = starts.max() else { continue }
            let count = pair.transitions.prefix { $0.detectedAt < start }.count
            if count > 1 { checkpoint.pairs[index].transitions.removeFirst(count - 1) }
        }
        return checkpoint
    }

    /// The events that hold, by the ids that the evaluation gave them.
    public func heldEvents(ofCauses causes: [String]) async throws -> [String: HeldEvent] {
        guard !causes.isEmpty else { return [:] }
        let list = JSONColumn.encode(causes)
        let view = eventTail.view(ofIDs: causes)
        return try await read { db in
            let marks = Set(causes.map { EventFacts.mark($0) })
            let numbers = try EventSearch(db, view).numbers(.identity, of: marks)
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(HeldEvent.columns) FROM event
                    WHERE number IN (SELECT value FROM json_each(?2)) AND coalesce(cause, id) IN (
                      SELECT value FROM json_each(?1)) AND superseded_by IS NULL AND origin < 3
                    """, arguments: [list, (numbers + view.numbers).json])
            return Dictionary(
                try rows.map { try HeldEvent(row: $0) }.map { ($0.cause, $0) }, uniquingKeysWith: { _, last in last })
        }
    }

    /// All devices whose past is to be compared again, by their ids.
    public func proximityTasks() async throws -> [ProximityTask] {
        try await read { db in try Self.proximityTasks(db) }
    }

    /// The first device whose past is to be compared again, and that is not set aside.
    public func nextProximityTask() async throws -> ProximityTask? {
        try await read { db in
            try Self.proximityTasks(
                db, "WHERE NOT \(Migrations.isSetAside(.device, "proximity_task.device_id"))"
            ).first
        }
    }

    private static func proximityTasks(_ db: Database, _ condition: String = "") throws -> [ProximityTask] {
        try Row.fetchAll(
            db, sql: "SELECT device_id, from_time, through_time FROM proximity_task \(condition) ORDER BY device_id"
        ).map {
            try ProximityTask(
                DeviceID($0[0]), from: Timestamp(milliseconds: $0[1]), through: Timestamp(milliseconds: $0[2]))
        }
    }

    /// The time of the first fix of a device.
    public func firstLocation(of device: DeviceID) async throws -> Timestamp? {
        try await locations(of: device, from: nil, to: nil, after: nil, limit: 1, includesAhead: false).first?.location
            .timestamp
    }

    /// The fixes of both devices and what happened to them, from one time to another one.
    public func proximityHistory(
        _ first: DeviceID, _ second: DeviceID, ruleKey: String, from start: Timestamp, to end: Timestamp
    ) async throws -> ProximityHistory {
        var history = ProximityHistory()
        for (device, path) in [(first, \ProximityHistory.first), (second, \.second)] {
            let before = try await locations(
                of: device, from: nil, to: start, after: nil, limit: 3, includesAhead: false, order: .descending)
            let fixes = try await locations(
                of: device, from: start, to: end, after: nil, limit: 1_000_000, includesAhead: false)
            history[keyPath: path] = (before.reversed() + fixes).map(\.location)
        }
        let key: StatementArguments = [first.rawValue, second.rawValue, ruleKey]
        let (former, transitions) = try await read { db in
            let condition = "device_id = ? AND other_id = ? AND rule_key = ? AND holds"
            let former = try Row.fetchOne(
                db,
                sql: """
                    SELECT \(ProximityTransition.columns) FROM proximity_event WHERE \(condition) AND detected_at < ?
                    ORDER BY detected_at DESC, kind DESC LIMIT 1
                    """, arguments: key + [start.milliseconds]
            ).map { try ProximityTransition($0, from: 0) }
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ProximityTransition.columns) FROM proximity_event
                    WHERE \(condition) AND detected_at >= ? AND detected_at < ? ORDER BY detected_at, kind
                    """, arguments: key + [start.milliseconds, end.milliseconds])
            return (former, try rows.map { try ProximityTransition($0, from: 0) })
        }
        (history.former, history.transitions) = (former, transitions)
        return history
    }
}

extension HistoryWriter {
    /// Writes what a commit has about pairs of devices.
    func writeProximity(_ commit: Commit, renamed: [String: String], writer: CommitWriter) throws {
        for record in commit.proximity { try write(record) }
        for (id, successor) in commit.superseded {
            guard let event = try writer.events.summary(ofID: id) else { continue }
            try db.cachedStatement(sql: "UPDATE event SET superseded_by = ? WHERE number = ?").execute(
                arguments: [renamed[successor] ?? successor, event.number])
        }
        for task in commit.proximityTasks {
            try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO proximity_task (device_id, from_time, through_time) VALUES (?, ?, ?)"
            ).execute(
                arguments: [task.deviceID.rawValue, task.from.milliseconds, task.through.milliseconds])
        }
        for device in commit.finishedProximity {
            try db.cachedStatement(sql: "DELETE FROM proximity_task WHERE device_id = ?").execute(
                arguments: [device.rawValue])
        }
    }

    private func write(_ record: ProximityRecord) throws {
        if record.action == .withdraw {
            try db.cachedStatement(sql: "UPDATE proximity_event SET holds = 0 WHERE event_id = ?").execute(
                arguments: [record.eventID])
            return
        }
        let transition = record.transition
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO proximity_event
                  (event_id, rule_key, device_id, other_id, kind, timestamp, detected_at, since, dwell, holds)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
                """
        ).execute(
            arguments: [
                record.eventID, record.ruleKey, record.first.rawValue, record.second.rawValue, transition.code,
                transition.timestamp.milliseconds, transition.detectedAt.milliseconds, transition.since?.milliseconds,
                transition.dwell?.milliseconds,
            ])
    }

    /// Ends all that is known of the pairs of a device; its events stay.
    func forgetProximity(_ device: DeviceID) throws {
        for sql in [
            "UPDATE proximity_event SET holds = 0 WHERE device_id = ?1 OR other_id = ?1",
            "DELETE FROM proximity_task WHERE device_id = ?1",
        ] { try db.cachedStatement(sql: sql).execute(arguments: [device.rawValue]) }
    }
}

extension ProximityTransition {
    fileprivate static let columns = "kind, timestamp, detected_at, since, dwell"

    /// The number of the kind, which is stored and never changes.
    fileprivate var code: Int {
        switch kind {
        case .entered: 0
        case .dwelled: 1
        case .exited(isClosed: false): 2
        case .exited(isClosed: true): 3
        case .unaccompanied(isFirst: true): 4
        case .unaccompanied(isFirst: false): 5
        }
    }

    fileprivate var dwell: Duration? { if case .dwelled(let span) = kind { span } else { nil } }

    fileprivate init(_ row: Row, from first: Int) throws {
        let (code, dwell): (Int, Int64?) = try (row[first], row[first + 4])
        let kind: Kind
        switch code {
        case 0: kind = .entered
        case 1: kind = .dwelled(.milliseconds(dwell ?? 0))
        case 2: kind = .exited(isClosed: false)
        case 3: kind = .exited(isClosed: true)
        case 4: kind = .unaccompanied(isFirst: true)
        case 5: kind = .unaccompanied(isFirst: false)
        default: throw StoreError(.corrupt, "A kind of proximity is not known.")
        }
        self.init(
            kind, timestamp: Timestamp(milliseconds: try row[first + 1]),
            detectedAt: Timestamp(milliseconds: try row[first + 2]),
            since: try (row[first + 3] as Int64?).map { Timestamp(milliseconds: $0) }, rule: .positionsAgree)
    }
}
