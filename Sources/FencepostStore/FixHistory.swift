import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Reads the fixes of one device, from the archive and from the log.
struct FixHistory {
    private let db: Database
    private let device: DeviceID
    private let archive: ArchiveState
    private let rows: [LogPosition]
    /// The fixes that are not archived, where they are read already.
    private var known: [ArchivedFix]?

    /// A history as of the database's snapshot.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - device: the device.
    ///   - rows: the result of `LogTail.rows(of:)` before the snapshot was taken. It may have rows that are archived by
    ///     then; no acknowledged fix is missing.
    ///   - includesExpired: whether fixes that are expired, but not removed yet, are read too.
    /// - Throws: when the database cannot be read.
    init(_ db: Database, device: DeviceID, rows: [LogPosition], includesExpired: Bool = false) throws {
        self.db = db
        self.device = device
        var archive = try ArchiveState(db)
        if includesExpired { archive.floor = Timestamp(milliseconds: .min) }
        self.archive = archive
        let through = archive.through(of: device)
        self.rows = rows.filter { $0 > through }
    }

    /// A history as of the database's snapshot, with the fixes of the snapshot's log that are not archived.
    init(_ db: Database, device: DeviceID, unarchived: [ArchivedFix]) throws {
        try self.init(db, device: device, rows: [])
        known = unarchived
    }

    /// The fixes that are not archived, in order of arrival.
    func unarchived() throws -> [ArchivedFix] {
        if let known { return known }
        let statement = try db.cachedStatement(
            sql: "SELECT devices, fixes FROM log WHERE position = ? AND received_at >= ?")
        var fixes: [ArchivedFix] = []
        for position in rows {
            let row = try Row.fetchOne(statement, arguments: [position, archive.floor.milliseconds])
            guard let row else { continue }
            fixes += try LogRow.fixes(devices: row[0], fixes: row[1]).filter { $0.location.deviceID == device }
        }
        return fixes
    }

    /// Whether a fix is of a time span, in milliseconds since 1970 with an exclusive end, and has not expired.
    private func filter(from: Int64, to: Int64) -> (ArchivedFix) -> Bool {
        { [floor = archive.floor] fix in
            let time = fix.location.timestamp.milliseconds
            return time >= from && time < to && fix.receivedAt >= floor
        }
    }

    /// Calls the body for each fix of a time span, by time and then by arrival, until it returns false. The end of the
    /// span is exclusive; `nil` for none.
    func forEach(from: Timestamp?, to: Timestamp?, _ body: (ArchivedFix) throws -> Bool) throws {
        let from = from?.milliseconds ?? .min
        let to = to?.milliseconds ?? .max
        let isWanted = filter(from: from, to: to)
        // Segments overlap when fixes were late. A fix is released once no later segment can have an earlier one.
        var ahead: [ArchivedFix] = try unarchived().filter(isWanted)
        let segments = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT first_time, fixes FROM segment
                    WHERE device_id = ? AND first_time < ? AND last_time >= ? ORDER BY first_time
                    """), arguments: [device.rawValue, to, from])
        while let row = try segments.next() {
            let start: Int64 = try row[0]
            if !(try release(&ahead, before: start, body)) { return }
            ahead += try Segment.fixes([UInt8](row[1] as Data), device: device).filter(isWanted)
        }
        _ = try release(&ahead, before: .max, body)
    }

    /// Fixes of a time span, the newest first: the reverse of `forEach`.
    ///
    /// - Parameters:
    ///   - from: the inclusive start; `nil` for none.
    ///   - to: the exclusive end; `nil` for none.
    ///   - cursor: the end of the page before; `nil` for the first page.
    ///   - limit: the largest number of fixes.
    ///   - isWanted: whether a fix counts.
    /// - Returns: the fixes; empty at the end.
    /// - Throws: when the database cannot be read.
    func newest(
        from: Timestamp?, to: Timestamp?, after cursor: LocationCursor?, limit: Int,
        where isWanted: (StoredLocation) -> Bool
    ) throws -> [StoredLocation] {
        var (found, end): ([StoredLocation], Timestamp?) = ([], to)
        if let cursor {
            let time = cursor.timestamp
            if cursor.skip > 0, from.map({ $0 <= time }) ?? true, to.map({ time < $0 }) ?? true {
                var same: [StoredLocation] = []
                try forEach(from: time, to: time + .milliseconds(1)) { fix in
                    if isWanted(fix.stored) { same.append(fix.stored) }
                    return same.count < cursor.skip
                }
                found = same.suffix(limit).reversed()
            }
            end = min(to ?? .distantFuture, time)
        }
        guard found.count < limit else { return found }
        try forEachBackwards(from: from, to: end) { fix in
            if isWanted(fix.stored) { found.append(fix.stored) }
            return found.count < limit
        }
        return found
    }

    /// As `forEach`, in the reverse order.
    private func forEachBackwards(
        from: Timestamp?, to: Timestamp?, _ body: (ArchivedFix) throws -> Bool
    ) throws {
        let from = from?.milliseconds ?? .min
        let to = to?.milliseconds ?? .max
        let isWanted = filter(from: from, to: to)
        var ahead: [ArchivedFix] = try unarchived().filter(isWanted)
        // The index has all that is needed of the segments. Only those of the page are read.
        let segments = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, first_time, last_time FROM segment
                    WHERE device_id = ? AND first_time < ? AND last_time >= ?
                    """), arguments: [device.rawValue, to, from]
        ).map { row in
            (id: try row[0] as Int64, first: try row[1] as Int64, last: try row[2] as Int64)
        }.sorted { ($0.last, $0.first) > ($1.last, $1.first) }
        let blob = try db.cachedStatement(sql: "SELECT fixes FROM segment WHERE id = ?")
        for segment in segments {
            if !(try releaseBackwards(&ahead, after: segment.last, body)) { return }
            guard let row = try Row.fetchOne(blob, arguments: [segment.id]) else { continue }
            // Those of a segment precede later ones of the same time.
            ahead = try Segment.fixes([UInt8](row[0] as Data), device: device).filter(isWanted) + ahead
        }
        _ = try releaseBackwards(&ahead, after: .min, body)
    }

    private func releaseBackwards(
        _ ahead: inout [ArchivedFix], after start: Int64, _ body: (ArchivedFix) throws -> Bool
    ) throws -> Bool {
        ahead.sort { a, b in
            (a.location.timestamp, a.receivedAt) < (b.location.timestamp, b.receivedAt)
        }
        while let last = ahead.last, last.location.timestamp.milliseconds > start {
            if !(try body(last)) { return false }
            ahead.removeLast()
        }
        return true
    }

    private func release(
        _ ahead: inout [ArchivedFix], before end: Int64, _ body: (ArchivedFix) throws -> Bool
    ) throws -> Bool {
        ahead.sort { a, b in
            (a.location.timestamp, a.receivedAt) < (b.location.timestamp, b.receivedAt)
        }
        let count = ahead.firstIndex { $0.location.timestamp.milliseconds >= end } ?? ahead.count
        for fix in ahead[..<count] where !(try body(fix)) { return false }
        ahead.removeFirst(count)
        return true
    }

    /// The keys that are stored.
    ///
    /// `rows` is as in `init`, for all devices of the keys. Each row is read once for all of them.
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

    /// The keys that are archived.
    private func archived(among keys: Set<FixKey>) throws -> Set<FixKey> {
        var found: Set<FixKey> = []
        let times = keys.map(\.timestamp.milliseconds).sorted()
        guard let first = times.first, let last = times.last else { return found }
        // Only segments whose time span contains a key are read.
        let spans = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, first_time, last_time FROM segment
                    WHERE device_id = ? AND first_time <= ? AND last_time >= ?
                    """), arguments: [device.rawValue, last, first])
        let blob = try db.cachedStatement(sql: "SELECT fixes FROM segment WHERE id = ?")
        for span in spans where try times.contains(between: span[1], and: span[2]) {
            let row = try Row.fetchOne(blob, arguments: [span[0] as Int64])
            guard let bytes = try row?[0] as Data? else { continue }
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
    /// Whether a sorted array has an element in a closed range.
    fileprivate func contains(between first: Int64, and last: Int64) -> Bool {
        let index = partitioningIndex { $0 >= first }
        return index < count && self[index] <= last
    }
}
