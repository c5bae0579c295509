import FencepostModel

/// Presence as Core Location reports it: a crossing counts once the device is beyond the boundary by a cushion and
/// has stayed there for a while (rules REGION-04 and REGION-07).
///
/// On the way in the cushion is at most a quarter of the region's width, so that a small region can be entered.
struct CoreLocationPresence: Hashable, Sendable, Codable {
    private enum State: Hashable, Codable {
        case unknown
        /// Leaves for `arriving` on a fix deep enough inside.
        case outside
        /// Leaves for `inside` when its deadline comes, for `outside` on a fix that is not deep enough inside.
        case arriving(since: Timestamp, deadline: Timestamp)
        /// Leaves for `leaving` on a fix far enough outside.
        case inside
        case leaving(since: Timestamp, deadline: Timestamp)
    }

    private var state: State

    init(isInside: Bool?) {
        state = isInside.map { $0 ? .inside : .outside } ?? .unknown
    }

    var isInside: Bool? {
        switch state {
        case .unknown: nil
        case .outside, .arriving: false
        case .inside, .leaving: true
        }
    }

    var isAtRest: Bool { state == .outside }

    var deadline: Timestamp? {
        switch state {
        case .unknown, .outside, .inside: nil
        case .arriving(_, let deadline), .leaving(_, let deadline): deadline
        }
    }

    mutating func handle(
        _ proximity: Proximity?, _ location: Location, cushion: Double, stay: Duration
    ) -> PresenceChange? {
        let distance = proximity?.signedDistance ?? .infinity
        let isDeep = distance <= -min(cushion, (proximity?.width ?? 0) / 4)
        let isFar = distance >= cushion
        let now = location.timestamp
        switch state {
        case .unknown:
            let isInside = proximity?.covers ?? false
            state = isInside ? .inside : .outside
            return PresenceChange(
                isInside: isInside, isInitial: true, timestamp: now, detectedAt: now,
                why: Why(rule: "initial_state", fix: location, distance: proximity?.finiteDistance))
        case .outside:
            if isDeep { state = .arriving(since: now, deadline: now + stay) }
        case .arriving:
            if !isDeep { state = .outside }
        case .inside:
            if isFar { state = .leaving(since: now, deadline: now + stay) }
        case .leaving:
            if !isFar { state = .inside }
        }
        return nil
    }

    mutating func deadlineReached(_ now: Timestamp) -> PresenceChange? {
        switch state {
        case .arriving(let since, let deadline) where deadline <= now:
            state = .inside
            return change(isInside: true, since: since, settledAt: deadline)
        case .leaving(let since, let deadline) where deadline <= now:
            state = .outside
            return change(isInside: false, since: since, settledAt: deadline)
        case .unknown, .outside, .inside, .arriving, .leaving:
            return nil
        }
    }

    private func change(isInside: Bool, since: Timestamp, settledAt: Timestamp) -> PresenceChange {
        PresenceChange(
            isInside: isInside, isInitial: false, timestamp: since, detectedAt: settledAt,
            why: Why(rule: "cushion_and_stay", heldBack: [since]))
    }
}
