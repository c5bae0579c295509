public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: EvaluationStore {
    public func nextEvaluation() async throws -> EvaluationTask? {
        try await read { db in
            // One that is held is ready too when its import was cancelled.
            for condition in [
                "is_held = 0",
                """
                is_held = 1 AND NOT EXISTS (
                  SELECT 1 FROM import WHERE import.id = import_id AND state IN ('storing', 'paused'))
                """,
            ] {
                let rows = try Row.fetchCursor(
                    db.cachedStatement(
                        sql: """
                            SELECT \(EvaluationTask.columns) FROM evaluation WHERE (\(condition))
                              AND NOT \(Migrations.isSetAside(.device, "evaluation.device_id"))
                            ORDER BY chunks, received_at
                            """))
                // One that cannot be read does not keep the others waiting.
                while let row = try rows.next() {
                    if let task = try? EvaluationTask(row: row) { return task }
                }
            }
            return nil
        }
    }

    public func evaluation(of device: DeviceID) async throws -> EvaluationTask? {
        try await read { db in
            try Row.fetchOne(
                db.cachedStatement(sql: "SELECT \(EvaluationTask.columns) FROM evaluation WHERE device_id = ?"),
                arguments: [device.rawValue]
            ).map { try EvaluationTask(row: $0) }
        }
    }

    public func evaluationInput(
        of device: DeviceID, from: Timestamp, through: Timestamp, limit: Int
    ) async throws -> EvaluationInput {
        let rows = tail.rows(of: device)
        let mark = EventFacts.mark(device.rawValue)
        let view = eventTail.view { $0.device == mark }
        return try await read { db in
            var input = EvaluationInput()
            let floor = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT time FROM evaluation_floor WHERE device_id = ?"),
                arguments: [device.rawValue])
            input.start = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT time, revision, state FROM snapshot WHERE device_id = ? AND time < ?
                        ORDER BY time DESC LIMIT 1
                        """), arguments: [device.rawValue, from.milliseconds]
            ).map { try DeviceSnapshot(of: device, row: $0) }
            if let floor, from.milliseconds <= floor || input.start.map({ $0.time.milliseconds < floor }) ?? true {
                input.isIncomplete = true
                return input
            }
            let start = input.start?.time
            try FixHistory(db, device: device, rows: rows, includesExpired: true).forEach(
                from: start.map { $0 + .milliseconds(1) }, to: through + .milliseconds(1)
            ) { fix in
                if fix.stored.isAhead { return true }
                if input.fixes.count >= limit, fix.location.timestamp != input.fixes.last?.timestamp {
                    input.isComplete = false
                    return false
                }
                input.fixes.append(fix.location)
                return true
            }
            let after = start?.milliseconds ?? .min
            let through = input.isComplete ? .max : input.fixes.last?.timestamp.milliseconds ?? .max
            let numbers = try EventSearch(db, view).numbers(
                .detection, of: [mark], from: after, before: through == .max ? .max : through + 1)
            let span: StatementArguments = [device.rawValue, after, through]
            input.events = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT \(HeldEvent.columns) FROM event
                        WHERE number IN (SELECT value FROM json_each(?4)) AND \(Self.held) ORDER BY detected_at, number
                        """), arguments: span + [(numbers + view.numbers).json]
            ).map { try HeldEvent(row: $0) }
            input.snapshots = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT time, revision, state FROM snapshot WHERE device_id = ? AND time > ? AND time <= ?
                        ORDER BY time
                        """), arguments: span
            ).map { try DeviceSnapshot(of: device, row: $0) }
            input.fenceRecords = try Self.fenceRecords(db, of: device, after, through)
            return input
        }
    }

    /// The changes of the fence of a device, in their order, as far as retention has left them.
    public func fenceRecords(of device: DeviceID) async throws -> [FenceRecord] {
        try await read { db in try Self.fenceRecords(db, of: device, .min, .max) }
    }

    /// The changes after a time and at the latest at another one.
    private static func fenceRecords(
        _ db: Database, of device: DeviceID, _ after: Int64, _ through: Int64
    ) throws -> [FenceRecord] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT time, change FROM fence_change WHERE device_id = ? AND time > ? AND time <= ?
                    ORDER BY time, number
                    """), arguments: [device.rawValue, after, through]
        ).map { row in
            let (time, change): (Int64, String) = try (row[0], row[1])
            return FenceRecord(
                device, at: Timestamp(milliseconds: time), try JSONColumn.decode(FenceChange.self, change))
        }
    }

    /// The events of a device that hold, and were settled after ?2 and at the latest at ?3.
    private static let held = """
        device_id = ?1 AND detected_at > ?2 AND detected_at <= ?3 AND superseded_by IS NULL AND origin < 3 \
        AND type <> 'app.relaunched' AND type NOT GLOB 'proximity.*'
        """

    public func formerEvents(ofCauses causes: [String]) async throws -> [String: HeldEvent] {
        guard !causes.isEmpty else { return [:] }
        let list = JSONColumn.encode(causes)
        let view = eventTail.view(ofIDs: causes)
        return try await read { db in
            var found: [String: HeldEvent] = [:]
            let marks = Set(causes.map { EventFacts.mark($0) })
            let numbers = try EventSearch(db, view).numbers(.identity, of: marks)
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(HeldEvent.columns) FROM event
                    WHERE number IN (SELECT value FROM json_each(?2)) AND coalesce(cause, id) IN (
                      SELECT value FROM json_each(?1)) AND superseded_by IS NOT NULL
                    """, arguments: [list, (numbers + view.numbers).json])
            for event in try rows.map(HeldEvent.init(row:))
            where found[event.cause].map({ $0.revision < event.revision }) ?? true {
                found[event.cause] = event
            }
            return found
        }
    }

    public func regionVersions(after revision: UInt32) async throws -> [RegionVersion] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, revision, feature, added_in_revision,
                      (SELECT valid_from FROM region_change WHERE region_change.revision = region.revision)
                    FROM region WHERE revision <= (SELECT region_revision FROM store) AND id IN (
                      SELECT id FROM region GROUP BY id HAVING count(*) > 1 OR max(revision) > ?)
                    ORDER BY id, revision
                    """, arguments: [revision]
            ).map { row in
                try RegionVersion(
                    id: RegionID(row[0]), revision: row[1],
                    validFrom: (row[4] as Int64?).map { Timestamp(milliseconds: $0) }, feature: row[2],
                    addedInRevision: row[3])
            }
        }
    }

    public func lastSequence(of device: DeviceID) async throws -> Int {
        let mark = EventFacts.mark(device.rawValue)
        let view = eventTail.view { $0.device == mark }
        return try await read { db in
            var sequence: Int?
            try EventSearch(db, view).newest(.device, of: mark) { numbers in
                let row = try Row.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT event_sequence(body, packed), number FROM event
                            WHERE number IN (SELECT value FROM json_each(?2)) AND device_id = ?1 AND number >
                              coalesce((SELECT max(event_number) FROM forgotten WHERE device_id = ?1), 0)
                            ORDER BY number DESC LIMIT 1
                            """), arguments: [device.rawValue, numbers.json])
                sequence = try row.map { min(try $0[0] as Int? ?? $0[1], 1 << 53) }
                return sequence != nil
            }
            return sequence ?? 0
        }
    }

    public func lastRegionChange() async throws -> Timestamp? {
        try await read { db in
            try Int64.fetchOne(db, sql: "SELECT max(valid_from) FROM region_change").map { Timestamp(milliseconds: $0) }
        }
    }
}

extension EvaluationTask {
    static let columns = """
        device_id, start_time, from_time, through_time, received_at, regions, cause, import_id, is_held, generation, \
        chunks
        """

    init(row: Row) throws {
        guard let regions = try Regions(rawValue: row[5]), let cause = try Cause(rawValue: row[6]) else {
            throw StoreError(.corrupt, "A stored task of evaluation cannot be read.")
        }
        try self.init(
            DeviceID(row[0]), from: Timestamp(milliseconds: row[2]), through: Timestamp(milliseconds: row[3]),
            receivedAt: Timestamp(milliseconds: row[4]), cause: cause)
        start = try Timestamp(milliseconds: row[1])
        self.regions = regions
        (importID, isHeld, generation, chunks) = try (row[7], row[8], row[9], row[10])
    }
}

extension DeviceSnapshot {
    fileprivate init(of device: DeviceID, row: Row) throws {
        try self.init(
            deviceID: device, time: Timestamp(milliseconds: row[0]), revision: row[1], state: [UInt8](row[2] as Data))
    }
}

extension HeldEvent {
    static let columns = "\(EventColumns.content), cause, revision, detected_at"

    init(row: Row) throws {
        var event = try EventColumns.event(row)
        let first = EventColumns.count
        (event.cause, event.revision) = try (row[first], row[first + 1])
        let detected = try row[first + 2] as Int64?
        self.init(event, detectedAt: detected.map { Timestamp(milliseconds: $0) } ?? event.timestamp)
    }
}
