import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService
import Foundation
import GRDB

/// A row of the log, encoded before the transaction starts.
struct LogRow: Sendable {
    let position: LogPosition
    let receivedAt: Timestamp
    let advancesClock: Bool
    let count: Int
    /// The devices of the fixes, then the other ones of which a deadline was evaluated.
    let devices: [DeviceID]
    let deviceBytes: Data?
    let fixBytes: Data?

    init(_ commit: Commit) {
        (position, receivedAt, advancesClock) = (commit.position, commit.receivedAt, commit.advancesClock)
        count = commit.locations.count
        guard count > 0 else {
            devices = commit.clockDevices
            (deviceBytes, fixBytes) = (devices.isEmpty ? nil : DeviceList.encode(devices), nil)
            return
        }
        var encoder = FixEncoder(receivedAt: receivedAt, capacity: count, devices: count)
        for stored in commit.locations { encoder.append(stored, receivedAt: receivedAt) }
        let known = commit.clockDevices.isEmpty ? [] : Set(encoder.devices)
        devices = encoder.devices + commit.clockDevices.filter { !known.contains($0) }
        deviceBytes = DeviceList.encode(devices)
        fixBytes = encoder.data
    }

    /// The column `hash`.
    var hash: Int64 {
        ContentHash.log(
            position: position, receivedAt: receivedAt.milliseconds, advancesClock: advancesClock, count: count,
            devices: deviceBytes, fixes: fixBytes)
    }

    static func fixes(devices: Data?, fixes: Data?) throws -> [ArchivedFix] {
        guard let devices, let fixes else { return [] }
        return try FixDecoder.all([UInt8](fixes), devices: DeviceList.decode([UInt8](devices)))
    }
}

/// Writes the parts of a commit, inside its transaction.
struct CommitWriter {
    let db: Database
    let events: EventRows
    /// Whether messages are handed over without rows, where they may be.
    let handsOver: Bool

    init(_ db: Database, _ tail: EventTail, handsOver: Bool = false) {
        self.db = db
        self.handsOver = handsOver
        events = EventRows(db, tail)
    }

    func write(_ row: LogRow) throws {
        try execute(
            """
            INSERT INTO log (position, received_at, advances_clock, count, devices, fixes, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                row.position, row.receivedAt.milliseconds, row.advancesClock, row.count, row.deviceBytes, row.fixBytes,
                row.hash,
            ])
    }

    /// Writes all but the row of the log.
    ///
    /// - Returns: the messages that are handed over; `nil` without new events.
    func write(_ commit: Commit) throws -> DirectMessages? {
        let written = try write(commit.events, deliveries: commit.deliveries, at: commit.receivedAt)
        for decision in commit.decisions where !written.known.contains(decision.eventID) {
            try execute(
                """
                INSERT INTO decision (app_id, event_id, device_id, timestamp, received_at, body)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    decision.appID, decision.eventID, decision.deviceID.rawValue, decision.timestamp.milliseconds,
                    commit.receivedAt.milliseconds, decision.body,
                ])
        }
        for entry in commit.quarantined { try write(entry) }
        for report in commit.reports { try write(report, at: commit.receivedAt) }
        for location in commit.livePositions { try writeLive(location, at: commit.receivedAt) }
        for checkpoint in commit.checkpoints { try write(checkpoint) }
        try HistoryWriter(db).write(commit, renamed: written.renamed, writer: self)
        return written.last.map { DirectMessages(written.direct, through: $0) }
    }

    /// What was written of events and their messages.
    struct Written {
        /// The ids that were stored already.
        var known: Set<String> = []
        /// The new ids of events that are stored as a further revision.
        var renamed: [String: String] = [:]
        /// Messages that are handed over without rows.
        var direct: [DirectMessage] = []
        /// The number of the last new event; `nil` for none.
        var last: Int64?
    }

    /// Writes events and their messages. An event that is stored already is ignored with its messages.
    ///
    @discardableResult
    func write(_ newEvents: [NewEvent], deliveries: [NewDelivery], at now: Timestamp) throws -> Written {
        var written = Written()
        var stored: [String: EventRows.Summary] = [:]
        func insert(_ event: NewEvent) throws {
            let summary = try events.insert(event, at: now)
            written.last = summary.number
            if !deliveries.isEmpty { stored[event.id] = summary }
            if let visit = event.visit, let device = event.deviceID { try write(visit, of: device, at: now) }
        }
        for event in newEvents {
            guard try events.contains(id: event.id) else {
                try insert(event)
                continue
            }
            if let next = try successor(of: event), try !events.contains(id: next.id) {
                written.renamed[event.id] = next.id
                try insert(next)
            } else {
                written.known.insert(event.id)
            }
        }
        var queue = DeliveryQueue(db)
        for delivery in deliveries where !written.known.contains(delivery.eventID) {
            var delivery = delivery
            if let id = written.renamed[delivery.eventID] {
                delivery.body = delivery.body.replacing(delivery.eventID, with: id)
                delivery.headers = delivery.headers.mapValues { [old = delivery.eventID] in $0.replacing(old, with: id)
                }
                delivery.eventID = id
            }
            let new = stored[delivery.eventID]
            guard let event = try new ?? events.summary(ofID: delivery.eventID) else { throw Self.missing(delivery) }
            if handsOver, delivery.isDirect, new != nil {
                written.direct.append(
                    DirectMessage(PendingDelivery(delivery, of: event, at: now), event: event.number))
            } else {
                _ = try queue.insert(delivery, of: event, isNewEvent: new != nil, at: now)
            }
        }
        return written
    }

    /// A message about an event that is not stored, which no caller makes.
    static func missing(_ delivery: NewDelivery) -> StoreError {
        StoreError(.invalid, "A message is about the event \(delivery.eventID), which is not stored.")
    }

    /// An event that happens after all, although a correction has withdrawn it, as a further revision.
    ///
    /// - Returns: `nil` when the event holds, so that it is stored already.
    private func successor(of event: NewEvent) throws -> NewEvent? {
        let cause = event.cause ?? event.id
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, revision, superseded_by FROM event
                    WHERE number IN (SELECT value FROM json_each(?2)) AND (id = ?1 OR cause = ?1) ORDER BY revision
                    """), arguments: [cause, events.numbers(ofID: cause).json])
        guard let last = rows.last, try rows.allSatisfy({ try ($0[2] as String?) != nil }) else { return nil }
        var next = event
        let (former, revision): (String, Int) = try (last[0], last[1])
        next.revision = revision + 1
        next.cause = cause
        var identity = Identity()
        identity.add(cause)
        identity.add("revision")
        identity.add(Int64(next.revision))
        next.id = identity.text(prefix: "evt_")
        switch event.content {
        case .message(var message):
            message.take(id: next.id)
            message.correction = EventCorrection(revision: next.revision, supersedes: former)
            next.content = .message(message)
        case .text(let body, let why):
            next.content = .text(
                body.replacing(event.id, with: next.id).dropLast()
                    + ",\"revision\":\(next.revision),\"supersedes\":\"\(former)\"}", why: why)
        }
        return next
    }

    func write(_ visit: NewVisit, of device: DeviceID, at now: Timestamp) throws {
        var row = try RowStatement(
            db,
            """
            INSERT INTO visit (id, device_id, start, "end", regions, received_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET start = excluded.start, "end" = excluded."end",
              regions = excluded.regions, received_at = excluded.received_at, body = excluded.body
            """)
        row.bind(visit.id)
        row.bind(device.rawValue)
        row.bind(visit.start.milliseconds)
        row.bind(visit.end?.milliseconds)
        row.bind(JSONColumn.encode(visit.regionIDs.map(\.rawValue)))
        row.bind(now.milliseconds)
        row.bind(visit.body)
        try row.execute()
    }

    private func write(_ entry: QuarantineEntry) throws {
        try execute(
            """
            INSERT INTO quarantine (received_at, format, device_id, place, code, detail, fix)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                entry.receivedAt.milliseconds, entry.format, entry.deviceID?.rawValue, entry.index, entry.code,
                entry.detail, entry.fix.map { encode($0, at: entry.receivedAt) },
            ])
    }

    private func write(_ report: PhoneReport, at now: Timestamp) throws {
        try execute(
            """
            INSERT INTO report (kind, device_id, timestamp, received_at, latitude, longitude, accuracy, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                report.kind.name, report.deviceID.rawValue, report.timestamp.milliseconds, now.milliseconds,
                report.coordinate?.latitude, report.coordinate?.longitude, report.horizontalAccuracy,
                try JSONColumn.encode(ReportDetail(report.kind)),
            ])
    }

    private func writeLive(_ location: Location, at now: Timestamp) throws {
        try execute(
            """
            INSERT INTO live_position (device_id, received_at, fix) VALUES (?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET received_at = excluded.received_at, fix = excluded.fix
            """,
            [location.deviceID.rawValue, now.milliseconds, encode(location, at: now)])
    }

    private func encode(_ location: Location, at now: Timestamp) -> Data {
        var encoder = FixEncoder(receivedAt: now, capacity: 1)
        encoder.append(StoredLocation(location), receivedAt: now)
        return encoder.data
    }

    func write(_ checkpoint: DeviceCheckpoint) throws {
        var row = try RowStatement(
            db,
            """
            INSERT INTO device (id, position, state) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET position = excluded.position, state = excluded.state
            """)
        row.bind(checkpoint.deviceID.rawValue)
        row.bind(checkpoint.position)
        row.bind(Data(checkpoint.state))
        try row.execute()
    }

    func write(_ change: WatchChange, at position: LogPosition, _ now: Timestamp) throws {
        let last = "(SELECT coalesce(max(number), 0) FROM event)"
        // Rows of earlier revisions stay, as versions of the past.
        if change.isStaged || !change.regions.isEmpty || !change.removedRegions.isEmpty {
            try execute(
                "INSERT OR REPLACE INTO region_change (revision, event_number, valid_from) VALUES (?, \(last), ?)",
                [change.regionRevision, now.milliseconds])
        }
        let insertion = """
            INSERT OR REPLACE INTO region (id, revision, feature, added_in_revision, event_number)
            VALUES (?, ?, ?, ?, \(last))
            """
        for id in change.removedRegions { try execute(insertion, [id.rawValue, change.regionRevision, nil, 0]) }
        for region in change.regions {
            try execute(
                insertion, [region.id.rawValue, change.regionRevision, region.feature, region.addedInRevision])
        }
        for app in change.apps {
            try execute(
                """
                INSERT INTO app (id, definition, steps) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, steps = excluded.steps
                """, [app.id, app.definition, JSONColumn.encode(app.steps)])
        }
        for id in change.removedApps { try execute("DELETE FROM app WHERE id = ?", [id]) }
        for device in change.removedDevices {
            try execute("DELETE FROM device WHERE id = ?", [device.rawValue])
            try execute("DELETE FROM set_aside WHERE kind = 'device' AND id = ?", [device.rawValue])
            try execute("DELETE FROM live_position WHERE device_id = ?", [device.rawValue])
            try execute(
                "INSERT OR IGNORE INTO forgotten (device_id, event_number) VALUES (?, \(last))", [device.rawValue])
            try HistoryWriter(db).forget(device, through: change.removedThrough[device])
        }
        for (name, hash) in change.sources {
            if let hash {
                try execute(
                    "INSERT INTO source (name, hash) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET hash = excluded.hash",
                    [name, hash])
            } else {
                try execute("DELETE FROM source WHERE name = ?", [name])
            }
        }
        try execute(
            "UPDATE store SET region_revision = ?, replay_floor = ?", [change.regionRevision, position])
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
