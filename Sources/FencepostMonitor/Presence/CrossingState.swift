import FencepostModel

/// Whether a device is inside a region, in the state of the region's crossing mode.
///
/// A crossing has three forms: each mode finds a `PresenceChange`, `RegionPresence` turns it into `RegionReport`s under
/// the region's schedule and dwells, and `EventBatch` makes the `Event`.
enum CrossingState: Hashable, Sendable, Codable {
    case raw(isInside: Bool?)
    case coreLocation(CoreLocationPresence)
    case confirmed(ConfirmedPresence)

    /// The state of a region before its first fix. `moment` is the last fix, if the region was monitored then and the
    /// device was certainly outside; else `nil`.
    init(_ mode: CrossingMode, knownOutsideSince moment: Timestamp?) {
        switch mode {
        case .raw: self = .raw(isInside: moment == nil ? nil : false)
        case .coreLocation: self = .coreLocation(CoreLocationPresence(isInside: moment == nil ? nil : false))
        case .confirmed: self = .confirmed(ConfirmedPresence(moment.map { .outside(since: $0) } ?? .unknown))
        }
    }

    /// Converts the state of another mode.
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

    /// Whether the state may be dropped: the device is certainly outside and no change is pending.
    var isUntracked: Bool {
        switch self {
        case .raw(let isInside): isInside == false
        case .coreLocation(let presence): presence.isUntracked
        case .confirmed(let presence): presence.isUntracked
        }
    }

    /// When the state changes without a fix; `nil` if it does not.
    var deadline: Timestamp? {
        switch self {
        case .raw: nil
        case .coreLocation(let presence): presence.deadline
        case .confirmed(let presence): presence.deadline
        }
    }

    /// Takes the next fix, in time order.
    ///
    /// `proximity` is `nil` if the region is beyond the search radius. `evidence` is required by `confirmed` and
    /// ignored by the other modes. `change` is set to the change that the fix decides, if any; a result would be copied.
    mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence?, _ settings: MonitorSettings,
        into change: inout PresenceChange?
    ) {
        switch self {
        case .raw(let wasInside):
            let isInside = proximity?.covers ?? false
            self = .raw(isInside: isInside)
            guard isInside != wasInside else { return }
            change = PresenceChange(
                isInside: isInside, isInitial: wasInside == nil, timestamp: location.timestamp,
                detectedAt: location.timestamp,
                why: Why(
                    rule: .containment, distance: proximity?.finiteDistance,
                    accuracy: location.horizontalAccuracy))
        case .coreLocation(var presence):
            change = presence.handle(proximity, location, cushion: settings.cushion, stay: settings.cushionStay)
            self = .coreLocation(presence)
        case .confirmed(var presence):
            guard let evidence else { return }
            presence.handle(proximity, location, evidence, into: &change)
            self = .confirmed(presence)
        }
    }

    /// Takes the passing of time.
    mutating func deadlineReached(_ now: Timestamp) -> PresenceChange? {
        switch self {
        case .raw:
            return nil
        case .coreLocation(var presence):
            let change = presence.deadlineReached(now)
            self = .coreLocation(presence)
            return change
        case .confirmed(var presence):
            let change = presence.deadlineReached(now)
            self = .confirmed(presence)
            return change
        }
    }

    /// Takes what the fix after an untrusted one shows; see `ConfirmedPresence.untrustedFixEnds`.
    mutating func untrustedFixEnds(isConfirmed: Bool, untrusted: Timestamp, _ location: Location) -> PresenceChange? {
        guard case .confirmed(var presence) = self else { return nil }
        let change = presence.untrustedFixEnds(isConfirmed: isConfirmed, untrusted: untrusted, location)
        self = .confirmed(presence)
        return change
    }
}

extension Proximity {
    /// The distance, if the boundary was within the search radius.
    var finiteDistance: Double? { signedDistance.isFinite ? signedDistance : nil }
}
