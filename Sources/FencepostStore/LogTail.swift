import FencepostModel
import FencepostPipeline
import Synchronization

/// What is remembered of the log: where the fixes are that no segment holds yet, and what a start would still replay.
///
/// A few bytes for each device of each commit that was not archived, and for each device that is ahead of its
/// checkpoint.
final class LogTail: Sendable {
    /// What a device needs for its replay: fixes at positions from the first to the last.
    private struct Need {
        var first, last: LogPosition
    }

    private struct State {
        var position: LogPosition = 0
        var rows: [DeviceID: [LogPosition]] = [:]
        var needs: [DeviceID: Need] = [:]
        /// Fixes that no segment holds, and when the first of them came.
        var fixes = 0
        var oldest: Timestamp?
    }

    private let state = Mutex(State())

    /// The last commit's.
    var position: LogPosition { state.withLock { $0.position } }

    var backlog: (fixes: Int, oldest: Timestamp?) { state.withLock { ($0.fixes, $0.oldest) } }

    /// Positions, rising, that may hold fixes of the device that no segment holds.
    func rows(of device: DeviceID) -> [LogPosition] { state.withLock { $0.rows[device] ?? [] } }

    /// The lowest position that a device needs for its replay; `nil` when none needs any.
    func lowestNeed() -> LogPosition? { state.withLock { state in state.needs.values.lazy.map(\.first).min() } }

    func append(
        _ position: LogPosition, devices: [DeviceID], count: Int, receivedAt: Timestamp, isArchived: Bool,
        isReplayed: Bool
    ) {
        state.withLock { state in
            state.position = max(state.position, position)
            guard count > 0 else { return }
            if !isArchived {
                state.fixes += count
                if state.oldest == nil { state.oldest = receivedAt }
            }
            for device in devices {
                if !isArchived { state.rows[device, default: []].append(position) }
                if isReplayed { state.needs[device, default: Need(first: position, last: position)].last = position }
            }
        }
    }

    func note(_ checkpoint: DeviceCheckpoint) { note(checkpoint.deviceID, at: checkpoint.position) }

    /// Forgets all, to be read anew.
    func removeAll() { state.withLock { $0 = State() } }

    /// A device's state as of a position is stored.
    func note(_ device: DeviceID, at position: LogPosition) {
        state.withLock { state in
            guard let need = state.needs[device] else { return }
            if need.last <= position {
                state.needs[device] = nil
            } else {
                state.needs[device]?.first = max(need.first, position + 1)
            }
        }
    }

    /// Nothing up to here is replayed again.
    func raiseFloor(to position: LogPosition) {
        state.withLock { state in
            state.needs = state.needs.compactMapValues { need in
                need.last > position ? Need(first: max(need.first, position + 1), last: need.last) : nil
            }
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
            state.rows = state.rows.compactMapValues { rows in
                guard let first = rows.first, first <= position else { return rows }
                let rest = rows.drop { $0 <= position }
                return rest.isEmpty ? nil : Array(rest)
            }
        }
    }

    /// The device's fixes up to here are gone.
    func erase(_ device: DeviceID, through position: LogPosition) {
        state.withLock { state in
            let rest = (state.rows[device] ?? []).filter { $0 > position }
            state.rows[device] = rest.isEmpty ? nil : rest
            if let need = state.needs[device] {
                state.needs[device] =
                    need.last > position ? Need(first: max(need.first, position + 1), last: need.last) : nil
            }
        }
    }
}
