import FencepostModel
import FencepostService
import GRDB

/// Which fixes of the log are archived, as of a snapshot of the database.
struct ArchiveState {
    /// All rows up to here are archived.
    var through: LogPosition
    /// While a batch is being archived: rows up to here are archived for devices up to `device`.
    var target: LogPosition?
    var device: DeviceID?
    /// Fixes that arrived before are expired and not returned.
    var floor: Timestamp

    init(_ db: Database) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT archived_through, archive_target, archive_device, history_floor FROM store"))
        guard let row else { throw StoreError(.corrupt, "The database has no row in `store`.") }
        through = try row[0]
        target = try row[1]
        device = try (row[2] as String?).map { DeviceID($0) }
        floor = try Timestamp(milliseconds: row[3])
    }

    /// The last position whose fixes of a device are archived.
    func through(of id: DeviceID) -> LogPosition {
        guard let target, let device, id.rawValue <= device.rawValue else { return through }
        return target
    }
}

/// A row of the archive: fixes of one device, by time and then by arrival.
struct Segment: Sendable {
    /// Fixes in a segment. A segment is decoded as a whole, even for one fix; that should take less than a millisecond.
    static let capacity = 1024

    var device: DeviceID
    var fixes: [ArchivedFix]

    /// Segments for the fixes of one device, given in order of arrival; all segments are full but the last.
    static func make(of device: DeviceID, _ fixes: [ArchivedFix]) -> [Segment] {
        // The sort is stable: fixes of the same time stay in order of arrival.
        let isSorted = fixes.indices.dropFirst().allSatisfy {
            fixes[$0 - 1].location.timestamp <= fixes[$0].location.timestamp
        }
        let sorted = isSorted ? fixes : fixes.sorted { $0.location.timestamp < $1.location.timestamp }
        guard sorted.count > capacity else { return sorted.isEmpty ? [] : [Segment(device: device, fixes: sorted)] }
        return stride(from: 0, to: sorted.count, by: capacity).map { start in
            Segment(device: device, fixes: Array(sorted[start..<min(start + capacity, sorted.count)]))
        }
    }

    static func fixes(_ bytes: [UInt8], device: DeviceID) throws -> [ArchivedFix] {
        try FixDecoder.all(bytes, devices: [device])
    }

    /// The values of the row, encoded before the transaction starts.
    func encoded() -> StatementArguments {
        let received = fixes.map(\.receivedAt)
        let first = received.min() ?? Timestamp(milliseconds: 0)
        let last = received.max() ?? first
        var encoder = FixEncoder(receivedAt: first, capacity: fixes.count)
        var bounds = FixBounds.Builder()
        for fix in fixes {
            encoder.append(fix.stored, receivedAt: fix.receivedAt)
            bounds.add(fix.location.coordinate)
        }
        let area = bounds.bounds
        return [
            device.rawValue, fixes.first?.location.timestamp.milliseconds, fixes.last?.location.timestamp.milliseconds,
            fixes.count, first.milliseconds, last.milliseconds, encoder.data,
            ContentHash.segment(device: device.rawValue, fixes: encoder.data),
            area.south, area.west, area.north, area.east,
        ]
    }

    /// The bounds of stored fixes, without what else they have.
    static func bounds(_ bytes: [UInt8], device: DeviceID) throws -> FixBounds {
        var (decoder, bounds) = (try FixDecoder(bytes, devices: [device]), FixBounds.Builder())
        while let fix = try decoder.next() { bounds.add(fix.location.coordinate) }
        return bounds.bounds
    }

    static func insert(_ arguments: StatementArguments, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO segment
                  (device_id, first_time, last_time, count, first_received, last_received, fixes, hash,
                  south, west, north, east)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: arguments)
    }
}
