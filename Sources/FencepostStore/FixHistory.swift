import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Reads the fixes of one device: those in segments, and those that only the log has yet.
struct FixHistory {
    private let db: Database
    private let device: DeviceID
    private let archive: ArchiveState
    private let rows: [LogPosition]

    /// - Parameter rows: what `LogTail.rows(of:)` said before the snapshot was taken: it may name more than is needed
    ///   then, but nothing that was acknowledged is missing.
    init(_ db: Database, device: DeviceID, rows: [LogPosition]) throws {
        self.db = db
        self.device = device
        archive = try ArchiveState(db)
        let through = archive.through(of: device)
        self.rows = rows.filter { $0 > through }
    }

    /// The fixes that only the log has, in the order of their arrival.
    func unarchived() throws -> [KeptFix] {
        let statement = try db.cachedStatement(
            sql: "SELECT devices, fixes FROM log WHERE position = ? AND received_at >= ?")
        var fixes: [KeptFix] = []
        for position in rows {
            let row = try Row.fetchOne(statement, arguments: [position, archive.floor.milliseconds])
            guard let row else { continue }
            fixes += try LogRow.fixes(devices: row[0], fixes: row[1]).filter { $0.location.deviceID == device }
        }
        return fixes
    }

    /// Calls for each fix in the span, by time and then by arrival, until the body says that it has enough.
    ///
    /// - Parameter to: the moment after the last; `nil` is no end.
    func forEach(from: Timestamp?, to: Timestamp?, _ body: (KeptFix) throws -> Bool) throws {
        let from = from?.milliseconds ?? .min
        let to = to?.milliseconds ?? .max
        let isWanted = { (fix: KeptFix) in
            let time = fix.location.timestamp.milliseconds
            return time >= from && time < to && fix.receivedAt >= archive.floor
        }
        // Segments may overlap, where late fixes came: what is read ahead goes out once no later segment can hold
        // anything earlier.
        var ahead: [KeptFix] = try unarchived().filter(isWanted)
        let segments = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT first_time, fixes FROM segment
                    WHERE device_id = ? AND first_time < ? AND last_time >= ? ORDER BY first_time
                    """), arguments: [device.rawValue, to, from])
        while let row = try segments.next() {
            let start: Int64 = row[0]
            if !(try release(&ahead, before: start, body)) { return }
            ahead += try Segment.fixes([UInt8](row[1] as Data), device: device).filter(isWanted)
        }
        _ = try release(&ahead, before: .max, body)
    }

    private func release(
        _ ahead: inout [KeptFix], before end: Int64, _ body: (KeptFix) throws -> Bool
    ) throws -> Bool {
        ahead.sort { a, b in
            (a.location.timestamp, a.receivedAt) < (b.location.timestamp, b.receivedAt)
        }
        let count = ahead.firstIndex { $0.location.timestamp.milliseconds >= end } ?? ahead.count
        for fix in ahead[..<count] where !(try body(fix)) { return false }
        ahead.removeFirst(count)
        return true
    }

    /// Which of the keys are there.
    ///
    /// - Parameter rows: as in `init`, of all devices that are asked for; each row is read once for all of them.
    static func stored(
        _ db: Database, among keys: [DeviceID: Set<FixKey>], rows: [DeviceID: [LogPosition]]
    ) throws -> Set<FixKey> {
        var found: Set<FixKey> = []
        let archive = try ArchiveState(db)
        var positions: Set<LogPosition> = []
        for (device, rows) in rows {
            let through = archive.through(of: device)
            positions.formUnion(rows.lazy.filter { $0 > through })
        }
        let statement = try db.cachedStatement(
            sql: "SELECT devices, fixes FROM log WHERE position = ? AND received_at >= ?")
        for position in positions {
            let row = try Row.fetchOne(statement, arguments: [position, archive.floor.milliseconds])
            guard let row else { continue }
            for fix in try LogRow.fixes(devices: row[0], fixes: row[1]) {
                guard let keys = keys[fix.location.deviceID] else { continue }
                let key = FixKey(fix.location)
                if keys.contains(key) { found.insert(key) }
            }
        }
        for (device, keys) in keys {
            found.formUnion(try FixHistory(db, device: device, rows: []).archived(among: keys))
        }
        return found
    }

    /// Which of the keys are in segments.
    private func archived(among keys: Set<FixKey>) throws -> Set<FixKey> {
        var found: Set<FixKey> = []
        let times = keys.map(\.timestamp.milliseconds).sorted()
        guard let first = times.first, let last = times.last else { return found }
        // The index says which segments can hold a key; only those are read.
        let spans = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, first_time, last_time FROM segment
                    WHERE device_id = ? AND first_time <= ? AND last_time >= ?
                    """), arguments: [device.rawValue, last, first])
        let blob = try db.cachedStatement(sql: "SELECT fixes FROM segment WHERE id = ?")
        for span in spans where times.contains(between: span[1], and: span[2]) {
            let row = try Row.fetchOne(blob, arguments: [span[0] as Int64])
            guard let bytes = row?[0] as Data? else { continue }
            var decoder = try FixDecoder([UInt8](bytes), devices: [device])
            while let fix = try decoder.next() {
                let key = FixKey(fix.location)
                if fix.receivedAt >= archive.floor, keys.contains(key) { found.insert(key) }
            }
        }
        return found
    }
}

extension [Int64] {
    /// Whether a sorted array has an element from one number to another, both included.
    fileprivate func contains(between first: Int64, and last: Int64) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < first { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] <= last
    }
}
