public import FencepostModel

/// Whether a device is inside a region, by the mode that the region is watched in.
enum CrossingState: Hashable, Sendable, Codable {
    case raw(isInside: Bool?)
    case coreLocation(CoreLocationPresence)
    case confirmed(ConfirmedPresence)

    /// - Parameter knownOutsideSince: the last fix, when the region was watched then and the device was not near it.
    init(_ mode: CrossingMode, knownOutsideSince moment: Timestamp?) {
        switch mode {
        case .raw: self = .raw(isInside: moment == nil ? nil : false)
        case .coreLocation: self = .coreLocation(CoreLocationPresence(isInside: moment == nil ? nil : false))
        case .confirmed: self = .confirmed(ConfirmedPresence(moment.map { .outside(since: $0) } ?? .unknown))
        }
    }

    /// Goes on from what another mode knew.
    init(_ mode: CrossingMode, isInside: Bool?, at moment: Timestamp) {
        switch (mode, isInside) {
        case (.raw, _): self = .raw(isInside: isInside)
        case (.coreLocation, _): self = .coreLocation(CoreLocationPresence(isInside: isInside))
        case (.confirmed, true?): self = .confirmed(ConfirmedPresence(.inside(since: moment)))
        case (.confirmed, false?): self = .confirmed(ConfirmedPresence(.outside(since: moment)))
        case (.confirmed, nil): self = .confirmed(ConfirmedPresence(.unknown))
        }
    }

    var mode: CrossingMode {
        switch self {
        case .raw: .raw
        case .coreLocation: .coreLocation
        case .confirmed: .confirmed
        }
    }

    /// `nil` while unknown.
    var isInside: Bool? {
        switch self {
        case .raw(let isInside): isInside
        case .coreLocation(let presence): presence.isInside
        case .confirmed(let presence): presence.isInside
        }
    }

    /// Surely outside with nothing pending: not worth keeping.
    var isAtRest: Bool {
        switch self {
        case .raw(let isInside): isInside == false
        case .coreLocation(let presence): presence.isAtRest
        case .confirmed(let presence): presence.isAtRest
        }
    }

    var deadline: Timestamp? {
        switch self {
        case .raw, .confirmed: nil
        case .coreLocation(let presence): presence.deadline
        }
    }

    /// - Parameter evidence: what the fix is worth; there wherever a region is watched as `confirmed`.
    mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence?, _ settings: MonitorSettings
    ) -> PresenceChange? {
        switch self {
        case .raw(let wasInside):
            let isInside = proximity?.covers ?? false
            self = .raw(isInside: isInside)
            guard isInside != wasInside else { return nil }
            return PresenceChange(
                isInside: isInside, isInitial: wasInside == nil, timestamp: location.timestamp,
                detectedAt: location.timestamp,
                why: Why(
                    rule: "containment", fix: location, distance: proximity?.finiteDistance,
                    accuracy: location.horizontalAccuracy))
        case .coreLocation(var presence):
            let change = presence.handle(proximity, location, cushion: settings.cushion, stay: settings.cushionStay)
            self = .coreLocation(presence)
            return change
        case .confirmed(var presence):
            guard let evidence else { return nil }
            let change = presence.handle(proximity, location, evidence)
            self = .confirmed(presence)
            return change
        }
    }

    mutating func deadlineReached(_ now: Timestamp) -> PresenceChange? {
        guard case .coreLocation(var presence) = self else { return nil }
        let change = presence.deadlineReached(now)
        self = .coreLocation(presence)
        return change
    }
}

extension Proximity {
    /// The distance where it was near enough to be measured.
    var finiteDistance: Double? { signedDistance.isFinite ? signedDistance : nil }
}

extension Why {
    /// Whether a crossing was settled by a fix, whose distance from the boundary then is part of the reason.
    public var isOfFix: Bool { rule == "containment" || rule == "clear_fix" || rule == "fixes_agree" }
}
