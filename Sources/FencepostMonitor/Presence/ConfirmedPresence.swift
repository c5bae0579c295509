internal import FencepostGeometry
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
/// have moved. They are limited, so that a long stay does not delay an exit. The state changes with hysteresis: one clear
/// fix that is no outlier decides alone, uncertain ones add up. What an untrusted fix would have added is kept until the next
/// fix, which may confirm it. A pending change is decided by a deadline when the device falls silent.
///
/// A value of 24 bytes without a clock. `docs/quality.md` describes the model and its measured quality.
public struct ConfirmedPresence: Hashable, Sendable {
    /// What is known before the first fix that `handle` takes.
    public enum Start: Hashable, Sendable {
        /// The device or the region is new.
        case unknown
        /// The region was not tracked, since the device was far away.
        case outside(since: Timestamp)
        /// The device was inside by another crossing mode, which the region had before.
        case inside(since: Timestamp)
    }

    /// `nil` while unknown.
    public private(set) var isInside: Bool?
    /// What the last fix would have added to the odds if it had not been flagged, in `PresenceRule.deferredUnit`.
    private var deferred: Int8 = 0
    /// The share of `gap` that had passed at the estimated crossing, in 65,535ths: half a minute of three weeks.
    private var gapShare = UInt16.max
    /// Whole minutes from `otherSide` to the deadline of the pending change; 0 without a deadline.
    private var silenceMinutes: UInt16 = 0
    /// The distance of the last fix on the known side from the boundary.
    private var lastDistance = StoredDistance.beyond
    /// Natural logarithm of the odds of being inside.
    private var odds: Float
    /// Seconds from the last fix on the known side to `otherSide`.
    private var gap: Float = 0
    /// The first of the latest fixes that all speak for the other side; `distantFuture` if there is none.
    private var otherSide = Timestamp.distantFuture

    /// The log-odds at their limit for a known side, and 0 for an unknown one.
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
        isInside == false && otherSide == .distantFuture && deferred <= 0 && odds < Float(-PresenceRule.untracked)
    }

    /// When a pending change is decided without a fix; `nil` if none is.
    public var deadline: Timestamp? {
        silenceMinutes == 0 ? nil : otherSide.after(60_000 * Int64(silenceMinutes))
    }

    /// Takes the next fix, in time order.
    ///
    /// `proximity` is `nil` if the region is beyond the search radius of the evidence.
    ///
    /// - Returns: the change of state that the fix decides, if any.
    public mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence
    ) -> PresenceChange? {
        var change: PresenceChange?
        handle(proximity, location, evidence, into: &change)
        return change
    }

    /// As `handle(_:_:_:)`. `result` is set to the change, and left as it is without one: each function that returned it
    /// would copy it, and few fixes have one.
    mutating func handle(
        _ proximity: Proximity?, _ location: Location, _ evidence: FixEvidence, into result: inout PresenceChange?
    ) {
        let radius = evidence.searchRadius
        let distance = min(max(proximity?.signedDistance ?? radius, -radius), radius)
        let width = proximity?.width ?? 0
        let clearDistance = PresenceRule.clearDepth * max(evidence.accuracy, PresenceRule.leastAccuracy)
        if let isInside, (isInside ? -distance : distance) > clearDistance, evidence.mayDecideAlone {
            // A clear fix on the known side: it speaks for this side, so the log-odds are at their limit.
            odds = Float(isInside ? PresenceRule.limit : -PresenceRule.limit)
            forgetOtherSide()
            lastDistance = StoredDistance(distance, searchRadius: radius)
            return
        }
        var (added, weight) = (PresenceRule.logOdds(of: distance, width: width, evidence), evidence.weight)
        if evidence.showsAbsence, distance >= min(FixRule.absenceAccuracies * evidence.accuracy, radius) {
            // A tower repeats its position, so only the time makes such fixes independent.
            added = -PresenceRule.absenceOdds
            weight = max(weight, 1 - exp(-evidence.interval / FixRule.driftTime))
        }
        let decay = evidence.motionProbability * PresenceRule.movingDecay
        var sum = Double(odds) * exp(-decay * evidence.interval) + weight * added
        let isClear = abs(distance) > clearDistance
        if isClear, evidence.mayDecideAlone {
            sum = added > 0 ? max(sum, PresenceRule.limit) : min(sum, -PresenceRule.limit)
        }
        if evidence.isSudden, let isInside, otherSide == .distantFuture {
            // It only begins the other side.
            sum = isInside ? max(sum, -PresenceRule.exit) : min(sum, PresenceRule.enter)
        }
        let limited = min(max(sum, -PresenceRule.limit), PresenceRule.limit)
        odds = Float(limited)
        silenceMinutes = 0

        let wasInside = isInside
        if let wasInside {
            if (added > 0) == wasInside {
                forgetOtherSide()
                lastDistance = StoredDistance(distance, searchRadius: radius)
            } else if otherSide == .distantFuture {
                beginOtherSide(location, distance: distance, evidence)
            }
        }
        guard let nowInside = decided(limited) else {
            if evidence.flag == .leap { deferEvidence(distance, width, evidence, isClear: isClear, added: added) }
            if let wasInside, otherSide != .distantFuture, (distance < 0) != wasInside, isClear, !evidence.isNetwork {
                awaitSilence(after: location.timestamp, evidence)
            }
            return
        }
        let confidence = PresenceRule.confidence(
            odds: sum, accuracy: evidence.showsAbsence ? FixRule.coarseAccuracy : evidence.accuracy, evidence.kind)
        if otherSide == .distantFuture { beginOtherSide(location, distance: distance, evidence) }
        let isFirst = otherSide == location.timestamp
        let why = Why(
            rule: isFirst ? .clearFix : .fixesAgree, distance: proximity?.finiteDistance,
            accuracy: evidence.accuracy, probability: 1 / (1 + exp(-limited)),
            pendingFixes: isFirst ? [] : [otherSide])
        result = change(to: nowInside, detectedAt: location.timestamp, confidence: confidence, why)
    }

    /// Whether a fix so deep inside, in metres, only confirms that the device is inside: `stayInside` does what `handle`
    /// does then.
    @inline(__always)
    func isConfirmedInside(signedDistance: Double, _ fix: ClearFix) -> Bool {
        isInside == true && silenceMinutes == 0 && -max(signedDistance, -fix.searchRadius) > fix.clearDistance
    }

    /// Takes a fix for which `isConfirmedInside` is true.
    @inline(__always)
    mutating func stayInside(signedDistance: Double, _ fix: ClearFix) {
        odds = Float(PresenceRule.limit)
        forgetOtherSide()
        lastDistance = StoredDistance(max(signedDistance, -fix.searchRadius), searchRadius: fix.searchRadius)
    }

    /// Takes what the fix after an untrusted one shows, before it is handled itself.
    ///
    /// - Parameters:
    ///   - isConfirmed: whether the untrusted fix was right.
    ///   - untrusted: the time of the untrusted fix.
    ///   - location: the fix that shows it.
    /// - Returns: the change of state that the untrusted fix decides, if any.
    public mutating func untrustedFixEnds(
        isConfirmed: Bool, untrusted: Timestamp, _ location: Location
    ) -> PresenceChange? {
        guard deferred != 0 else { return nil }
        let added = Float(deferred) * PresenceRule.deferredUnit
        deferred = 0
        guard isConfirmed else { return nil }
        let limit = Float(PresenceRule.limit)
        odds = min(max(odds + added, -limit), limit)
        guard let nowInside = decided(Double(odds)) else { return nil }
        let why = Why(
            rule: .fixesAgree, probability: 1 / (1 + exp(-Double(odds))),
            pendingFixes: [min(otherSide, untrusted)])
        return change(
            to: nowInside, detectedAt: location.timestamp, confidence: PresenceRule.confirmedConfidence, why)
    }

    /// Takes the passing of time.
    public mutating func deadlineReached(_ now: Timestamp) -> PresenceChange? {
        guard let deadline, deadline <= now, let wasInside = isInside else { return nil }
        odds = Float(wasInside ? -PresenceRule.limit : PresenceRule.limit)
        return change(
            to: !wasInside, detectedAt: now, confidence: PresenceRule.silenceConfidence,
            Why(rule: .noFurtherFix, pendingFixes: [otherSide]))
    }

    /// The state that these log-odds decide; `nil` if they change nothing.
    private func decided(_ odds: Double) -> Bool? {
        switch isInside {
        case nil: abs(odds) >= PresenceRule.first ? odds > 0 : nil
        case false?: odds > PresenceRule.enter ? true : nil
        case true?: odds < -PresenceRule.exit ? false : nil
        }
    }

    private mutating func beginOtherSide(_ location: Location, distance: Double, _ evidence: FixEvidence) {
        otherSide = location.timestamp
        gap = Float(evidence.interval)
        // The device is assumed to have gone straight and with one speed.
        let step = evidence.averageSpeed * evidence.interval
        let next = abs(distance) < evidence.searchRadius ? abs(distance) : nil
        let share: Double =
            switch (lastDistance.meters, next) {
            case (let last?, let next?): last / max(last + next, 1e-3)
            case (let last?, nil): last / max(step, last, 1e-3)
            case (nil, let next?): 1 - next / max(step, next, 1e-3)
            case (nil, nil): PresenceRule.shareOfWay(step, isExit: isInside == true, evidence)
            }
        let stoodBefore = isInside == true || evidence.leavesRegion
        let shareOfGap = PresenceRule.shareOfGap(share, stoodBefore: stoodBefore, step: step, evidence)
        gapShare = UInt16(clamped: (65_535 * shareOfGap).rounded())
    }

    private mutating func deferEvidence(
        _ distance: Double, _ width: Double, _ evidence: FixEvidence, isClear: Bool, added: Double
    ) {
        guard isInside != nil, !evidence.isNetwork else { return }
        var trusted = evidence
        trusted.outlierProbability = evidence.usualOutlierProbability
        let full = PresenceRule.logOdds(of: distance, width: width, trusted)
        // A clear fix decides alone, once it is trusted after all.
        let missing = isClear ? (full > 0 ? 2 : -2) * PresenceRule.limit : evidence.weight * (full - added)
        deferred = max(Int8(clamped: missing / Double(PresenceRule.deferredUnit)), -127)
    }

    private mutating func awaitSilence(after time: Timestamp, _ evidence: FixEvidence) {
        let seconds = Double(time.milliseconds - otherSide.milliseconds) / 1000 + evidence.silence
        silenceMinutes = UInt16(clamped: (seconds / 60).rounded(.up))
    }

    private mutating func change(
        to nowInside: Bool, detectedAt: Timestamp, confidence: Double, _ why: Why
    ) -> PresenceChange {
        let wasInside = isInside
        var change = PresenceChange(
            isInside: nowInside, isInitial: wasInside == nil, timestamp: min(otherSide, detectedAt),
            detectedAt: detectedAt, confidence: confidence, why: why)
        if wasInside != nil, Double(gap) > PresenceRule.boundsSpan {
            let milliseconds = max(Int64(clamped: Double(gap) * 1000), 0)
            (change.earliest, change.latest) = (change.timestamp.after(-milliseconds), change.timestamp)
            change.timestamp = change.timestamp.after(
                -milliseconds + min(Int64(clamped: Double(milliseconds) * Double(gapShare) / 65_535), milliseconds))
        }
        isInside = nowInside
        (deferred, lastDistance) = (0, .beyond)
        forgetOtherSide()
        return change
    }

    private mutating func forgetOtherSide() {
        (otherSide, gap, gapShare, silenceMinutes) = (.distantFuture, 0, .max, 0)
    }

    /// A distance from a boundary in two bytes: in 64ths of a metre, or beyond the search radius.
    private struct StoredDistance: Hashable, Sendable {
        private var code: UInt16

        static let beyond = StoredDistance(code: .max)

        init(code: UInt16) { self.code = code }

        /// - Parameters:
        ///   - distance: metres, of either sign.
        ///   - radius: metres, at most 800.
        init(_ distance: Double, searchRadius radius: Double) {
            code = abs(distance) < radius ? UInt16(clamped: min(abs(distance) * 64, 65_534)) : .max
        }

        /// `nil` if the distance was beyond the search radius.
        var meters: Double? { code == .max ? nil : Double(code) / 64 }
        var stored: UInt16 { code }
    }
}

/// The part of `FixEvidence` that a fix needs which decides alone where it is clear of a boundary.
struct ClearFix {
    /// Metres from a boundary beyond which the fix is clear.
    let clearDistance: Double
    /// Metres around the fix within which distances to boundaries matter.
    let searchRadius: Double

    /// `accuracy` and `searchRadius` are those of `FixEvidence`, in metres.
    init(accuracy: Double, searchRadius: Double) {
        clearDistance = PresenceRule.clearDepth * max(accuracy, PresenceRule.leastAccuracy)
        self.searchRadius = searchRadius
    }
}

extension FixEvidence {
    /// Whether a fix that is clearly on one side of a boundary decides alone, whatever its weight.
    fileprivate var mayDecideAlone: Bool {
        !isNetwork && outlierProbability < PresenceRule.clearOutlierProbability
    }
}

// The keys are part of stored states and must not change.
extension ConfirmedPresence: Codable {
    private enum CodingKeys: String, CodingKey {
        case isInside, odds, otherSide, deferred, gap, silenceMinutes, lastDistance
        case gapShare = "crossedAt"
        case earlierGapShare = "gapShare"
    }

    /// Reads a stored state; members that earlier versions did not store have their initial values.
    ///
    /// - Throws: `DecodingError` if a member has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isInside = try container.decodeIfPresent(Bool.self, forKey: .isInside)
        odds = try container.decode(Float.self, forKey: .odds)
        otherSide = try container.decodeIfPresent(Timestamp.self, forKey: .otherSide) ?? .distantFuture
        // States of version 0.2 have none of these.
        deferred = try container.decodeIfPresent(Int8.self, forKey: .deferred) ?? 0
        lastDistance = StoredDistance(code: try container.decodeIfPresent(UInt16.self, forKey: .lastDistance) ?? .max)
        gap = try container.decodeIfPresent(Float.self, forKey: .gap) ?? 0
        let earlierShare = try container.decodeIfPresent(UInt8.self, forKey: .earlierGapShare) ?? 255
        gapShare = try container.decodeIfPresent(UInt16.self, forKey: .gapShare) ?? UInt16(earlierShare) * 257
        silenceMinutes = try container.decodeIfPresent(UInt16.self, forKey: .silenceMinutes) ?? 0
    }

    /// Writes the state under the keys that stored devices have.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(isInside, forKey: .isInside)
        try container.encode(odds, forKey: .odds)
        if deferred != 0 { try container.encode(deferred, forKey: .deferred) }
        if lastDistance != .beyond { try container.encode(lastDistance.stored, forKey: .lastDistance) }
        guard otherSide != .distantFuture else { return }
        try container.encode(otherSide, forKey: .otherSide)
        try container.encode(gap, forKey: .gap)
        // A share that an earlier version stored is kept as it was.
        if gapShare.isMultiple(of: 257) {
            try container.encode(UInt8(clamped: Double(gapShare / 257)), forKey: .earlierGapShare)
        } else {
            try container.encode(gapShare, forKey: .gapShare)
        }
        if silenceMinutes != 0 { try container.encode(silenceMinutes, forKey: .silenceMinutes) }
    }
}

/// The parameters of confirmed presence: log-odds, probabilities and rates per second.
///
/// `docs/quality.md` says how they were fitted.
enum PresenceRule {
    /// The log-odds stay within plus and minus this.
    static let limit = 2.28
    /// A device outside enters above this, and a device inside exits below minus `exit`.
    static let enter = 1.67
    static let exit = 2.23
    /// The first fixes of a device or a region decide beyond plus or minus this.
    static let first = 2.2
    /// A fix that is so many accuracies beyond a boundary, and an outlier with less than this probability, decides alone.
    static let clearDepth = 2.1
    static let clearOutlierProbability = 0.012
    /// If the fixes around a crossing lie farther apart, in seconds, it is reported with bounds.
    static let boundsSpan = 60.0
    /// How deep in a region a fix is from which its boundary is not seen, in search radii.
    static let usualDepth = 2.0
    /// The share of true ones among the changes that the fix after an untrusted one confirms, and among those that a
    /// silence decides, in the benchmarks of `docs/quality.md`.
    static let confirmedConfidence = 0.95
    static let silenceConfidence = 0.9
    /// The unit of stored log-odds of an untrusted fix.
    static let deferredUnit: Float = 0.04
    /// A device outside is untracked below minus this.
    static let untracked = 1.5
    /// The decay rate of the log-odds of a moving device, per second. Those of a stationary device do not decay.
    static let movingDecay = 0.0116
    /// Seconds in which any fix outside leaves a device untracked that was certainly outside before. Such a fix adds
    /// nothing for inside, and the log-odds decay at the rate of a moving device to at most
    /// -2.28 exp(-0.0116 · 36) = -1.502, which is still below -`untracked`.
    static let untrackedSpan = 36.0
    static let untrackedMilliseconds = Int64(1000 * untrackedSpan)
    /// A lower bound of the accuracy that is used, in metres.
    static let leastAccuracy = 3.0
    /// In a region so small that the log-odds at its centre are below `smallOdds`, this share of the difference is added.
    static let smallOdds = 2.7
    static let smallShare = 0.71
    /// A device at rest inside a small region is at a place that people stop at: so many log-odds are added at this depth in
    /// metres, up to the first width, and none from the second.
    static let restOdds = 3.0
    static let restDepth = 5.0
    static let restWidths = (full: 60.0, none: 120.0)
    /// The log-odds against being inside of a fix that shows absence; several are needed.
    static let absenceOdds = 1.0
    /// In deviations: the width from which such a share is 0, and a distance of the far side that adds less than 1e-17.
    static let wideRegion = 3.8
    static let farSide = 8.5
    /// The radius that contains 68 % of a normal distribution in the plane, in standard deviations per axis.
    static let radiusOfAccuracy = 1.515

    /// At which share of a way the boundary is, if it is beyond the search radius of both ends: regions are small, so it is
    /// near the end that is inside.
    static func shareOfWay(_ step: Double, isExit: Bool, _ evidence: FixEvidence) -> Double {
        let share = min(0.5, usualDepth * evidence.searchRadius / max(step, 1e-3))
        return isExit ? share : 1 - share
    }

    /// When in a gap between two fixes the boundary was crossed, as a share of the gap.
    ///
    /// A device that stands may fall silent, and one that moves sends as usual. So what the way leaves of the gap was spent where
    /// the device stood, but for half of the usual interval: within one, both ends are equally probable. It stood in the
    /// region that it leaves, if there is one, and else in the region that it enters. All regions have the same way, so who
    /// goes from one to the other is never in both.
    ///
    /// - Parameters:
    ///   - share: the share of the way at which the boundary is.
    ///   - stoodBefore: whether the device stood at the beginning of the gap, and not at its end.
    ///   - step: the way in metres.
    ///   - evidence: that of the fix after the gap.
    /// - Returns: 0 at the fix before the gap, 1 at the one after it.
    static func shareOfGap(_ share: Double, stoodBefore: Bool, step: Double, _ evidence: FixEvidence) -> Double {
        let (gap, travel) = (evidence.interval, WayInSilence.seconds(over: step))
        guard gap > travel else { return share }
        let uncertain = min(gap - travel, evidence.usualInterval) / 2
        return ((stoodBefore ? gap - travel - uncertain : uncertain) + share * travel) / gap
    }

    /// The log-odds of being inside, given one fix. The region is approximated by a strip of its largest width.
    ///
    /// `distance` is in metres to the boundary, negative inside; `width` is `Proximity.width`.
    static func logOdds(of distance: Double, width: Double, _ evidence: FixEvidence) -> Double {
        let deviation = max(evidence.accuracy, leastAccuracy) / radiusOfAccuracy
        let width = max(width, -2 * distance)
        var inside = upperTail(distance / deviation)
        // The other side of a wide region adds less than a rounding error.
        if distance > 0 || distance + width < farSide * deviation {
            inside -= upperTail((distance + width) / deviation)
        }
        if distance < 0, width >= wideRegion * deviation {
            // What small regions get in addition is 0.
            inside = min(max(inside, 1e-6), 1 - 1e-6)
        } else if distance < 0 {
            // The prior probability of being inside a small region is higher than its area suggests: it marks a place
            // that people go to.
            let center = min(max(1 - 2 * upperTail(width / 2 / deviation), 0.01), 0.99)
            let lift = smallShare * max(0, smallOdds - log(center / (1 - center)))
            let clamped = min(max(inside, 1e-6), 1 - 1e-6)
            inside = 1 / (1 + exp(-log(clamped / (1 - clamped)) - lift))
        }
        if distance < 0, width < restWidths.none {
            // Who passes by is in motion.
            let smallness = min((restWidths.none - width) / (restWidths.none - restWidths.full), 1)
            let lift = restOdds * smallness * (1 - evidence.motionProbability) * min(-distance / restDepth, 1)
            let clamped = min(max(inside, 1e-6), 1 - 1e-6)
            inside = 1 / (1 + exp(-log(clamped / (1 - clamped)) - lift))
        }
        let probability = (1 - evidence.outlierProbability) * inside + evidence.outlierProbability / 2
        return log(min(max(probability, 1e-6), 1 - 1e-6) / (1 - min(max(probability, 1e-6), 1 - 1e-6)))
    }

    /// The probability that an event decided by such a fix is true.
    ///
    /// A logistic regression over the events of the benchmarks in `docs/quality.md`, of phones and of plain devices
    /// with equal weight. `accuracy` is the corrected one, in metres.
    static func confidence(odds: Double, accuracy: Double, _ kind: FixKind) -> Double {
        let penalty =
            switch kind {
            case .satellite: 0.0
            case .stationary: 0.67
            case .plain: 0.84
            case .network: 1.28
            }
        let sum = 2.6 + 0.43 * min(abs(odds), 6) - 0.55 * log(max(accuracy, 4) / 20) - penalty
        return 1 / (1 + exp(-sum))
    }

    /// The probability that a standard normal variable exceeds the value.
    private static func upperTail(_ value: Double) -> Double { erfc(value / 2.0.squareRoot()) / 2 }
}
