public import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Whether one device is inside one region, as far as the accuracy of its fixes bears it out.
///
/// A hidden Markov model of two states: the log-odds of being inside gain what each fix says, tempered by how much of
/// it is news, and lose what time may have changed. They are limited, so that no stay makes the device deaf, and the
/// state follows with hysteresis: a clear fix of a trusted kind decides at once, and a doubtful one does not. It is a
/// value of 24 bytes without a clock; `docs/quality.md` explains it and says how good it is.
public struct ConfirmedPresence: Hashable, Sendable, Codable {
    public enum Start: Hashable, Sendable {
        /// The device or the region is new.
        case unknown
        /// The pair was at rest: the device was far away.
        case outside(since: Timestamp)
        case inside(since: Timestamp)
    }

    /// `nil` while unknown.
    public private(set) var isInside: Bool?
    /// Natural logarithm of the odds of being inside.
    private var odds: Float
    /// The first of the last fixes that all speak for the other side.
    private var otherSide: Timestamp?

    public init(_ start: Start) {
        switch start {
        case .unknown: (isInside, odds) = (nil, 0)
        case .outside: (isInside, odds) = (false, Float(-PresenceRule.limit))
        case .inside: (isInside, odds) = (true, Float(PresenceRule.limit))
        }
    }

    /// Surely outside and nothing pending: the same as a pair that was never kept.
    public var isAtRest: Bool { isInside == false && otherSide == nil && odds < Float(-PresenceRule.rest) }

    /// Takes the next fix, in time order.
    ///
    /// - Parameter proximity: `nil` when the region is farther away than the evidence reaches.
    public mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence
    ) -> PresenceChange? {
        let distance = min(max(proximity?.signedDistance ?? evidence.reach, -evidence.reach), evidence.reach)
        let says = PresenceRule.logOdds(of: distance, width: proximity?.width ?? 0, evidence)
        let turnover =
            PresenceRule.restTurnover + evidence.motion * (PresenceRule.wayTurnover - PresenceRule.restTurnover)
        let sum = Double(odds) * exp(-turnover * evidence.interval) + evidence.weight * says
        let limited = min(max(sum, -PresenceRule.limit), PresenceRule.limit)
        odds = Float(limited)

        let saysInside = says > 0
        let wasInside = isInside
        if saysInside == wasInside {
            otherSide = nil
        } else if otherSide == nil, wasInside != nil {
            otherSide = location.timestamp
        }
        let nowInside: Bool
        switch wasInside {
        case nil where abs(limited) >= PresenceRule.first: nowInside = limited > 0
        case false where limited > PresenceRule.enter: nowInside = true
        case true where limited < -PresenceRule.exit: nowInside = false
        default: return nil
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
                rule: since == location.timestamp ? "clear_fix" : "fixes_agree", fix: location,
                distance: proximity?.finiteDistance, accuracy: evidence.accuracy,
                probability: 1 / (1 + exp(-limited)), heldBack: since == location.timestamp ? [] : [since]))
    }
}

/// What decides about presence: log-odds, shares and rates per second.
enum PresenceRule {
    static let limit = 2.28
    static let enter = 1.2
    static let exit = 2.23
    /// The first fixes of a device or a region settle where it is.
    static let first = 0.4
    static let rest = 1.5
    /// How fast odds fade while the device moves and while it rests.
    static let wayTurnover = 0.011
    static let restTurnover = 0.003
    /// Seconds. For so long a device that was surely outside stays so by whatever fix that is not inside: such a fix says
    /// nothing for inside, and the odds, fading as they do on the way, are still below those of rest:
    /// -2.28 exp(-0.011 · 36) = -1.53.
    static let longestCertainty = 36.0
    static let longestCertaintyMilliseconds = Int64(1000 * longestCertainty)
    /// Good fixes are no better than this.
    static let leastAccuracy = 4.3
    /// A region too small to be ever sure of counts as one where its middle has these log-odds, to so large a share.
    static let smallOdds = 3.0
    static let smallShare = 0.7
    /// The radius that 68 % of a normal distribution in the plane are in, in standard deviations per axis.
    static let radiusOfAccuracy = 1.515

    /// The log-odds of being inside that one fix gives: inside a strip as wide as the region is at its widest.
    static func logOdds(of distance: Double, width: Double, _ evidence: FixEvidence) -> Double {
        let deviation = max(evidence.accuracy, leastAccuracy) / radiusOfAccuracy
        let width = max(width, -2 * distance)
        var inside = tail(distance / deviation) - tail((distance + width) / deviation)
        if distance < 0 {
            // Whoever is seen within a small place is more likely there than just beside it: that is what it is for.
            let middle = min(max(1 - 2 * tail(width / 2 / deviation), 0.01), 0.99)
            let lift = smallShare * max(0, smallOdds - log(middle / (1 - middle)))
            let share = min(max(inside, 1e-6), 1 - 1e-6)
            inside = 1 / (1 + exp(-log(share / (1 - share)) - lift))
        }
        let share = (1 - evidence.outlier) * inside + evidence.outlier / 2
        return log(min(max(share, 1e-6), 1 - 1e-6) / (1 - min(max(share, 1e-6), 1 - 1e-6)))
    }

    /// The share of true ones among events that were settled by such a fix.
    ///
    /// A logistic regression over the events of the benchmarks in `docs/quality.md`: deep in accuracies, a small
    /// accuracy and a satellite fix speak for an event more than the odds do, since those are limited.
    static func confidence(odds: Double, distance: Double, accuracy: Double, isSatellite: Bool) -> Double {
        let accuracy = max(accuracy, 4)
        let sum =
            1.73 + 0.14 * min(abs(odds), 6) + 0.47 * min(abs(distance) / accuracy, 4) - 0.55 * log(accuracy / 20)
            - (isSatellite ? 0 : 0.97)
        return 1 / (1 + exp(-sum))
    }

    /// The share of a standard normal distribution above.
    private static func tail(_ value: Double) -> Double { erfc(value / 2.0.squareRoot()) / 2 }
}
