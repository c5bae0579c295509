public import FencepostModel

/// Presence that the accuracy of the fixes bears out: a boundary is crossed when the fix is farther beyond it than
/// its accuracy, or than a third of the region's width on the way in.
public struct ConfirmedPresence: Hashable, Sendable, Codable {
    public enum Start: Hashable, Sendable {
        case unknown
        case outside(since: Timestamp)
        case inside(since: Timestamp)
    }

    public private(set) var isInside: Bool?

    public init(_ start: Start) {
        switch start {
        case .unknown: isInside = nil
        case .outside: isInside = false
        case .inside: isInside = true
        }
    }

    public var isAtRest: Bool { isInside == false }

    public mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence
    ) -> PresenceChange? {
        let distance = proximity?.signedDistance ?? .infinity
        let depth = min(evidence.accuracy, (proximity?.width ?? .infinity) / 3)
        let now: Bool
        if isInside != true, distance <= -depth {
            now = true
        } else if isInside != false, distance >= evidence.accuracy {
            now = false
        } else {
            return nil
        }
        defer { isInside = now }
        return PresenceChange(
            isInside: now, isInitial: isInside == nil, timestamp: location.timestamp, detectedAt: location.timestamp,
            why: Why(
                rule: "beyond_accuracy", fix: location, distance: proximity?.finiteDistance,
                accuracy: evidence.accuracy))
    }
}
