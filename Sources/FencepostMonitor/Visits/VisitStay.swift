import FencepostModel

/// One stay, from the first fix at the place to the last.
struct VisitStay: Hashable, Sendable, Codable {
    /// What showed that the device stayed.
    enum Basis: String, Hashable, Sendable, Codable {
        /// Fixes at one place over most of the shortest stay.
        case fixes
        /// A hole in the fixes that the device can only have spent at one place.
        case hole
        /// A silence that still lasted when the stay was told.
        case silence

        /// The share of such stays that are true ones, from the benchmark in `docs/quality.md`.
        var confidence: Double {
            switch self {
            case .fixes: 0.98
            case .hole: 0.93
            case .silence: 0.94
            }
        }
    }

    /// The time of the first fix at the place.
    var identity: Timestamp
    var basis: Basis
    var anchor: VisitAnchor
    /// `nil` when the device was there before anything was seen of it.
    var arrival: Timestamp?
    /// The last fix elsewhere, where it lies well before the first one here.
    var arrivalEarliest: Timestamp?
    var firstInside: Timestamp
    var lastInside: VisitTrace
    var departure, departureEarliest, departureLatest: Timestamp?
    /// When the departure was found out, where it is held back.
    var departureNoticed: Timestamp?
    var isTold = false
    /// What speaks for a departure: 1 is enough.
    var evidence = 0.0
    /// Whether the fixes away began with a leap that nobody can make.
    var beganWithLeap = false

    init(_ run: VisitRun, basis: Basis) {
        self.basis = basis
        anchor = run.anchor
        identity = run.first.time
        arrival = run.first.time
        firstInside = run.first.time
        lastInside = run.last
    }

    /// When it began as far as is known.
    var begin: Timestamp { arrival ?? firstInside }

    /// - Parameter isOver: whether to say how it ended.
    func estimate(isOver: Bool, detectedAt: Timestamp, rule: String) -> VisitEstimate {
        VisitEstimate(
            identity: identity, arrival: arrival, departure: isOver ? departure : nil,
            coordinate: anchor.coordinate, horizontalAccuracy: max(anchor.accuracy, VisitAnchor.bestAccuracy),
            arrivalEarliest: arrivalEarliest,
            arrivalLatest: arrival == nil || arrivalEarliest != nil ? firstInside : nil,
            departureEarliest: isOver ? departureEarliest : nil, departureLatest: isOver ? departureLatest : nil,
            detectedAt: detectedAt, confidence: basis.confidence,
            why: Why(rule: rule, accuracy: anchor.accuracy, probability: basis.confidence))
    }
}

/// The fixes at the end of a trail that are at one place.
struct VisitRun {
    var anchor: VisitAnchor
    var first, last: VisitTrace
    /// The last fix before them that was elsewhere.
    var before: VisitTrace?
    /// Whether nothing was seen of the device before.
    var isWhole = false
}

/// What decides about visits, in metres, seconds and metres per second.
///
/// Distances for a radius of 100 m and spans for a shortest stay of 8 minutes scale with the settings.
enum VisitRule {
    /// Share of the shortest stay that the fixes, or a hole, must cover before there is a stay at all.
    static let dwellShare = 0.75
    /// How far a fix of the place may be from its centre, and one elsewhere must be, in radii …
    static let nearRadii = 0.8
    static let farRadii = 1.1
    /// … beside these shares of the accuracies of the fix and of the centre, up to so many metres.
    static let nearAccuracy = 0.6
    static let nearAnchorAccuracy = 0.3
    static let farAnchorAccuracy = 0.5
    static let accuracyLimit = 150.0
    /// A place whose middle follows its fixes reaches no farther than this from any of them, in its own radii.
    static let wanderingRadii = 2.5
    /// Below this speed a device may be standing; from this one on it is on its way.
    static let standingSpeed = 0.7
    static let movingSpeed = 1.5
    static let walkingSpeed = 1.3
    static let ridingSpeed = 6.0
    /// Longer ways are mostly not walked.
    static let footway = 400.0
    /// A longer usual interval makes a phone one that sends rarely.
    static let sparseInterval = 240.0
    /// A hole is longer than so many usual intervals, unless both of its ends are at one place.
    static let holeIntervals = 3.0
    /// Faster than this on average from one end of a hole to the other is no stay.
    static let holeSpeed = 1.0
    /// Both ends of a hole faster than the first, and the way between than the second: a tunnel.
    static let tunnelSpeed = 2.5
    static let tunnelAverage = 0.6
    /// So long a silence after a fix in full motion is a stay, and so long a one after any fix.
    static let silenceInMotion = 900.0
    static let longestSilence = 1800.0
    /// A good fix away from the place that stands for so long is enough for a departure.
    static let evidenceInterval = 300.0
    /// What a fix counts for with an accuracy beyond 80 m, beyond 200 m, and alone without a satellite speed.
    static let fairQuality = 0.4
    static let coarseQuality = 0.15
    static let loneQuality = 0.6
    /// What a moving fix, and one farther on than the last, add.
    static let speedEvidence = 0.35
    static let progressEvidence = 0.25
    /// So long do fixes away have to stand when nothing in them moves, and by so much they move, if at all.
    static let doubtfulAbsence = 1200.0
    static let doubtfulExtent = 100.0
    /// So long is a short absence in which the device moved, to be one at all.
    static let shortAbsence = 240.0
    /// Within so many seconds of leaving, and so many radii, a stay too short to be told goes on.
    static let reunionSpan = 300.0
    static let reunionRadii = 1.2
    /// An end of a visit that is known less exactly has bounds.
    static let boundsSpan = 300.0
}
