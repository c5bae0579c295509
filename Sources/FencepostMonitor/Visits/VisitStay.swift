import FencepostModel

/// One stay, from the first fix at the place to the last.
struct VisitStay: Hashable, Sendable {
    /// The observation that shows a stay.
    enum Basis: String, Hashable, Sendable, Codable {
        /// Fixes at one place over most of the minimum stay.
        case fixes
        /// A gap between two fixes that the device can only have spent at one place.
        case gap = "hole"
        /// No fix since the last one, up to the report.
        case silence

        /// The share of true ones among such stays, in the benchmark of `docs/quality.md`.
        var confidence: Double {
            switch self {
            case .fixes: 0.98
            case .gap: 0.93
            case .silence: 0.94
            }
        }

        var rule: Why.Rule {
            switch self {
            case .fixes: .fixes
            case .gap: .gap
            case .silence: .silence
            }
        }
    }

    /// The time of the first fix at the place.
    var identity: Timestamp
    var basis: Basis
    var centroid: VisitCentroid
    /// `nil` if the device was there before its first fix.
    var arrival: Timestamp?
    /// The last fix elsewhere, if it is much earlier than the first fix at the place.
    var arrivalEarliest: Timestamp?
    var firstInside: Timestamp
    var lastInside: VisitFix
    /// The time of the last fix within the spread.
    var lastAtCenter: Timestamp
    /// How far its fixes mostly are from the centre, in metres: at first the median of the cluster, then the root of the mean
    /// square of the latest distances.
    var spread: Float
    /// The distance of the last fix at the place from the centre, in metres.
    var lastDistance: Float = 0
    var departure, departureEarliest, departureLatest: Timestamp?
    /// The evidence for a departure from the fixes away so far; 1 is enough.
    var departureEvidence = 0.0
    /// Whether the fixes away begin with a step that no device can make.
    var beganWithLeap = false

    init(_ cluster: FixCluster, basis: Basis) {
        self.basis = basis
        centroid = cluster.centroid
        identity = cluster.first.time
        firstInside = cluster.first.time
        lastInside = cluster.last
        lastAtCenter = cluster.last.time
        spread = Float(cluster.spread)
        arrival = cluster.firstAtCenter
    }

    /// When the device was last so near the centre as it mostly was, if it went out after that; else the time of the last fix
    /// at the place.
    var lastAtDoor: Timestamp {
        let seconds = Double(lastInside.time.milliseconds - lastAtCenter.milliseconds) / 1000
        return Double(lastDistance) > VisitRule.doorSpeed * seconds ? lastAtCenter : lastInside.time
    }

    /// Takes a fix at the place, so many metres from the centre.
    mutating func add(_ fix: VisitFix, distance: Double) {
        if distance <= VisitRule.doorRadius(spread: Double(spread)) { lastAtCenter = fix.time }
        lastDistance = Float(distance)
        lastInside = fix
        let limited = min(distance, 2 * Double(spread))
        let square = Double(spread) * Double(spread)
        spread = Float(
            max(VisitRule.leastSpread, (square + (limited * limited - square) * VisitRule.spreadRate).squareRoot()))
    }

    /// The arrival, or the first fix if the arrival is unknown.
    var start: Timestamp { arrival ?? firstInside }

    func arrivalReport(at now: Timestamp) -> VisitReport {
        .arrived(estimate(isOver: false, detectedAt: now, rule: basis.rule))
    }

    func departureReport(at now: Timestamp, _ rule: Why.Rule) -> VisitReport {
        .departed(estimate(isOver: true, detectedAt: now, rule: rule))
    }

    func refutation(at now: Timestamp) -> VisitReport {
        .refuted(estimate(isOver: true, detectedAt: now, rule: .refuted))
    }

    private func estimate(isOver: Bool, detectedAt: Timestamp, rule: Why.Rule) -> VisitEstimate {
        VisitEstimate(
            identity: identity, arrival: arrival, departure: isOver ? departure : nil,
            coordinate: centroid.coordinate,
            horizontalAccuracy: max(centroid.accuracy, VisitCentroid.bestAccuracy),
            arrivalEarliest: arrivalEarliest,
            arrivalLatest: arrival == nil || arrivalEarliest != nil ? firstInside : nil,
            departureEarliest: isOver ? departureEarliest : nil, departureLatest: isOver ? departureLatest : nil,
            detectedAt: detectedAt, confidence: basis.confidence,
            why: Why(rule: rule, accuracy: centroid.accuracy, probability: basis.confidence))
    }
}

/// The fixes at the end of a trail that lie at one place.
struct FixCluster {
    var centroid: VisitCentroid
    var first, last: VisitFix
    /// The last fix elsewhere before them.
    var before: VisitFix?
    /// Whether they begin with the first fix of the device.
    var hasFirstFix = false
    /// The median of the distances of its fixes from the centre, in metres.
    var spread = VisitRule.leastSpread
    /// When the device came to the door, after its way from the first fix.
    var firstAtCenter: Timestamp
}

/// The parameters of visit detection, in metres, seconds and metres per second.
///
/// Distances are for a radius of 100 m and spans for a minimum stay of 8 minutes; both scale with the settings.
/// `docs/quality.md` says how they were fitted.
enum VisitRule {
    /// The share of the minimum stay that a gap must cover to show a stay. Fixes must cover all of it.
    static let gapShare = 0.75
    /// A fix up to this distance from the centre is at the place, and one beyond the other is away, both in radii and
    /// less the position uncertainty.
    static let nearRadii = 0.8
    static let farRadii = 1.1
    /// The position uncertainty is a sum of these shares of the accuracies of the fix and of the centre, each accuracy at
    /// most `accuracyLimit`.
    static let nearAccuracy = 0.6
    static let nearCentroidAccuracy = 0.3
    static let farCentroidAccuracy = 0.5
    static let accuracyLimit = 150.0
    /// No place whose centre follows its fixes extends farther than this from any of them, in radii.
    static let driftRadii = 2.5
    /// The means of both halves of a stay lie at most so far apart: a share of the near radius, and one of the accuracy.
    static let driftLimit = 0.5
    static let driftAccuracy = 0.5
    /// Up to the first speed a device may be stationary; above the second it travels.
    static let standingSpeed = 0.7
    static let movingSpeed = 1.5
    /// A device with a longer median interval sends rarely.
    static let sparseInterval = 240.0
    /// A gap is longer than so many median intervals, unless both of its ends are at one place.
    static let gapIntervals = 3.0
    /// The shortest gap in seconds after the first fix of a device, when nothing is known of its intervals.
    static let firstGap = 3600.0
    /// A gap with a higher average speed between its ends is not a stay.
    static let gapSpeed = 1.0
    /// A gap whose ends are both faster than the first and whose average speed exceeds the second is a tunnel.
    static let tunnelSpeed = 2.5
    static let tunnelAverage = 0.6
    /// The silence after a fix in motion, and after any fix, that is a stay.
    static let silenceInMotion = 900.0
    static let longestSilence = 1800.0
    /// For a device that sends rarely, and after its first fix, a silence shows a stay only if fixes over so many seconds
    /// do as well.
    static let shownSpan = 60.0
    /// An accurate fix away from the place that stands for so long shows a departure alone.
    static let evidenceInterval = 300.0
    /// The evidence of a fix with an accuracy above 80 m, above 200 m, and of a single one without a satellite speed.
    static let fairQuality = 0.4
    static let coarseQuality = 0.15
    static let singleQuality = 0.6
    /// The additional evidence of a moving fix, and of one that is farther on than the one before.
    static let speedEvidence = 0.35
    static let progressEvidence = 0.25
    /// Fixes away in which nothing moves show a departure after so long, or if they extend over so many metres.
    static let uncertainAbsence = 600.0
    static let uncertainExtent = 100.0
    /// The same if the first of them is a leap: cell towers hold a phone for that long.
    static let leapAbsence = 1200.0
    /// A step of a device that states no motion is a leap if it is faster than the first speed within the span, or than
    /// the second in a longer time.
    static let leapSpan = 180.0
    static let leapSpeed = 6.0
    static let longLeapSpeed = 25.0
    /// The shortest absence with motion that ends a stay although the device returns.
    static let shortAbsence = 240.0
    /// An unreported stay continues if the device is back within so many seconds and radii.
    static let reunionSpan = 300.0
    static let reunionRadii = 1.2
    /// The speeds of a device are trusted as long as so many times fewer of them contradict its positions than agree.
    static let speedRatio = 4
    /// A step can contradict a speed if the speed leads so many times farther than the accuracies of its ends.
    static let speedNoise = 3.0
    /// The spread of the fixes of a stay that is assumed at least, in metres, and the share by which it follows each fix.
    static let leastSpread = 10.0
    static let spreadRate = 0.05
    /// How many spreads from the centre the door is for departures, and, for a mean of fixes, for arrivals; and from how many on
    /// the first fix of a stay lies outside.
    static let doorSpreads = 1.0
    static let arrivalSpreads = 0.6
    static let outsideSpreads = 1.25
    /// A mean is that of a fix and so many before and after it, of which none counts as farther away than so many spreads.
    static let doorNeighbors = 2
    static let doorOutlier = 2.0
    /// How much farther from the centre than the one before a mean on the way to the door may be, in spreads, and the slowest way
    /// to the door and from it, in metres per second.
    static let doorTolerance = 0.1
    static let doorSpeed = 0.25
    /// Seconds beyond the usual interval after which the door says nothing about a departure.
    static let doorSilence = 60.0

    static func doorRadius(spread: Double) -> Double { doorSpreads * spread }
    /// Fixes with a worse accuracy, in metres, show no stay.
    static let worstAccuracy = 500.0
    /// A longer span between the fixes around an end of a visit is reported as bounds.
    static let boundsSpan = 300.0

    /// The uncertainty of the distance between a fix and a centre, in metres, from the accuracies of both.
    @inline(__always)
    static func positionUncertainty(accuracy: Double, centroidAccuracy: Double) -> Double {
        nearAccuracy * min(accuracy, accuracyLimit) + nearCentroidAccuracy * min(centroidAccuracy, accuracyLimit)
    }
}
