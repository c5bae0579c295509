import FencepostModel
import FencepostService
import Synchronization

/// An index of the log in memory: which rows contain fixes that are not archived, and which rows a start replays.
///
/// It has four bytes for each device of each row that is not archived, searched linearly on a query, and the position of
/// each device's checkpoint.
final class LogTail: Sendable {
    /// The devices of a row that is not archived, each as half of its fingerprint.
    private struct Row {
        var position: LogPosition
        var devices: [UInt32]
    }

    private struct State {
        var position: LogPosition = 0
        /// In order of position.
        var rows: [Row] = []
        var checkpoints: [DeviceID: LogPosition] = [:]
        /// Rows up to here are not replayed.
        var floor: LogPosition = 0
        /// Fixes that are not archived, and the arrival of the first.
        var fixes = 0
        var oldest: Timestamp?
    }

    private let state = Mutex(State())

    /// Position of the last commit.
    var position: LogPosition { state.withLock { $0.position } }

    /// Fixes that are not archived, and the arrival of the first.
    var backlog: (fixes: Int, oldest: Timestamp?) { state.withLock { ($0.fixes, $0.oldest) } }

    // MARK: Fixes that are not archived

    /// Positions of rows that may contain fixes of a device that are not archived, in order. Rarely there is a false one.
    func rows(of device: DeviceID) -> [LogPosition] { rows(of: [device])[device] ?? [] }

    /// As `rows(of:)`, for many devices in one scan.
    func rows(of devices: some Sequence<DeviceID>) -> [DeviceID: [LogPosition]] {
        var wanted: [UInt32: [DeviceID]] = [:]
        // A bit set over the low halves of the marks rejects nearly all other devices.
        var filter = [UInt64](repeating: 0, count: 1024)
        for device in devices {
            wanted[device.mark, default: []].append(device)
            filter[Int(device.mark & 0xFFFF) >> 6] |= 1 << UInt64(device.mark & 63)
        }
        // The copy allows commits during the search.
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

    /// Notes a commit; `devices` has each of its devices once.
    func append(
        _ position: LogPosition, devices: [DeviceID], count: Int, receivedAt: Timestamp, isArchived: Bool
    ) {
        let row = Row(position: position, devices: isArchived ? [] : devices.map(\.mark))
        state.withLock { state in
            state.position = max(state.position, position)
            guard count > 0, !isArchived else { return }
            // Only how much there is to archive: a damaged count must not end the process.
            state.fixes &+= count
            if state.oldest == nil { state.oldest = receivedAt }
            state.rows.append(row)
        }
    }

    /// Notes that the rows up to a position are archived.
    ///
    /// `fixes` is the number of archived fixes, and `next` is the arrival of the first fixes after the position.
    func didArchive(through position: LogPosition, fixes: Int, next: Timestamp?) {
        state.withLock { state in
            state.fixes = max(0, state.fixes &- fixes)
            state.oldest = next
            state.rows.removeFirst(state.rows.firstIndex { $0.position > position } ?? state.rows.count)
        }
    }

    // MARK: Rows that a start replays

    /// Notes the position of a device's checkpoint.
    func note(_ device: DeviceID, at position: LogPosition) {
        state.withLock { state in
            if state.checkpoints[device] ?? 0 < position { state.checkpoints[device] = position }
        }
    }

    func note(_ checkpoints: [DeviceCheckpoint]) {
        for checkpoint in checkpoints { note(checkpoint.deviceID, at: checkpoint.position) }
    }

    /// Notes that rows up to a position are not replayed.
    func raiseFloor(to position: LogPosition) { state.withLock { $0.floor = max($0.floor, position) } }

    /// Whether a start replays a row for one of its devices.
    func isNeeded(_ position: LogPosition, by devices: [DeviceID]) -> Bool {
        state.withLock { state in
            position > state.floor && devices.contains { state.checkpoints[$0] ?? 0 < position }
        }
    }

    /// Removes all, before it is loaded again.
    func removeAll() { state.withLock { $0 = State() } }
}

extension DeviceID {
    fileprivate var mark: UInt32 { UInt32(truncatingIfNeeded: fingerprint >> 32) }
}
