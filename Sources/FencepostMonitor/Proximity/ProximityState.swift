package import FencepostModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is known of a pair of devices after all their fixes up to a time.
///
/// It is a function of both tracks, taken in order of time: at each fix the positions of both are compared at the time of that fix,
/// and at the fixes of the other device since the one before, whose positions can be interpolated now. What happened longer ago
/// than `memory` counts by the phase alone, so an evaluation can begin anywhere where the phase is known.
package struct ProximityState: Hashable, Sendable {
    /// What came longer ago decides nothing but the phase.
    package static let memory = Duration.seconds(1500)
    /// Two comparisons agree if they are at most this far apart in time.
    private static let agreement = Duration.seconds(900)
    /// The least probability of a comparison that speaks for a change.
    private static let leastProbability = 0.6
    /// The sum of the log odds of two comparisons from which on they decide.
    private static let threshold = 2.0
    /// The same for the end of being near: an episode that is cut in two would be reported twice.
    private static let exitThreshold = 6.0
    /// No comparison is more certain than this, since a phone may err more than it says.
    private static let greatestProbability = 0.98
    /// How long before the decision a change may have begun.
    private static let onset = Duration.seconds(600)
    /// For how long before an exit the movement of both is compared.
    private static let movement = Duration.seconds(600)

    /// A comparison that speaks for a change of the phase.
    private struct Support: Hashable {
        var time: Timestamp
        var logOdds: Double
        /// The times of those before it that spoke for the same without one against it, as far as `onset` back.
        var earlier: [Timestamp]
    }

    /// Whether they are near each other.
    package var phase = ProximityPhase.separate(since: nil)
    private var support: Support?

    /// The state of a pair of which nothing is known.
    package init() {}

    /// A state of which the phase alone is known.
    package init(_ phase: ProximityPhase) { self.phase = phase }

    /// Whether nothing is known but that they are apart.
    package var isTrivial: Bool { support == nil && !phase.isNear }

    /// Sets the phase, as it is known from elsewhere.
    package mutating func set(_ phase: ProximityPhase) {
        guard self.phase != phase else { return }
        (self.phase, support) = (phase, nil)
    }

    /// Takes all fixes of one time.
    ///
    /// - Parameters:
    ///   - time: the time, at which at least one device has a fix.
    ///   - first: the track of the device that events are about.
    ///   - second: that of the other one.
    ///   - rule: what is watched.
    ///   - report: gets what happened.
    package mutating func take(
        _ time: Timestamp, _ first: ProximityTrack, _ second: ProximityTrack, _ rule: ProximityRule,
        report: (ProximityTransition) -> Void
    ) {
        let counts = (first.count(through: time), second.count(through: time))
        guard counts.0 > 0, counts.1 > 0 else { return }
        let step = Step(time: time, first: first, second: second, counts: counts, rule: rule)
        let isFirst = first.fixes[counts.0 - 1].timestamp == time
        let isSecond = second.fixes[counts.1 - 1].timestamp == time
        if isFirst, counts.0 > 1 { interpolate(second, counts.1, after: first.fixes[counts.0 - 2], step, report) }
        if isSecond, counts.1 > 1 { interpolate(first, counts.0, after: second.fixes[counts.1 - 2], step, report) }
        compare(at: time, step, report)
    }

    /// Compares at the fixes of a device since the last but one fix of the other device.
    private mutating func interpolate(
        _ track: ProximityTrack, _ count: Int, after former: ProximityFix, _ step: Step,
        _ report: (ProximityTransition) -> Void
    ) {
        guard step.time - former.timestamp <= ProximityEstimate.longestGap else { return }
        var start = count
        // So many that each counts for some seconds of the longest gap.
        while start > 0, count - start < 128, track.fixes[start - 1].timestamp > former.timestamp { start -= 1 }
        for index in start..<count where track.fixes[index].timestamp < step.time {
            compare(at: track.fixes[index].timestamp, step, report)
        }
    }

    private mutating func compare(at time: Timestamp, _ step: Step, _ report: (ProximityTransition) -> Void) {
        guard step.rule.hours?.isOpen(at: time) ?? true else {
            if case .near = phase { end(at: time, step, nil, nil, report) }
            support = nil
            return
        }
        guard let first = ProximityEstimate(step.first, at: time, through: step.counts.0),
            let second = ProximityEstimate(step.second, at: time, through: step.counts.1)
        else { return }
        let comparison = ProximityComparison(first, second)
        // An evaluation that begins later does not know it.
        if let former = support, !(time - former.time).isWithin(Self.agreement) { support = nil }
        switch phase {
        case .separate(let since):
            guard let sum = sum(comparison.probability(within: step.rule.distance), at: time) else { return }
            var start = sum.start
            if let since, start <= since { start = since.after(1) }
            report(step.transition(.entered, at: start, since: start, comparison, sum))
            (phase, support) = (.near(since: start, hasDwelled: false), nil)
        case .near(let since, let hasDwelled):
            if !hasDwelled { dwell(since, time, comparison, step, report) }
            let limit = step.rule.distance + step.rule.hysteresis
            guard let sum = sum(1 - comparison.probability(within: limit), at: time) else { return }
            end(at: max(sum.start, since.after(1)), step, comparison, sum, report)
        }
    }

    private mutating func dwell(
        _ since: Timestamp, _ time: Timestamp, _ comparison: ProximityComparison, _ step: Step,
        _ report: (ProximityTransition) -> Void
    ) {
        guard let dwell = step.rule.dwell, time >= since + dwell, support.map({ $0.time > since + dwell }) ?? true
        else { return }
        report(step.transition(.dwelled(dwell), at: since + dwell, since: since, comparison, nil))
        phase = .near(since: since, hasDwelled: true)
    }

    /// Ends being near; without a comparison because the hours of the rule ended.
    private mutating func end(
        at time: Timestamp, _ step: Step, _ comparison: ProximityComparison?, _ sum: Sum?,
        _ report: (ProximityTransition) -> Void
    ) {
        report(step.transition(.exited(isClosed: comparison == nil), at: time, since: nil, comparison, sum))
        if step.rule.reportsUnaccompanied, let comparison {
            let start = step.time - Self.movement
            let (first, second) = (
                step.first.movement(since: start, step.counts.0), step.second.movement(since: start, step.counts.1)
            )
            if first.isAway(step.rule, second) {
                report(step.transition(.unaccompanied(isFirst: true), at: time, since: nil, comparison, sum))
            } else if step.rule.isAmongThemselves, second.isAway(step.rule, first) {
                report(step.transition(.unaccompanied(isFirst: false), at: time, since: nil, comparison, sum))
            }
        }
        (phase, support) = (.separate(since: time), nil)
    }

    /// What two comparisons that agree amount to.
    fileprivate struct Sum {
        /// The comparison before.
        var pending: Timestamp
        /// The first one that spoke for it.
        var start: Timestamp
        var confidence: Double
    }

    /// Adds a comparison to the one before that spoke for the same; `nil` if they do not decide.
    private mutating func sum(_ probability: Double, at time: Timestamp) -> Sum? {
        guard probability >= Self.leastProbability else {
            if probability < 1 - Self.leastProbability { support = nil }
            return nil
        }
        let certain = min(probability, Self.greatestProbability)
        let logOdds = log(certain / (1 - certain))
        let former = support
        let earlier = former.map { ($0.earlier + [$0.time]).filter { (time - $0).isWithin(Self.onset) } } ?? []
        support = Support(time: time, logOdds: logOdds, earlier: earlier)
        guard let former, former.time != time, (time - former.time).isWithin(Self.agreement) else { return nil }
        let both = logOdds + former.logOdds
        guard both >= (phase.isNear ? Self.exitThreshold : Self.threshold) else { return nil }
        return Sum(
            pending: former.time, start: min(earlier.min() ?? time, former.time, time),
            confidence: 1 / (1 + exp(-both)))
    }

    /// The fixes of one time.
    fileprivate struct Step {
        var time: Timestamp
        var first, second: ProximityTrack
        /// How many fixes of each track are known.
        var counts: (Int, Int)
        var rule: ProximityRule

        func transition(
            _ kind: ProximityTransition.Kind, at timestamp: Timestamp, since: Timestamp?,
            _ comparison: ProximityComparison?, _ sum: Sum?
        ) -> ProximityTransition {
            var isFirst = true
            if case .unaccompanied(false) = kind { isFirst = false }
            let why: Why.Rule
            switch kind {
            case .dwelled: why = .dwellDeadline
            case .exited(isClosed: true): why = .scheduleClosed
            case .entered, .exited, .unaccompanied:
                why = comparison?.isHeld ?? false ? .positionHeld : .positionsAgree
            }
            return ProximityTransition(
                kind, timestamp: timestamp, detectedAt: time, since: since,
                distance: ((comparison?.distance ?? 0) * 10).rounded() / 10,
                uncertainty: ((comparison?.uncertainty ?? 0) * 10).rounded() / 10, confidence: sum?.confidence,
                rule: why, pending: sum?.pending,
                fix: isFirst ? first.fixes[counts.0 - 1] : second.fixes[counts.1 - 1])
        }
    }
}

/// Two positions at one time.
private struct ProximityComparison {
    var distance, uncertainty: Double
    /// Whether a position is held.
    var isHeld: Bool

    init(_ first: ProximityEstimate, _ second: ProximityEstimate) {
        distance = proximityDistance(first.coordinate, second.coordinate)
        uncertainty = (first.accuracy * first.accuracy + second.accuracy * second.accuracy).squareRoot()
        isHeld = first.isHeld || second.isHeld
    }

    /// The probability that the true distance is at most a limit.
    ///
    /// The true distance has a Rice distribution about the measured one, here by the normal one with the same second moment. A
    /// radius of 68 % confidence is 1.515 standard deviations of an axis.
    func probability(within limit: Double) -> Double {
        let deviation = uncertainty / 1.515
        let mean = (distance * distance + deviation * deviation).squareRoot()
        return erfc((mean - limit) / deviation / 2.0.squareRoot()) / 2
    }
}

/// How far a device has moved.
private struct ProximityMovement {
    var distance, accuracy: Double

    /// Whether this device has moved away from one that has stayed.
    func isAway(_ rule: ProximityRule, _ other: ProximityMovement) -> Bool {
        distance >= rule.distance / 2 + accuracy && other.distance <= max(rule.distance / 4, other.accuracy)
            && other.distance <= distance / 3
    }
}

extension ProximityTrack {
    /// The number of fixes up to a time.
    package func count(through time: Timestamp) -> Int {
        lastTime <= time ? fixes.count : firstIndex(from: time.after(1))
    }

    /// From the last fix at or before a time, or the first one after it, to the last one of a number of fixes.
    fileprivate func movement(since time: Timestamp, _ count: Int) -> ProximityMovement {
        let start = fixes[max(0, min(self.count(through: time) - 1, count - 1))]
        let end = fixes[count - 1]
        return ProximityMovement(
            distance: proximityDistance(start.coordinate, end.coordinate),
            accuracy: (start.accuracy * start.accuracy + end.accuracy * end.accuracy).squareRoot())
    }
}

extension Duration {
    fileprivate func isWithin(_ span: Duration) -> Bool { milliseconds.magnitude <= UInt64(span.milliseconds) }
}
