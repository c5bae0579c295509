public import FencepostGeometry
public import FencepostModel

/// The definition of a visit.
public struct VisitSettings: Hashable, Sendable, Codable {
    /// How far from its centre a stay extends, in metres, less the position uncertainty; above 0.
    ///
    /// A fix within four fifths of it is at the place. A fix beyond it and a tenth counts for a departure.
    public var radius: Double
    /// The shortest stay that is reported.
    public var minimumStay: Duration
    /// A longer gap between two fixes ends a stay at the fix before the gap; at least a millisecond.
    public var maximumGap: Duration
    /// The delay before a departure is reported. If the device returns within it, nothing is reported.
    public var departureHold: Duration

    /// Thresholds of stays: the radius in metres, the shortest stay, the longest gap within one and the delay of
    /// departures.
    ///
    /// - Precondition: the radius is above 0, the longest gap at least a millisecond, and the other two are not negative.
    public init(
        radius: Double = 100, minimumStay: Duration = .seconds(480), maximumGap: Duration = .seconds(129_600),
        departureHold: Duration = .zero
    ) {
        precondition(radius > 0 && minimumStay >= .zero && departureHold >= .zero)
        precondition(maximumGap >= .milliseconds(1))
        self.radius = radius
        self.minimumStay = minimumStay
        self.maximumGap = maximumGap
        self.departureHold = departureHold
    }

    /// Reads stored settings.
    ///
    /// - Throws: `DecodingError` if a member is absent or outside what `init` allows.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        radius = try container.decode(Double.self, forKey: .radius)
        minimumStay = try container.decode(Duration.self, forKey: .minimumStay)
        maximumGap = try container.decode(Duration.self, forKey: .maximumGap)
        departureHold = try container.decode(Duration.self, forKey: .departureHold)
        // Arithmetic with times needs room above the durations.
        let spans = Duration.zero...Duration.seconds(1 << 40)
        guard radius > 0, radius.isFinite, maximumGap >= .milliseconds(1),
            [minimumStay, maximumGap, departureHold].allSatisfy(spans.contains)
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: container.codingPath, debugDescription: "invalid settings of visits"))
        }
    }
}

/// The settings of visits as numbers, since arithmetic on `Duration` needs 128-bit divisions.
struct VisitLimits: Hashable, Sendable {
    /// Metres.
    let radius: Double
    /// The shortest stay that is reported, in seconds.
    let dwell: Double
    /// The longest gap within a stay, in seconds.
    let maximumGap: Double
    /// The same in milliseconds.
    let minimumStay: Int64
    /// How long after its last fix a stay is over, in milliseconds.
    let gapEnd: Int64
    /// The delay of departures, in milliseconds.
    let departureHold: Int64

    init(_ settings: VisitSettings) {
        radius = settings.radius
        dwell = settings.minimumStay.seconds
        maximumGap = settings.maximumGap.seconds
        minimumStay = settings.minimumStay.milliseconds
        gapEnd = settings.maximumGap.milliseconds + 1
        departureHold = settings.departureHold.milliseconds
    }

    /// The shortest gap that shows a stay, in seconds.
    var gap: Double { dwell * VisitRule.gapShare }
    /// The interval of the trail while searching, in milliseconds: it covers somewhat more than the minimum stay.
    var searchInterval: Int64 { VisitTrail.interval(covering: minimumStay + minimumStay / 4) }
    /// The interval of the trail during a stay, in milliseconds: it covers somewhat more than the longest absence.
    static let awayInterval = VisitTrail.interval(covering: Int64(1250 * VisitRule.leapAbsence))

    var settings: VisitSettings {
        VisitSettings(
            radius: radius, minimumStay: .milliseconds(minimumStay), maximumGap: .milliseconds(gapEnd - 1),
            departureHold: .milliseconds(departureHold))
    }
}

/// An arrival or a departure that the visit detector reports.
public enum VisitReport: Hashable, Sendable {
    /// The stay has begun; its departure is not known yet.
    case arrived(VisitEstimate)
    /// The stay has ended.
    case departed(VisitEstimate)
    /// The stay whose arrival was reported in a silence has not been: the fix after it shows that the device travelled. Its
    /// departure is at the end of the minimum stay.
    case refuted(VisitEstimate)

    /// The estimate of the stay, whatever was reported.
    public var estimate: VisitEstimate {
        switch self {
        case .arrived(let estimate), .departed(let estimate), .refuted(let estimate): estimate
        }
    }
}

/// The detector's estimate of one stay at the time of a report.
public struct VisitEstimate: Hashable, Sendable {
    /// The time of the first fix at the place: equal in the arrival and in the departure, different in all other stays of
    /// the device.
    public var identity: Timestamp
    /// `nil` if the device was there before its first fix.
    public var arrival: Timestamp?
    /// `nil` in an arrival.
    public var departure: Timestamp?
    /// The centre of the stay.
    public var coordinate: Coordinate
    /// Radius of 68 % confidence around the centre, in metres.
    public var horizontalAccuracy: Double
    /// Bounds of the arrival and of the departure; set if no fix lies near them in time.
    public var arrivalEarliest, arrivalLatest, departureEarliest, departureLatest: Timestamp?
    /// The time of the fix or of the deadline that decided the report.
    public var detectedAt: Timestamp
    /// Probability that the stay is true, 0 to 1.
    public var confidence: Double?
    /// The rule that decided the report and the values that it used.
    public var why: Why
}
