import FencepostModel

/// Presence as Core Location reports it: a crossing counts when the device is beyond the boundary by a cushion and stays
/// there for a minimum time (rules REGION-04 and REGION-07).
///
/// For an entry the cushion is at most a quarter of the region's width, so that a device can enter a small region.
struct CoreLocationPresence: Hashable, Sendable, Codable {
    private enum State: Hashable, Codable {
        case unknown
        /// Becomes `arriving` on a fix inside by the cushion.
        case outside
        /// Becomes `inside` at the deadline, and `outside` on a fix that is not inside by the cushion.
        case arriving(since: Timestamp, deadline: Timestamp)
        /// Becomes `leaving` on a fix outside by the cushion.
        case inside
        /// Becomes `outside` at the deadline, and `inside` on a fix that is not outside by the cushion.
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

    /// Whether the state may be dropped: the device is outside and no entry is pending.
    var isUntracked: Bool { state == .outside }

    var deadline: Timestamp? {
        switch state {
        case .unknown, .outside, .inside: nil
        case .arriving(_, let deadline), .leaving(_, let deadline): deadline
        }
    }

    /// Takes the next fix, in time order.
    ///
    /// `proximity` is `nil` if the boundary is farther than the cushion, in metres, and the fix is outside. `stay` is
    /// the minimum time beyond the cushion.
    ///
    /// - Returns: the initial state, on the first fix only. All later changes come from `deadlineReached`.
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
                why: Why(rule: .initialState, fix: location, distance: proximity?.finiteDistance))
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

    /// Takes the passing of time.
    mutating func deadlineReached(_ now: Timestamp) -> PresenceChange? {
        switch state {
        case .arriving(let since, let deadline) where deadline <= now:
            state = .inside
            return change(isInside: true, since: since, detectedAt: deadline)
        case .leaving(let since, let deadline) where deadline <= now:
            state = .outside
            return change(isInside: false, since: since, detectedAt: deadline)
        case .unknown, .outside, .inside, .arriving, .leaving:
            return nil
        }
    }

    private func change(isInside: Bool, since: Timestamp, detectedAt: Timestamp) -> PresenceChange {
        PresenceChange(
            isInside: isInside, isInitial: false, timestamp: since, detectedAt: detectedAt,
            why: Why(rule: .cushionAndStay, pendingFixes: [since]))
    }
}
