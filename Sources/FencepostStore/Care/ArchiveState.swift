import FencepostModel
import FencepostService
import GRDB

/// Which fixes of the log are in segments already, as of a snapshot of the database.
struct ArchiveState {
    /// All that came up to here is.
    var through: LogPosition
    /// What came up to here is of the devices up to `device`, while a batch is being archived.
    var target: LogPosition?
    var device: DeviceID?
    /// Fixes that came before are no longer shown.
    var floor: Timestamp

    init(_ db: Database) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT archived_through, archive_target, archive_device, history_floor FROM store"))
        guard let row else { throw StoreError(.corrupt, "The database has lost its own state.") }
        through = row[0]
        target = row[1]
        device = (row[2] as String?).map { DeviceID($0) }
        floor = Timestamp(milliseconds: row[3])
    }

    /// Up to where the fixes of one device are in segments.
    func through(of id: DeviceID) -> LogPosition {
        guard let target, let device, id.rawValue <= device.rawValue else { return through }
        return target
    }
}

/// Fixes of one device, by time and then by arrival, as a row.
struct Segment: Sendable {
    /// A segment that is read as a whole for one fix of it should take less than a millisecond.
    static let capacity = 1024

    var device: DeviceID
    var fixes: [KeptFix]

    /// As many segments as the fixes of one device need, each full but the last.
    ///
    /// - Parameter fixes: in the order of their arrival.
    static func make(of device: DeviceID, _ fixes: [KeptFix]) -> [Segment] {
        // The sort is stable: what came first of two fixes of one time stays first.
        let isSorted = fixes.indices.dropFirst().allSatisfy {
            fixes[$0 - 1].location.timestamp <= fixes[$0].location.timestamp
        }
        let sorted = isSorted ? fixes : fixes.sorted { $0.location.timestamp < $1.location.timestamp }
        guard sorted.count > capacity else { return sorted.isEmpty ? [] : [Segment(device: device, fixes: sorted)] }
        return stride(from: 0, to: sorted.count, by: capacity).map { start in
            Segment(device: device, fixes: Array(sorted[start..<min(start + capacity, sorted.count)]))
        }
    }

    static func fixes(_ bytes: [UInt8], device: DeviceID) throws -> [KeptFix] {
        try FixDecoder.all(bytes, devices: [device])
    }

    /// What the row holds, made before the writer is taken.
    func encoded() -> StatementArguments {
        let received = fixes.map(\.receivedAt)
        let first = received.min() ?? Timestamp(milliseconds: 0)
        let last = received.max() ?? first
        var encoder = FixEncoder(receivedAt: first, capacity: fixes.count)
        for fix in fixes { encoder.append(fix.stored, receivedAt: fix.receivedAt) }
        return [
            device.rawValue, fixes.first?.location.timestamp.milliseconds, fixes.last?.location.timestamp.milliseconds,
            fixes.count, first.milliseconds, last.milliseconds, encoder.data,
        ]
    }

    static func insert(_ arguments: StatementArguments, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO segment
                  (device_id, first_time, last_time, count, first_received, last_received, fixes)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: arguments)
    }
}
