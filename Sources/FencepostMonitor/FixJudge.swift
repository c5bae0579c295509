public import FencepostModel

/// What the fixes so far say of how far a fix is to be trusted.
public struct FixEvidence: Hashable, Sendable {
    /// Radius of 68 % confidence that is reckoned with, in metres.
    public var accuracy: Double
}

/// Judges each fix of one device by the fixes before it.
public struct FixJudge: Hashable, Sendable, Codable {
    public init() {}

    public mutating func judge(_ location: Location) -> FixEvidence {
        FixEvidence(accuracy: location.horizontalAccuracy ?? 30)
    }

    /// Metres around the fix within which the distance to a boundary bears on the answer.
    public func reach(for location: Location) -> Double {
        (location.horizontalAccuracy ?? 30) * 3
    }
}
