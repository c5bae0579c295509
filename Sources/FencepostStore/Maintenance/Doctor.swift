import FencepostEngine
import FencepostFiles
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostService
import Foundation
import GRDB

/// Checks a database: SQLite's integrity, and the invariants of Fencepost's rows.
///
/// It uses a read-only connection, also while a server has the database open.
public struct Doctor {
    /// One check with its result.
    public struct Check: Hashable, Sendable {
        /// A stable name: `integrity`, `foreignKeys` …
        public var name: String
        /// The invariant in a few words.
        public var claim: String
        /// The first ten violations, one sentence each.
        public var problems: [String] = []
        /// Number of violations.
        public var count = 0

        /// Whether there is no violation.
        public var isPassed: Bool { count == 0 }

        /// A check without violations so far.
        public init(_ name: String, _ claim: String) {
            self.name = name
            self.claim = claim
        }

        /// Adds a violation, as a sentence.
        public mutating func report(_ problem: String) {
            count += 1
            if problems.count < 10 { problems.append(problem) }
        }
    }

    /// Runs all checks that apply.
    ///
    /// - Throws: a `StoreError`: `cannotOpen`, `newerSchema`, or `corrupt` when it is not a database of Fencepost.
    public static func examine(_ path: String) throws(StoreError) -> [Check] {
        // Before a connection, because the last one to close empties the log.
        let log = writeAheadLog(path)
        return try Backup.read(path) { db in
            var checks: [Check] = []
            db.add(function: EventColumns.sequence)
            try db.inTransaction(.deferred) {
                let doctor = Doctor(db: db)
                let version = try Schema.current.version(db, path: path)
                checks = [try doctor.integrity(), log]
                if let records = try doctor.records(nextTo: path) { checks.append(records) }
                // The other checks need undamaged pages and the current schema. The next start migrates an older one, and that of
                // a copy its cluster's log.
                if checks[0].isPassed, version == Schema.current.latest {
                    checks += [
                        try doctor.foreignKeys(), try doctor.positions(), try doctor.checkpoints(),
                        try doctor.sequences(), try doctor.crossings(), try doctor.deliveries(),
                        try doctor.segments(), try doctor.contents(), try doctor.corrections(), try doctor.eventLists(),
                        try doctor.setAside(), try doctor.definitions(),
                    ]
                    // Fixes can be compared only if they can be read.
                    if checks.allSatisfy({ $0.isPassed || !["positions", "segments"].contains($0.name) }) {
                        checks.append(try doctor.fixes())
                    }
                }
                return .commit
            }
            return checks
        }
    }

    private let db: Database

    private func integrity() throws -> Check {
        var check = Check("integrity", "the file's pages and indexes are sound")
        for text in try String.fetchAll(db, sql: "PRAGMA integrity_check") where text != "ok" { check.report(text) }
        return check
    }

    private static func writeAheadLog(_ path: String) -> Check {
        var check = Check("writeAheadLog", "no commit is lost in a damaged write-ahead log")
        // A running service writes the log, so its end may be incomplete.
        guard (try? LockFile(nextTo: path)) != nil else { return check }
        if let problem = WriteAheadLog(of: FileName.canonical(path))?.problem { check.report(problem) }
        return check
    }

    /// Compares the hashes of rows. Rows of versions without hashes are not compared.
    private func contents() throws -> Check {
        var check = Check("contents", "events, messages and locations are as they were written")
        func compare(
            _ sql: String, _ name: String, _ hash: (Row) throws -> Int64
        ) throws {
            let rows = try Row.fetchCursor(db, sql: sql)
            while let row = try rows.next() {
                if try row["hash"] as Int64 == (try? hash(row)) { continue }
                try check.report("\(name) \(row[0] as DatabaseValue) differs from what was written.")
            }
        }
        try compare("SELECT * FROM event WHERE hash IS NOT NULL", "Event") { row in
            try ContentHash.event(
                id: row["id"], type: row["type"], device: row["device_id"], region: row["region_id"],
                timestamp: row["timestamp"], receivedAt: row["received_at"], body: row["body"], why: row["why"],
                packed: row["packed"], visit: row["visit_id"])
        }
        try compare("SELECT * FROM delivery WHERE hash IS NOT NULL", "Message") { row in
            try ContentHash.delivery(
                id: row["id"], endpoint: row["endpoint_id"], event: row["event_id"], device: row["device_id"],
                createdAt: row["created_at"], headers: row["headers"], body: row["body"])
        }
        try compare("SELECT * FROM log WHERE hash IS NOT NULL", "Entry of the log") { row in
            try ContentHash.log(
                position: row["position"], receivedAt: row["received_at"], advancesClock: row["advances_clock"],
                count: row["count"], devices: row["devices"], fixes: row["fixes"])
        }
        try compare("SELECT * FROM segment WHERE hash IS NOT NULL", "Segment") { row in
            try ContentHash.segment(device: row["device_id"], fixes: row["fixes"])
        }
        return check
    }

    private func foreignKeys() throws -> Check {
        var check = Check("foreignKeys", "every delivery has its event, every attempt its delivery")
        for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
            try check.report("Row \(row[1] as Int64? ?? 0) of \(row[0] as String) refers to a missing row.")
        }
        let known = try marks("SELECT id FROM event") { EventFacts.mark(try $0[0] as String) }
        let deliveries = try Row.fetchCursor(db, sql: "SELECT id, event_id FROM delivery")
        while let row = try deliveries.next() {
            if try known.contains(EventFacts.mark(row[1] as String)) { continue }
            try check.report("Message \(row[0] as String) is about \(row[1] as String), which is not stored.")
        }
        return check
    }

    /// A mark of each row of a query: the rows are looked up in memory, since no index of the database has them.
    private func marks(_ sql: String, _ mark: (Row) throws -> Int64) throws -> Set<Int64> {
        var marks: Set<Int64> = []
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() { marks.insert(try mark(row)) }
        return marks
    }

    private func positions() throws -> Check {
        var check = Check("positions", "the log has no gaps")
        let rows = try Row.fetchCursor(db, sql: "SELECT position, count, devices, fixes FROM log ORDER BY position")
        var last: LogPosition?
        while let row = try rows.next() {
            let position: LogPosition = try row[0]
            if let last, position != last + 1 { check.report("Entry \(position) follows \(last).") }
            last = position
            do {
                let fixes = try LogRow.fixes(devices: row[2], fixes: row[3])
                let count: Int = try row[1]
                if fixes.count != count {
                    check.report("Entry \(position) has \(fixes.count) fixes instead of \(count).")
                }
            } catch {
                check.report("Entry \(position) cannot be read.")
            }
        }
        let archive = try ArchiveState(db)
        let end = last ?? 0
        if archive.through > end || archive.target ?? 0 > end {
            check.report("The archive is ahead of the log (\(archive.through), \(end)).")
        }
        return check
    }

    private func checkpoints() throws -> Check {
        var check = Check("checkpoints", "no device is ahead of the log")
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, position FROM device WHERE position > (SELECT coalesce(max(position), 0) FROM log)")
        while let row = try rows.next() {
            try check.report("Device \(row[0] as String) is at \(row[1] as Int64), after the end of the log.")
        }
        return check
    }

    /// Calls the body for each event by device, in stored order. `run` changes when a device is removed and appears again.
    private func forEachEvent(
        _ condition: String, order: String = "number",
        _ body: (_ device: String, _ run: Int64, _ row: Row) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT device_id, number,
                  (SELECT coalesce(max(event_number), 0) FROM forgotten
                   WHERE forgotten.device_id = event.device_id AND event_number < number),
                  id, type, region_id, event_sequence(body, packed),
                  detected_at, timestamp
                FROM event WHERE \(condition) ORDER BY device_id, \(order)
                """)
        while let row = try rows.next() { try body(row[0], row[2], row) }
    }

    private func sequences() throws -> Check {
        var check = Check("sequences", "the sequence numbers of each device have no gaps")
        var last: (device: String, run: Int64, sequence: Int64)?
        try forEachEvent("device_id IS NOT NULL") { device, run, row in
            guard let sequence = try (row[6] as DatabaseValue).storage.value as? Int64 else {
                return try check.report("Event \(row[3] as String) has no sequence.")
            }
            if let last, last.device == device, last.run == run, sequence != last.sequence + 1 {
                try check.report("\(device): \(sequence) follows \(last.sequence) (\(row[3] as String)).")
            }
            last = (device, run, sequence)
        }
        return check
    }

    /// Considers only regions that report both entries and exits, and events since the region last changed.
    private func crossings() throws -> Check {
        var check = Check("crossings", "entries and exits of each device and region alternate")
        struct Key: Hashable {
            var device: String
            var run: Int64
            var region: String
        }
        var (last, device): ([Key: String], String?) = ([:], nil)
        try forEachEvent(
            """
            device_id IS NOT NULL AND type IN ('region.entered', 'region.exited') AND superseded_by IS NULL
            AND number > (SELECT event_number FROM current_region AS region WHERE region.id = event.region_id
              AND json_valid(feature) AND json_extract(feature, '$.properties.notifyOnEntry') IS NOT 0
              AND json_extract(feature, '$.properties.notifyOnExit') IS NOT 0)
            """, order: "detected_at, timestamp, number"
        ) { id, run, row in
            if id != device { (last, device) = ([:], id) }
            let key = try Key(device: id, run: run, region: row[5] ?? "")
            let type: String = try row[4]
            if last[key] == type {
                try check.report("\(id) in \(key.region): \(type) occurs twice in a row (\(row[3] as String)).")
            }
            last[key] = type
        }
        return check
    }

    private func corrections() throws -> Check {
        var check = Check("corrections", "every superseded event has its successor, every snapshot can be read")
        func mark(_ id: String, _ device: String?) -> Int64 { EventFacts.mark("\(id) \(device ?? "")") }
        let superseded = "SELECT id, device_id, superseded_by FROM event WHERE superseded_by IS NOT NULL"
        let successors = try marks(superseded) { try mark($0[2], $0[1]) }
        let known = try marks("SELECT id, device_id FROM event") { row in
            let mark = try mark(row[0], row[1])
            return successors.contains(mark) ? mark : 0
        }
        let rows = try Row.fetchCursor(db, sql: superseded)
        while let row = try rows.next() {
            if try known.contains(mark(row[2], row[1])) { continue }
            try check.report("\(row[0] as String) is superseded by \(row[2] as String), which is not stored.")
        }
        let snapshots = try Row.fetchCursor(
            db, sql: "SELECT device_id, time, state FROM snapshot WHERE length(state) > 0")
        while let row = try snapshots.next() {
            let device: String = try row[0]
            let record = try? DeviceRecord([UInt8](row[2] as Data))
            if record?.engine.deviceID.rawValue != device {
                try check.report("The snapshot of \(device) at \(row[1] as Int64) cannot be read.")
            }
        }
        return check
    }

    /// Compares the lists of each run with its rows. Postings of events that retention has deleted stay.
    private func eventLists() throws -> Check {
        var check = Check("eventLists", "every event is found by its id, device, region, type and times")
        for id in try doubles() { check.report("Two events have the id \(id).") }
        var last: Int64 = 0
        let names = try Set(String.fetchAll(db, sql: "SELECT name FROM event_name"))
        for run in try EventRun.all(db) {
            if run.firstNumber <= last { check.report("The run \(run.id) has events of the one before.") }
            let rows = try Row.fetchCursor(
                db, sql: "SELECT \(EventRows.factColumns) FROM event WHERE number > ? AND number <= ?",
                arguments: [last, run.lastNumber])
            last = run.lastNumber
            var facts: [EventFacts] = []
            while let row = try rows.next() {
                facts.append(try EventRows.facts(row))
                for name in try [row[2] as String?, row[3] as String?] {
                    if let name, !names.contains(name) { check.report("The name \(name) of an event is missing.") }
                }
            }
            let stored = Set(facts.map(\.number))
            for list in EventList.allCases {
                var found: [EventPosting] = []
                do {
                    try EventPages(db: db, run: run.id, list: list).forEach { _, page in
                        if page.postings.first != page.first { check.report("A page of the run \(run.id) is damaged.") }
                        found += page.postings.filter { stored.contains($0.number) }
                    }
                } catch { check.report("A page of the run \(run.id) cannot be read.") }
                if found != EventFacts.postings(of: facts, in: list) {
                    check.report("The list \(list) of the run \(run.id) differs from its events.")
                }
            }
            let isOutside = facts.contains { $0.timestamp < run.firstTime || $0.timestamp > run.lastTime }
            if isOutside { check.report("The run \(run.id) has events outside of its times.") }
        }
        return check
    }

    /// The ids that two events have, which no index keeps from being inserted.
    private func doubles() throws -> [String] {
        var (marks, suspects): (Set<Int64>, Set<String>) = ([], [])
        let rows = try Row.fetchCursor(db, sql: "SELECT id FROM event")
        while let row = try rows.next() {
            let id: String = try row[0]
            if !marks.insert(EventFacts.mark(id)).inserted { suspects.insert(id) }
        }
        return try suspects.sorted().filter { id in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM event WHERE id = ?", arguments: [id]) ?? 0 > 1
        }
    }

    private func setAside() throws -> Check {
        var check = Check("setAside", "no device or import is set aside after its work had ended the process")
        for item in try SQLiteStore.setAside(db) where !item.isReleased {
            check.report(
                "The \(item.kind.rawValue) \(item.id) is set aside since \(item.since.rfc3339): its work "
                    + "(\(item.work)) ended the process \(item.ends) times.")
        }
        return check
    }

    /// What a start leaves out where it cannot be read, so that the rest works.
    private func definitions() throws -> Check {
        var check = Check("definitions", "every stored definition and state can be read")
        func examine(_ what: String, _ sql: String, _ isReadable: (_ id: String, _ row: Row) throws -> Bool) throws {
            let rows = try Row.fetchCursor(db, sql: sql)
            while let row = try rows.next() {
                let id = (try? row[0] as String) ?? "?"
                if (try? isReadable(id, row)) != true { check.report("The \(what) \(id) cannot be read.") }
            }
        }
        try examine("endpoint", "SELECT id, definition FROM endpoint") { try SQLiteStore.endpoint($0, $1[1]) != nil }
        try examine("token", "SELECT id, definition FROM token") {
            _ = try JSONColumn.decode(AccessToken.self, $1[1] as String)
            return $0 != ""
        }
        try examine("user", "SELECT id, definition FROM user") {
            try JSONColumn.decode(User.self, $1[1] as String).id == $0
        }
        try examine("alert rule", "SELECT id, definition FROM alert_rule") {
            StoredRule<AlertRule>(id: $0, text: try $1[1]).rule != nil
        }
        try examine("proximity rule", "SELECT id, definition FROM proximity_rule") {
            StoredRule<ProximityRule>(id: $0, text: try $1[1]).rule != nil
        }
        try examine("plan", "SELECT id, definition, ended FROM plan") {
            let versions = StoredPlan(id: $0, text: try $1[1], ended: nil).versions
            return !versions.isEmpty && versions.allSatisfy { $0.id == versions[0].id }
        }
        try examine("MQTT broker", "SELECT 'of the page', definition FROM broker") { _, row in
            BrokerFile.read(stored: try row[1]) != nil
        }
        try examine("app", "SELECT id, definition, steps FROM app") {
            _ = try JSONColumn.decode([String].self, $1[2] as String)
            _ = try JSONDocument(parsing: $1[1] as String)
            return $0 != ""
        }
        try examine("region", "SELECT id, feature FROM current_region") {
            _ = try JSONDocument(parsing: $1[1] as String)
            return $0 != ""
        }
        try examine("live position of", "SELECT device_id, fix FROM live_position") {
            _ = try FixDecoder.all([UInt8]($1[1] as Data), devices: [DeviceID($0)])
            return true
        }
        try examine("evaluation of", "SELECT \(EvaluationTask.columns) FROM evaluation") {
            _ = try EvaluationTask(row: $1)
            return $0 != ""
        }
        try examine("state of the device", "SELECT id, state FROM device") {
            try DeviceRecord([UInt8]($1[1] as Data)).engine.deviceID.rawValue == $0
        }
        return check
    }

    /// Of a copy of a cluster: what the node does not apply, which its work journal knows alone.
    private func records(nextTo path: String) throws -> Check? {
        guard try ReplicaMark.read(db) != nil else { return nil }
        var check = Check("records", "no record of the cluster's log has ended this node's process repeatedly")
        for ended in WorkJournalFile.excessive(nextTo: path, version: FencepostVersion.current)
        where ended.work == .record {
            let id = ended.id.split(separator: " ").first.map(String.init) ?? ended.id
            let name = UInt64(id) == nil ? "The upgrade to \(id)" : "Record \(id) of the cluster's log"
            check.report(
                "\(name) is set aside: applying it ended the process \(ended.faults + ended.kills) times.")
        }
        return check
    }

    private func deliveries() throws -> Check {
        var check = Check("deliveries", "an ordered endpoint gets the messages of each device in order")
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, is_waiting, row_number() OVER (PARTITION BY endpoint_id, device_id ORDER BY number) = 1
                FROM delivery WHERE status = 0 AND is_ordered = 1 AND device_id IS NOT NULL
                """)
        while let row = try rows.next() {
            let (isWaiting, isFirst): (Bool, Bool) = try (row[1], row[2])
            guard isWaiting == isFirst else { continue }
            let id: String = try row[0]
            check.report(
                "\(id) \(isWaiting ? "waits, but is the first" : "does not wait, but is not the first").")
        }
        return check
    }

    private func segments() throws -> Check {
        var check = Check("segments", "the columns of each segment match its fixes")
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, device_id, first_time, last_time, count, fixes, south, west, north, east FROM segment")
        while let row = try rows.next() {
            let id: Int64 = try row[0]
            guard let fixes = try? Segment.fixes([UInt8](row[5] as Data), device: DeviceID(row[1])) else {
                check.report("Segment \(id) cannot be read.")
                continue
            }
            let times = fixes.map(\.location.timestamp.milliseconds)
            if try times.count != row[4] || times.first != row[2] || times.last != row[3] || times != times.sorted() {
                try check.report("Segment \(id) of \(row[1] as String) does not match its fixes.")
            }
            var bounds = FixBounds.Builder()
            for fix in fixes { bounds.add(fix.location.coordinate) }
            if let stored = try FixBounds(row, at: 6), stored != bounds.bounds {
                try check.report("Segment \(id) of \(row[1] as String) has other bounds than its fixes.")
            }
        }
        return check
    }

    private func fixes() throws -> Check {
        var check = Check("fixes", "no fix is stored twice")
        // The keys of fixes that are not archived.
        var unarchived: [DeviceID: [FixKey]] = [:]
        let archive = try ArchiveState(db)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT position, devices, fixes FROM log WHERE position > ?", arguments: [archive.through])
        while let row = try rows.next() {
            for fix in try LogRow.fixes(devices: row[1], fixes: row[2])
            where try archive.through(of: fix.location.deviceID) < row[0] as LogPosition {
                unarchived[fix.location.deviceID, default: []].append(FixKey(fix.location))
            }
        }
        let names = try String.fetchAll(db, sql: "SELECT DISTINCT device_id FROM segment")
        let segments = try db.makeStatement(sql: "SELECT fixes FROM segment WHERE device_id = ?")
        for device in Set(names.map { DeviceID($0) }).union(unarchived.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            var keys = unarchived[device] ?? []
            for bytes in try Data.fetchAll(segments, arguments: [device.rawValue]) {
                keys += try Segment.fixes([UInt8](bytes), device: device).map { FixKey($0.location) }
            }
            keys.sort {
                ($0.timestamp, $0.latitude, $0.longitude) < ($1.timestamp, $1.latitude, $1.longitude)
            }
            for (key, next) in zip(keys, keys.dropFirst()) where key == next {
                check.report("\(device) has the fix at \(key.timestamp.rfc3339) twice.")
            }
        }
        return check
    }
}
