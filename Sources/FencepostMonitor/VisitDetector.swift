public import FencepostGeometry
public import FencepostModel

/// What may be set about visits; the names are those of the config file.
public struct VisitSettings: Hashable, Sendable, Codable {
    /// Metres around the centre of a stay.
    public var radius = 100.0
    /// A shorter stay is not told.
    public var minimumStay = Duration.seconds(480)
    /// A longer hole in the fixes ends a visit at the fix before it.
    public var maximumGap = Duration.seconds(129_600)
    /// How long a departure is held back, so that it need not be wrong.
    public var departureHold = Duration.zero

    public init() {}
}

/// What is to be told about a stay.
public enum VisitReport: Hashable, Sendable {
    case arrived(VisitEstimate)
    case departed(VisitEstimate)
}

/// What is known of a stay when it is told.
public struct VisitEstimate: Hashable, Sendable {
    /// Names the stay among those of its device; the same in the arrival and in the departure.
    public var identity: Timestamp
    public var arrival: Timestamp?
    public var departure: Timestamp?
    public var coordinate: Coordinate
    public var horizontalAccuracy: Double
    public var arrivalEarliest, arrivalLatest, departureEarliest, departureLatest: Timestamp?
    public var detectedAt: Timestamp
    public var confidence: Double?
    public var why: Why
}

/// Finds the stays in one device's fixes.
public struct VisitDetector: Hashable, Sendable, Codable {
    public init(settings: VisitSettings) {}

    public var deadline: Timestamp? { nil }

    public mutating func handle(_ location: Location) -> [VisitReport] { [] }

    public mutating func deadlineReached(_ now: Timestamp) -> [VisitReport] { [] }
}
