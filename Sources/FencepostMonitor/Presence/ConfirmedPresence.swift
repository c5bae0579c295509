public import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Whether one device is inside one region, given the accuracy of its fixes.
///
/// A hidden Markov model with two states. Each fix adds evidence to the log-odds of being inside, weighted by how
/// independent its error is of the errors before; the log-odds decay with the time between fixes, in which the device may
/// have moved. They are limited, so that a long stay does not delay an exit. The state changes with hysteresis: a clear
/// fix of a trusted kind decides alone, an uncertain one does not.
///
/// A value of 24 bytes without a clock. `docs/quality.md` describes the model and its measured quality.
public struct ConfirmedPresence: Hashable, Sendable, Codable {
    /// What is known before the first fix that `handle` takes.
    public enum Start: Hashable, Sendable {
        /// The device or the region is new.
        case unknown
        /// The region was not tracked, since the device was far away.
        case outside(since: Timestamp)
        case inside(since: Timestamp)
    }

    /// `nil` while unknown.
    public private(set) var isInside: Bool?
    /// Natural logarithm of the odds of being inside.
    private var odds: Float
    /// The first of the latest fixes that all speak for the other side.
    private var otherSide: Timestamp?

    public init(_ start: Start) {
        switch start {
        case .unknown: (isInside, odds) = (nil, 0)
        case .outside: (isInside, odds) = (false, Float(-PresenceRule.limit))
        case .inside: (isInside, odds) = (true, Float(PresenceRule.limit))
        }
    }

    /// Whether the state may be dropped: the device is certainly outside and no change is pending. A new state that
    /// starts as `outside` replaces it without a difference that matters.
    public var isUntracked: Bool {
        isInside == false && otherSide == nil && odds < Float(-PresenceRule.untracked)
    }

    /// Takes the next fix, in time order.
    ///
    /// - Parameter proximity: `nil` if the region is beyond the search radius of the evidence.
    /// - Returns: the change of state that the fix decides, if any.
    public mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence
    ) -> PresenceChange? {
        let radius = evidence.searchRadius
        let distance = min(max(proximity?.signedDistance ?? radius, -radius), radius)
        let added = PresenceRule.logOdds(of: distance, width: proximity?.width ?? 0, evidence)
        let decay =
            PresenceRule.stationaryDecay
            + evidence.motionProbability * (PresenceRule.movingDecay - PresenceRule.stationaryDecay)
        let sum = Double(odds) * exp(-decay * evidence.interval) + evidence.weight * added
        let limited = min(max(sum, -PresenceRule.limit), PresenceRule.limit)
        odds = Float(limited)

        let wasInside = isInside
        if (added > 0) == wasInside {
            otherSide = nil
        } else if otherSide == nil, wasInside != nil {
            otherSide = location.timestamp
        }
        let nowInside: Bool
        switch wasInside {
        case nil where abs(limited) >= PresenceRule.first: nowInside = limited > 0
        case false where limited > PresenceRule.enter: nowInside = true
        case true where limited < -PresenceRule.exit: nowInside = false
        case nil, false?, true?: return nil
        }
        let since = otherSide ?? location.timestamp
        isInside = nowInside
        otherSide = nil
        let confidence = PresenceRule.confidence(
            odds: sum, distance: distance, accuracy: evidence.accuracy, isSatellite: (location.speed ?? 0) > 0)
        return PresenceChange(
            isInside: nowInside, isInitial: wasInside == nil, timestamp: since, detectedAt: location.timestamp,
            confidence: confidence,
            why: Why(
                rule: since == location.timestamp ? .clearFix : .fixesAgree, fix: location,
                distance: proximity?.finiteDistance, accuracy: evidence.accuracy,
                probability: 1 / (1 + exp(-limited)), pendingFixes: since == location.timestamp ? [] : [since]))
    }
}

/// The parameters of confirmed presence: log-odds, probabilities and rates per second.
///
/// `docs/quality.md` says how they were fitted.
enum PresenceRule {
    /// The log-odds stay within plus and minus this.
    static let limit = 2.28
    /// A device outside enters above this, and a device inside exits below minus `exit`.
    static let enter = 1.2
    static let exit = 2.23
    /// The first fixes of a device or a region decide beyond plus or minus this.
    static let first = 0.4
    /// A device outside is untracked below minus this.
    static let untracked = 1.5
    /// The decay rates of the log-odds, per second, of a moving and of a stationary device.
    static let movingDecay = 0.011
    static let stationaryDecay = 0.003
    /// Seconds in which any fix outside leaves a device untracked that was certainly outside before. Such a fix adds
    /// nothing for inside, and the log-odds decay at the rate of a moving device to at most
    /// -2.28 exp(-0.011 · 36) = -1.53, which is still below -`untracked`.
    static let untrackedSpan = 36.0
    static let untrackedMilliseconds = Int64(1000 * untrackedSpan)
    /// A lower bound of the accuracy that is used, in metres.
    static let leastAccuracy = 4.3
    /// In a region so small that the log-odds at its centre are below `smallOdds`, this share of the difference is added.
    static let smallOdds = 3.0
    static let smallShare = 0.7
    /// The radius that contains 68 % of a normal distribution in the plane, in standard deviations per axis.
    static let radiusOfAccuracy = 1.515

    /// The log-odds of being inside, given one fix. The region is approximated by a strip of its largest width.
    ///
    /// - Parameters:
    ///   - distance: metres to the boundary, negative inside.
    ///   - width: metres, as in `Proximity.width`.
    static func logOdds(of distance: Double, width: Double, _ evidence: FixEvidence) -> Double {
        let deviation = max(evidence.accuracy, leastAccuracy) / radiusOfAccuracy
        let width = max(width, -2 * distance)
        var inside = upperTail(distance / deviation) - upperTail((distance + width) / deviation)
        if distance < 0 {
            // The prior probability of being inside a small region is higher than its area suggests: it marks a place
            // that people go to.
            let center = min(max(1 - 2 * upperTail(width / 2 / deviation), 0.01), 0.99)
            let lift = smallShare * max(0, smallOdds - log(center / (1 - center)))
            let clamped = min(max(inside, 1e-6), 1 - 1e-6)
            inside = 1 / (1 + exp(-log(clamped / (1 - clamped)) - lift))
        }
        let probability = (1 - evidence.outlierProbability) * inside + evidence.outlierProbability / 2
        return log(min(max(probability, 1e-6), 1 - 1e-6) / (1 - min(max(probability, 1e-6), 1 - 1e-6)))
    }

    /// The probability that an event decided by such a fix is true.
    ///
    /// A logistic regression over the events of the benchmarks in `docs/quality.md`. Its inputs are the limited odds, the
    /// depth in units of the accuracy, the accuracy and the kind of fix; the last three matter more than the odds.
    static func confidence(odds: Double, distance: Double, accuracy: Double, isSatellite: Bool) -> Double {
        let accuracy = max(accuracy, 4)
        let sum =
            1.73 + 0.14 * min(abs(odds), 6) + 0.47 * min(abs(distance) / accuracy, 4) - 0.55 * log(accuracy / 20)
            - (isSatellite ? 0 : 0.97)
        return 1 / (1 + exp(-sum))
    }

    /// The probability that a standard normal variable exceeds the value.
    private static func upperTail(_ value: Double) -> Double { erfc(value / 2.0.squareRoot()) / 2 }
}
