public import FencepostModel

/// The fence of a device.
extension DeviceMonitor {
    /// The state of the fence; `nil` without one.
    public var fence: FenceStatus? {
        guard hasFence else { return nil }
        return (rare.read { $0.fence?.status } ?? nil)
    }

    /// Whether the device of the owner was away since the fence was armed.
    public var isFenceOwnerAway: Bool { hasFence && (rare.read { $0.fence?.ownerAway } ?? nil) ?? false }

    /// Evaluates the fence and the rounds after a location was taken, and appends their events to those of the location.
    ///
    /// - Parameters:
    ///   - location: the location, which `locate` or `record` has taken.
    ///   - rules: those of the monitor.
    ///   - events: the events of the location, which get those of the fence and the rounds.
    public mutating func evaluateFenceAndPlans(
        _ location: Location, _ rules: WatchRules, into events: inout [Event]
    ) {
        if hasFence { evaluateFence(location, rules, into: &events) }
        if hasPlans { evaluatePlans(location, rules, into: &events) }
    }

    /// Evaluates the fence after a location was taken, and appends its events to those of the location.
    ///
    /// - Parameters:
    ///   - location: the location, which `locate` or `record` has taken.
    ///   - rules: those of the monitor.
    ///   - events: receives the events.
    public mutating func evaluateFence(_ location: Location, _ rules: WatchRules, into events: inout [Event]) {
        changeFence(rules, at: location.timestamp, into: &events) { state, monitor in
            state?.take(location) { monitor.standingPosition(at: location.timestamp) } ?? []
        }
    }

    /// Takes a change of the fence at its time, after the deadlines before it.
    mutating func take(
        _ change: FenceChange, at moment: Timestamp, _ rules: WatchRules, into events: inout [Event]
    ) {
        fireDeadlines(through: moment, rules, into: &events)
        changeFence(rules, at: moment, into: &events) { state, monitor in
            FenceState.take(change, at: moment, &state) { monitor.standingPosition(at: moment) }
        }
        updateNextDeadline()
    }

    /// Takes the passing of a moment at which the schedule or the time of the fence may be due.
    mutating func decideFence(
        at moment: Timestamp, detectedAt: Timestamp, _ rules: WatchRules, into events: inout [Event]
    ) {
        guard hasFence, let due = rare.read({ $0.fence?.due }) ?? nil, due <= moment else { return }
        changeFence(rules, at: detectedAt, into: &events) { state, monitor in
            state?.deadlineReached(moment) { monitor.standingPosition(at: moment) } ?? []
        }
    }

    private mutating func changeFence(
        _ rules: WatchRules, at detectedAt: Timestamp, into events: inout [Event],
        _ change: (inout FenceState?, borrowing DeviceMonitor) -> [FenceState.Output]
    ) {
        var state = rare.read { $0.fence } ?? nil
        let before = state?.due
        let outputs = change(&state, self)
        if state?.isOver == true { state = nil }
        setFence(state)
        if state?.due != before { updateNextDeadline() }
        for output in outputs {
            var batch = EventBatch(rules)
            batch.add(output, detectedAt: detectedAt)
            // Only a location breaks a fence. The others do not depend on which location came last.
            let location = output.breach == nil ? nil : lastLocation
            batch.close(of: deviceID, at: location, after: &sequence, into: &events)
        }
    }

    mutating func setFence(_ state: FenceState?) {
        hasFence = state != nil
        if state == nil, rare.isEmpty { return }
        changeRare { $0.fence = state }
    }
}

extension FenceState {
    /// The state as callers see it.
    var status: FenceStatus {
        switch phase {
        case .off: return FenceStatus(.scheduled, settings)
        case .waiting(let obstacle):
            var status = FenceStatus(.waiting, settings)
            status.obstacle = obstacle
            return status
        case .armed(let fence, _):
            var status = FenceStatus(.armed, settings)
            status.fence = fence
            return status
        case .broken(let fence, let moment):
            var status = FenceStatus(.broken, settings)
            (status.fence, status.brokenAt) = (fence, moment)
            return status
        }
    }
}
