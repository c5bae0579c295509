import FencepostEngine
import FencepostModel

/// Compares the events of a replay with those that the leader has stored, from one end of a copy to the next.
///
/// Both follow from the same locations, so a difference shows that two nodes evaluate differently: another mathematical library,
/// or a fault.
struct ReplayComparison {
    /// An event that only one of both has.
    struct Difference: Hashable {
        var event: FollowedEvent
        /// The log entry that gave it in the replay; `nil` when only the leader has it.
        var position: LogPosition?
    }

    /// Those of the replay that were not met among the stored ones yet, with their log entries.
    private var replayed: [FollowedEvent: LogPosition] = [:]
    /// Those that were not met in the replay yet.
    private var stored: Set<FollowedEvent> = []
    /// Devices of which something may not have been replayed, since a checkpoint had it.
    private var leftOut: Set<DeviceID> = []

    /// Adds events of the replay of a log entry.
    mutating func add(_ emitted: [EmittedEvent], at position: LogPosition) {
        for item in emitted {
            let event = FollowedEvent(id: item.event.id, deviceID: item.event.deviceID)
            if stored.remove(event) == nil { replayed[event] = position }
        }
    }

    /// Adds what the leader has stored.
    mutating func add(_ events: [FollowedEvent]) {
        for event in events where replayed.removeValue(forKey: event) == nil { stored.insert(event) }
    }

    /// Leaves out devices until the end of the copy.
    mutating func leaveOut(_ devices: some Sequence<DeviceID>) { leftOut.formUnion(devices) }

    /// What only one of both has, at the end of the copy. It is empty then.
    ///
    /// - Parameter isStored: whether an event was stored before, since a leader stores no id twice.
    /// - Returns: the differences, by device.
    /// - Throws: what `isStored` throws.
    mutating func end(isStored: (String) throws -> Bool) rethrows -> [Difference] {
        defer { self = ReplayComparison() }
        var differences: [Difference] = []
        for (event, position) in replayed where !leftOut.contains(event.deviceID) {
            if try !isStored(event.id) { differences.append(Difference(event: event, position: position)) }
        }
        for event in stored where !leftOut.contains(event.deviceID) {
            differences.append(Difference(event: event, position: nil))
        }
        return differences.sorted {
            ($0.event.deviceID.rawValue, $0.event.id) < ($1.event.deviceID.rawValue, $1.event.id)
        }
    }
}
