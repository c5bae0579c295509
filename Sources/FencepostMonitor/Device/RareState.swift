import FencepostModel

/// What few devices have, on the heap of those.
struct RareState: Hashable, Sendable {
    /// Absent until a rule is evaluated.
    var alerts: AlertState?
    /// Absent until the first fast step.
    var secondPhone: SecondPhone?
    /// Absent without a fence and without a schedule of one.
    var fence: FenceState?
    /// Absent until the first fix of a device that walks rounds.
    var plans: PlanState?
}

extension DeviceMonitor {
    /// What the alert rules know of the device.
    var alerts: AlertState? { rare.read { $0.alerts } ?? nil }

    /// When an alert, the fence or a round is due by the clock.
    var rareDue: Timestamp {
        let due = rare.read { state in
            min(
                state.alerts?.due ?? .distantFuture, state.fence?.due ?? .distantFuture,
                state.plans?.due ?? .distantFuture)
        }
        return due ?? .distantFuture
    }

    mutating func changeRare(_ change: (inout RareState) -> Void) {
        if rare.isEmpty { rare.set(RareState()) }
        rare.update(change)
    }
}
