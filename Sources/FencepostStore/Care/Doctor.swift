import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Looks a database over: SQLite's own checks, and what has to be true of Fencepost's rows.
///
/// It only reads, through a connection of its own, and may do so beside a running server.
public struct Doctor {
    /// One thing that was looked at.
    public struct Check: Hashable, Sendable {
        /// A stable name: `integrity`, `foreignKeys` …
        public var name: String
        /// What has to be true, in a few words.
        public var claim: String
        /// One sentence each, the first ten; empty when all is well.
        public var problems: [String] = []
        /// How many there are in all.
        public var count = 0

        public var isPassed: Bool { count == 0 }

        init(_ name: String, _ claim: String) {
            self.name = name
            self.claim = claim
        }

        mutating func report(_ problem: String) {
            count += 1
            if problems.count < 10 { problems.append(problem) }
        }
    }

    /// - Throws: `cannotOpen`, `newerSchema`, and `corrupt` when it is no database of Fencepost.
    public static func examine(_ path: String) throws(StoreError) -> [Check] {
        try Backup.read(path) { db in
            var checks: [Check] = []
            try db.inTransaction(.deferred) {
                let doctor = Doctor(db: db)
                let version = try Migrations.version(db, path: path)
                checks = [try doctor.integrity()]
                // On damaged pages the rest would only fail; an older schema is brought up to date by the next start.
                if checks[0].isPassed, version == Migrations.latest {
                    checks += [
                        try doctor.foreignKeys(), try doctor.positions(), try doctor.checkpoints(),
                        try doctor.sequences(), try doctor.crossings(), try doctor.deliveries(),
                        try doctor.segments(),
                    ]
                    // Fixes that cannot be read cannot be compared.
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

    private func foreignKeys() throws -> Check {
        var check = Check("foreignKeys", "every delivery has its event, every attempt its delivery")
        for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
            check.report("Row \(row[1] as Int64? ?? 0) of \(row[0] as String) points to nothing.")
        }
        return check
    }

    private func positions() throws -> Check {
        var check = Check("positions", "the log has no holes")
        let rows = try Row.fetchCursor(db, sql: "SELECT position, count, devices, fixes FROM log ORDER BY position")
        var last: LogPosition?
        while let row = try rows.next() {
            let position: LogPosition = row[0]
            if let last, position != last + 1 { check.report("After \(last) comes \(position).") }
            last = position
            do {
                let fixes = try LogRow.fixes(devices: row[2], fixes: row[3])
                if fixes.count != row[1] {
                    check.report("Entry \(position) has \(fixes.count) fixes and not \(row[1] as Int).")
                }
            } catch {
                check.report("Entry \(position) cannot be read.")
            }
        }
        let archive = try ArchiveState(db)
        let end = last ?? 0
        if archive.through > end || archive.target ?? 0 > end {
            check.report("More is sorted by device than the log ever had (\(archive.through), \(end)).")
        }
        return check
    }

    private func checkpoints() throws -> Check {
        var check = Check("checkpoints", "no device is ahead of the log")
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, position FROM device WHERE position > (SELECT coalesce(max(position), 0) FROM log)")
        while let row = try rows.next() {
            check.report("Device \(row[0] as String) is at \(row[1] as Int64), after the log's end.")
        }
        return check
    }

    /// Of each device and what came before it was forgotten, its events in the order in which they were stored.
    private func forEachEvent(
        _ condition: String, _ body: (_ device: String, _ run: Int64, _ row: Row) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT device_id, number,
                  (SELECT coalesce(max(event_number), 0) FROM forgotten
                   WHERE forgotten.device_id = event.device_id AND event_number < number),
                  id, type, region_id, CASE WHEN json_valid(body) THEN json_extract(body, '$.sequence') END
                FROM event WHERE \(condition) ORDER BY device_id, number
                """)
        while let row = try rows.next() { try body(row[0], row[2], row) }
    }

    private func sequences() throws -> Check {
        var check = Check("sequences", "the events of each device are numbered without holes")
        var last: (device: String, run: Int64, sequence: Int64)?
        try forEachEvent("device_id IS NOT NULL") { device, run, row in
            guard let sequence = (row[6] as DatabaseValue).storage.value as? Int64 else {
                return check.report("Event \(row[3] as String) has no sequence.")
            }
            if let last, last.device == device, last.run == run, sequence != last.sequence + 1 {
                check.report("Of \(device), \(sequence) follows on \(last.sequence) (\(row[3] as String)).")
            }
            last = (device, run, sequence)
        }
        return check
    }

    /// Only of regions that tell both entries and exits, and since they last changed.
    private func crossings() throws -> Check {
        var check = Check("crossings", "entries and exits of each device and region take turns")
        struct Key: Hashable {
            var device: String
            var run: Int64
            var region: String
        }
        var (last, device): ([Key: String], String?) = ([:], nil)
        try forEachEvent(
            """
            device_id IS NOT NULL AND type IN ('region.entered', 'region.exited')
            AND number > (SELECT event_number FROM current_region AS region WHERE region.id = event.region_id
              AND json_extract(feature, '$.properties.notifyOnEntry') IS NOT 0
              AND json_extract(feature, '$.properties.notifyOnExit') IS NOT 0)
            """
        ) { id, run, row in
            if id != device { (last, device) = ([:], id) }
            let key = Key(device: id, run: run, region: row[5] ?? "")
            let type: String = row[4]
            if last[key] == type {
                check.report("Of \(id) and \(key.region), \(type) comes twice (\(row[3] as String)).")
            }
            last[key] = type
        }
        return check
    }

    private func deliveries() throws -> Check {
        var check = Check("deliveries", "of ordered endpoints the first message of each device goes first")
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, is_waiting, row_number() OVER (PARTITION BY endpoint_id, device_id ORDER BY number) = 1
                FROM delivery WHERE status = 0 AND is_ordered = 1 AND device_id IS NOT NULL
                """)
        while let row = try rows.next() {
            let (isWaiting, isFirst): (Bool, Bool) = (row[1], row[2])
            guard isWaiting == isFirst else { continue }
            check.report("\(row[0] as String) \(isWaiting ? "waits for nothing" : "does not wait for its turn").")
        }
        return check
    }

    private func segments() throws -> Check {
        var check = Check("segments", "what is sorted by device says of itself what it holds")
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, device_id, first_time, last_time, count, fixes FROM segment")
        while let row = try rows.next() {
            let id: Int64 = row[0]
            guard let fixes = try? Segment.fixes([UInt8](row[5] as Data), device: DeviceID(row[1])) else {
                check.report("Segment \(id) cannot be read.")
                continue
            }
            let times = fixes.map(\.location.timestamp.milliseconds)
            if times.count != row[4] || times.first != row[2] || times.last != row[3] || times != times.sorted() {
                check.report("Segment \(id) of \(row[1] as String) holds other fixes than it says.")
            }
        }
        return check
    }

    private func fixes() throws -> Check {
        var check = Check("fixes", "no fix is stored twice")
        // Only what makes a fix the same one is kept of those that are not sorted by device yet.
        var unsorted: [DeviceID: [FixKey]] = [:]
        let archive = try ArchiveState(db)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT position, devices, fixes FROM log WHERE position > ?", arguments: [archive.through])
        while let row = try rows.next() {
            for fix in try LogRow.fixes(devices: row[1], fixes: row[2])
            where archive.through(of: fix.location.deviceID) < row[0] as LogPosition {
                unsorted[fix.location.deviceID, default: []].append(FixKey(fix.location))
            }
        }
        let names = try String.fetchAll(db, sql: "SELECT DISTINCT device_id FROM segment")
        let segments = try db.makeStatement(sql: "SELECT fixes FROM segment WHERE device_id = ?")
        for device in Set(names.map { DeviceID($0) }).union(unsorted.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            var keys = unsorted[device] ?? []
            for bytes in try Data.fetchAll(segments, arguments: [device.rawValue]) {
                keys += try Segment.fixes([UInt8](bytes), device: device).map { FixKey($0.location) }
            }
            keys.sort {
                ($0.timestamp, $0.latitude, $0.longitude) < ($1.timestamp, $1.latitude, $1.longitude)
            }
            for (key, next) in zip(keys, keys.dropFirst()) where key == next {
                check.report("\(device) has a fix of \(key.timestamp.rfc3339) twice.")
            }
        }
        return check
    }
}
