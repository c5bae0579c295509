public import FencepostGeometry
public import FencepostModel

/// What counts as a visit.
public struct VisitSettings: Hashable, Sendable, Codable {
    /// How far from its centre a stay reaches, in metres, the error of the fixes apart; above 0.
    ///
    /// A stroll farther out than this and a tenth is a departure; up to four fifths of it is the place itself.
    public var radius: Double
    /// The shortest stay that is told.
    public var minimumStay: Duration
    /// A longer hole in the fixes ends a stay at the fix before it.
    public var maximumGap: Duration
    /// How long a departure is held back after it was noticed, in case that the device comes back.
    public var departureHold: Duration

    public init(
        radius: Double = 100, minimumStay: Duration = .seconds(480), maximumGap: Duration = .seconds(129_600),
        departureHold: Duration = .zero
    ) {
        precondition(radius > 0 && minimumStay >= .zero && maximumGap > .zero && departureHold >= .zero)
        self.radius = radius
        self.minimumStay = minimumStay
        self.maximumGap = maximumGap
        self.departureHold = departureHold
    }
}

/// What a detector of visits has to tell.
public enum VisitReport: Hashable, Sendable {
    case arrived(VisitEstimate)
    case departed(VisitEstimate)

    public var estimate: VisitEstimate {
        switch self {
        case .arrived(let estimate), .departed(let estimate): estimate
        }
    }
}

/// What is known of one stay at one moment.
public struct VisitEstimate: Hashable, Sendable {
    /// The first fix at the place: the same in the arrival and in the departure, and in no other stay of the device.
    public var identity: Timestamp
    /// `nil` when the device was there before anything was seen of it.
    public var arrival: Timestamp?
    /// `nil` while the stay goes on.
    public var departure: Timestamp?
    /// The centre of the stay.
    public var coordinate: Coordinate
    /// Radius of 68 % confidence around the centre, in metres.
    public var horizontalAccuracy: Double
    /// When the ends can have been, where no fix was near them.
    public var arrivalEarliest, arrivalLatest, departureEarliest, departureLatest: Timestamp?
    /// The time of the fix or of the deadline that settled it.
    public var detectedAt: Timestamp
    /// How likely it is that there was such a stay, 0 to 1.
    public var confidence: Double?
    public var why: Why
}
