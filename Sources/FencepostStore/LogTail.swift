import FencepostModel
import FencepostService
import Synchronization

/// What is remembered of the log: where the fixes are that no segment holds yet, and what a start would still replay.
///
/// Four bytes for each device of each commit that was not archived, which are searched only when somebody asks, and the
/// position of each device's checkpoint.
final class LogTail: Sendable {
    /// The devices of a commit that was not archived, each by half of its fingerprint.
    private struct Row {
        var position: LogPosition
        var devices: [UInt32]
    }

    private struct State {
        var position: LogPosition = 0
        /// By rising positions.
        var rows: [Row] = []
        var checkpoints: [DeviceID: LogPosition] = [:]
        /// Nothing up to here is replayed.
        var floor: LogPosition = 0
        /// Fixes that no segment holds, and when the first of them came.
        var fixes = 0
        var oldest: Timestamp?
    }

    private let state = Mutex(State())

    /// The last commit's.
    var position: LogPosition { state.withLock { $0.position } }

    var backlog: (fixes: Int, oldest: Timestamp?) { state.withLock { ($0.fixes, $0.oldest) } }

    // MARK: Fixes that no segment holds

    /// Positions, rising, that may hold fixes of the device that no segment holds; one too many now and then.
    func rows(of device: DeviceID) -> [LogPosition] { rows(of: [device])[device] ?? [] }

    /// As `rows(of:)`, in one go for many.
    func rows(of devices: some Sequence<DeviceID>) -> [DeviceID: [LogPosition]] {
        var wanted: [UInt32: [DeviceID]] = [:]
        // One bit for the low half of each mark tells nearly all others at once.
        var filter = [UInt64](repeating: 0, count: 1024)
        for device in devices {
            wanted[device.mark, default: []].append(device)
            filter[Int(device.mark & 0xFFFF) >> 6] |= 1 << UInt64(device.mark & 63)
        }
        // Commits do not wait while it is searched.
        let rows = state.withLock { $0.rows }
        var found: [DeviceID: [LogPosition]] = [:]
        for row in rows {
            for mark in row.devices where filter[Int(mark & 0xFFFF) >> 6] >> UInt64(mark & 63) & 1 == 1 {
                for device in wanted[mark] ?? [] where found[device]?.last != row.position {
                    found[device, default: []].append(row.position)
                }
            }
        }
        return found
    }

    /// - Parameter devices: each once.
    func append(
        _ position: LogPosition, devices: [DeviceID], count: Int, receivedAt: Timestamp, isArchived: Bool
    ) {
        let row = Row(position: position, devices: isArchived ? [] : devices.map(\.mark))
        state.withLock { state in
            state.position = max(state.position, position)
            guard count > 0, !isArchived else { return }
            state.fixes += count
            if state.oldest == nil { state.oldest = receivedAt }
            state.rows.append(row)
        }
    }

    /// The log up to here is in segments.
    ///
    /// - Parameters:
    ///   - fixes: how many that were.
    ///   - next: when the first fixes after it came.
    func didArchive(through position: LogPosition, fixes: Int, next: Timestamp?) {
        state.withLock { state in
            state.fixes -= fixes
            state.oldest = next
            state.rows.removeFirst(state.rows.firstIndex { $0.position > position } ?? state.rows.count)
        }
    }

    // MARK: What a start replays

    /// A device's state as of a position is stored.
    func note(_ device: DeviceID, at position: LogPosition) {
        state.withLock { state in
            if state.checkpoints[device] ?? 0 < position { state.checkpoints[device] = position }
        }
    }

    func note(_ checkpoints: [DeviceCheckpoint]) {
        for checkpoint in checkpoints { note(checkpoint.deviceID, at: checkpoint.position) }
    }

    /// Nothing up to here is replayed again.
    func raiseFloor(to position: LogPosition) { state.withLock { $0.floor = max($0.floor, position) } }

    /// Whether a start replays a row of the log for one of its devices.
    func isNeeded(_ position: LogPosition, by devices: [DeviceID]) -> Bool {
        state.withLock { state in
            position > state.floor && devices.contains { state.checkpoints[$0] ?? 0 < position }
        }
    }

    /// Forgets all, to be read anew.
    func removeAll() { state.withLock { $0 = State() } }
}

extension DeviceID {
    fileprivate var mark: UInt32 { UInt32(truncatingIfNeeded: fingerprint >> 32) }
}
