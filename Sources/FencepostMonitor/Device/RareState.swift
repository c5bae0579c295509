import FencepostModel

/// What few devices have, on the heap of those.
struct RareState: Hashable, Sendable {
    /// Absent until a rule is evaluated.
    var alerts: AlertState?
    /// Absent until the first fast step.
    var secondPhone: SecondPhone?
    /// Absent without a fence and without a schedule of one.
    var fence: FenceState?
}

extension DeviceMonitor {
    /// What the alert rules know of the device.
    var alerts: AlertState? { rare.read { $0.alerts } ?? nil }

    /// When an alert or the fence is due by the clock.
    var rareDue: Timestamp {
        rare.read { min($0.alerts?.due ?? .distantFuture, $0.fence?.due ?? .distantFuture) } ?? .distantFuture
    }

    mutating func changeRare(_ change: (inout RareState) -> Void) {
        if rare.isEmpty { rare.set(RareState()) }
        rare.update(change)
    }
}
