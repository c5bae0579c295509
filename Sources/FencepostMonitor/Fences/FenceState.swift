import FencepostModel

/// The fence of one device, and the settings by which its schedule arms the next one.
///
/// A pure state machine. Where the device stands is an input, so it knows nothing of how that is found.
///
///     off ── armed by a request or by the schedule ──► armed ── two fixes away ──► broken
///      │ ▲                                              ▲ │                          │
///      │ └───────────── disarmed, for any reason ───────┼─┴──────────────────────────┘
///      └── schedule opens, place unknown ──► waiting ───┘
///
/// Each fence that was armed is disarmed exactly once, and broken at most once before that.
struct FenceState: Hashable, Sendable, Codable {
    enum Phase: Hashable, Sendable, Codable {
        /// Nothing is armed until the schedule opens.
        case off
        /// The schedule is open, and it is not known where the device stands.
        case waiting(FenceObstacle)
        case armed(Fence, FenceWatch)
        case broken(Fence, at: Timestamp)
    }

    /// What happened, and when.
    struct Output: Hashable, Sendable {
        var report: FenceReport
        var time: Timestamp
        /// What shows that the device has left; only when it is broken.
        var breach: FenceWatch.Breach?
    }

    typealias Standing = Result<StandingPosition, FenceObstacle>

    private(set) var settings: FenceSettings
    private(set) var phase = Phase.off
    /// Whether the device of the owner was away since the fence was armed.
    private(set) var ownerAway = false
    /// The time up to which the schedule was followed.
    private var followed: Timestamp
    /// When the schedule opens or closes next. It follows from the rest and is not stored.
    private var transition = Timestamp.distantFuture

    private enum CodingKeys: CodingKey { case settings, phase, ownerAway, followed }

    private init(_ settings: FenceSettings, at moment: Timestamp) { (self.settings, followed) = (settings, moment) }

    /// The fence, if it is armed or broken.
    var fence: Fence? {
        switch phase {
        case .off, .waiting: nil
        case .armed(let fence, _), .broken(let fence, _): fence
        }
    }

    /// Whether nothing will happen any more.
    var isOver: Bool { phase == .off && settings.schedule == nil }

    /// When something happens without a location.
    var due: Timestamp { min(transition, fence?.until ?? .distantFuture) }

    /// As it is stored.
    var withoutDeadlines: FenceState {
        var copy = self
        copy.transition = .distantFuture
        return copy
    }

    /// Computes when the schedule opens or closes next, after the state was read.
    mutating func restoreDeadlines() {
        transition = settings.schedule?.nextTransition(after: followed) ?? .distantFuture
    }

    // MARK: Inputs

    /// Takes a change.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - moment: its time.
    ///   - state: the state, which is `nil` before the first change and from the last one on.
    ///   - standing: where the device stands then.
    /// - Returns: what follows.
    static func take(
        _ change: FenceChange, at moment: Timestamp, _ state: inout FenceState?, standing: () -> Standing
    ) -> [Output] {
        var outputs: [Output] = []
        switch change {
        case .arm(let fence, let settings, let spread):
            state?.disarm(.caller, at: moment, &outputs)
            var next = FenceState(settings, at: moment)
            next.restoreDeadlines()
            next.arm(fence, FenceWatch(spread: spread), &outputs)
            state = next
        case .schedule(let settings):
            state?.disarm(.caller, at: moment, &outputs)
            var next = FenceState(settings, at: moment)
            next.restoreDeadlines()
            if settings.schedule?.isOpen(at: moment) == true { next.armIfPossible(at: moment, standing(), &outputs) }
            state = next
        case .disarm(let reason, let keepsSchedule):
            state?.disarm(reason, at: moment, &outputs)
            if !keepsSchedule || state?.settings.schedule == nil { state = nil }
        case .ownerAway: state?.ownerAway = true
        }
        return outputs
    }

    /// Takes a fix, in time order, after the deadlines before it.
    mutating func take(_ location: Location, standing: () -> Standing) -> [Output] {
        switch phase {
        case .off, .broken: return []
        case .waiting:
            var outputs: [Output] = []
            armIfPossible(at: max(location.timestamp, followed), standing(), &outputs)
            return outputs
        case .armed(let fence, var watch):
            // A fix of before that came after it says nothing of it.
            guard location.timestamp >= fence.armedAt else { return [] }
            guard let breach = watch.take(location, fence) else {
                phase = .armed(fence, watch)
                return []
            }
            phase = .broken(fence, at: location.timestamp)
            return [
                Output(
                    report: FenceReport(.broken(distance: breach.distance.rounded()), fence),
                    time: location.timestamp, breach: breach)
            ]
        }
    }

    /// Takes the passing of `due`.
    mutating func deadlineReached(_ moment: Timestamp, standing: () -> Standing) -> [Output] {
        var outputs: [Output] = []
        if let until = fence?.until, until <= moment { disarm(.expired, at: until, &outputs) }
        guard let schedule = settings.schedule, transition <= moment else { return outputs }
        let time = transition
        followed = time
        restoreDeadlines()
        guard schedule.isOpen(at: time) else {
            disarm(.schedule, at: time, &outputs)
            phase = .off
            return outputs
        }
        switch phase {
        case .armed: break
        case .broken:
            disarm(.schedule, at: time, &outputs)
            armIfPossible(at: time, standing(), &outputs)
        case .off, .waiting: armIfPossible(at: time, standing(), &outputs)
        }
        return outputs
    }

    // MARK: Transitions

    private mutating func armIfPossible(at moment: Timestamp, _ standing: Standing, _ outputs: inout [Output]) {
        switch standing {
        case .failure(let obstacle): phase = .waiting(obstacle)
        case .success(let position):
            let fence = Fence(
                armedAt: moment, center: position.coordinate, horizontalAccuracy: position.horizontalAccuracy, settings,
                until: nil, origin: .schedule)
            arm(fence, FenceWatch(spread: position.spread), &outputs)
        }
    }

    private mutating func arm(_ fence: Fence, _ watch: FenceWatch, _ outputs: inout [Output]) {
        phase = .armed(fence, watch)
        ownerAway = false
        outputs.append(Output(report: FenceReport(.armed, fence), time: fence.armedAt))
    }

    private mutating func disarm(
        _ reason: FenceReport.DisarmReason, at moment: Timestamp, _ outputs: inout [Output]
    ) {
        guard let fence else {
            if reason != .expired { phase = .off }
            return
        }
        phase = .off
        outputs.append(Output(report: FenceReport(.disarmed(reason), fence), time: moment))
    }
}
