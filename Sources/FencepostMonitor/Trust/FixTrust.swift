import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a judge knows of a device beside its last fix: how far its fixes are to be believed.
struct FixTrust: Hashable, Sendable {
    /// Chance that the last fix was a cell tower's.
    var wild = 0.0
    /// Metres per second, as last known.
    var speed = 0.0
    /// The weight of the last fix, 0 or more; below 0 the exponent that it follows from.
    ///
    /// Few fixes ask for the weight of the one before, so it is mostly not worth its exponential.
    private var weightOrExponent = 1.0
    /// How much larger the errors of this device are than it says, squared; 1 is as it says.
    var blur = 1.0
    /// The last fix that was more likely right than wrong, where it is not the last of all.
    var trustedBefore = Boxed<FixMark>()
    /// The last spots, to know one that comes again to the last digit.
    var spots = FixSpots()
    var doubts = DoubtCounts()
    /// Whether a speed was ever told, or told to be unknown. From a device that does neither its absence says nothing.
    var tellsSpeed = false
    /// Whether a fix was judged.
    var hasBegun = false

    init() {}

    /// What is to be said of one fix, before it is reckoned out.
    struct Judgement {
        /// Metres, as the fix says.
        fileprivate var accuracy: Double
        fileprivate var outlier = FixRule.outlierAtFirst
        /// Seconds since the fix before; 0 for a first one.
        fileprivate(set) var interval = 0.0
        /// Metres; infinite for a first fix.
        fileprivate var moved = Double.infinity
        fileprivate var weight = 1.0
        fileprivate var blur = 1.0
        fileprivate var doubt: FixEvidence.Doubt?

        /// Takes some exponentials: to be asked for only where a region is near.
        var evidence: FixEvidence {
            FixEvidence(
                accuracy: interval == 0 ? accuracy : accuracy * pow(max(blur, 0.5), FixRule.blurPower),
                outlier: outlier, weight: FixTrust.settled(weight), interval: interval,
                motion: 1 - exp(-moved / FixRule.motionScale), reach: FixJudge.reach(accuracy: accuracy, blur: blur),
                doubt: doubt)
        }
    }

    var weight: Double {
        get { FixTrust.settled(weightOrExponent) }
        set { weightOrExponent = newValue }
    }

    private static func settled(_ weight: Double) -> Double {
        weight < 0 ? max(1 - exp(weight), FixRule.leastWeight) : weight
    }

    /// Takes the next fix, in time order.
    ///
    /// - Parameter last: the one before; `nil`, or not looked at, where none was judged.
    mutating func judge(_ location: Location, after last: FixMark?) -> Judgement {
        var fix = FixMark(location)
        let spot = fix.spot
        tellsSpeed = tellsSpeed || location.speed != nil || location.isSpeedUnknown
        var judgement = Judgement(accuracy: fix.accuracy)
        guard hasBegun, let before = last else {
            hasBegun = true
            speed = fix.speed
            wild = judgement.outlier
            spots.remember(spot)
            return judgement
        }
        let interval = max(fix.seconds(since: before), 0.5)
        let plane = LocalPlane(origin: fix.coordinate)
        let step = plane.distance(to: before.coordinate)
        if !tellsSpeed { fix.speed = likelySpeed(of: location, fix, step: step, since: before, interval) }
        let memory = fadedSpeed(after: interval, beside: fix.speed)
        let pace = max(memory, fix.speed)
        // A satellite fix at an earlier spot, and not at the last one, has come back there.
        let isRepeated = spots.contains(spot) && (!fix.isSatellite || step == 0)

        let steps = FixSteps(fix, pace: pace, speed: speed)
        let anchor = trustedBefore.value ?? before
        let fromLast = steps.likelihoods(since: before, distance: step)
        // Mostly the last fix was good.
        let fromAnchor =
            trustedBefore.isEmpty
            ? fromLast : steps.likelihoods(since: anchor, distance: plane.distance(to: anchor.coordinate))
        let persistence = fix.isSatellite ? 0 : exp(-interval / FixRule.burst)
        let prior = steps.towerPrior
        let again = fix.isSatellite ? 0 : FixSteps.density(step, scale: FixRule.towerSpread) * persistence
        let tower =
            wild * (again + (1 - persistence) * prior * FixRule.towerDensity)
            + (1 - wild) * prior * FixRule.towerDensity
        let reflection = steps.reflectionPrior * fromAnchor.reflection
        let good =
            (1 - prior) * (1 - steps.reflectionPrior)
            * ((1 - wild) * fromLast.good + wild * (1 - persistence / 2) * fromAnchor.good)
        let all = tower + reflection + good + 1e-30
        judgement.outlier = min(max((tower + reflection) / all, prior / 2), 0.99)

        var moved = isRepeated ? min(pace * interval, step) : pace * interval
        if !fix.isSatellite, !isRepeated {
            moved +=
                steps.moveShare(since: before, distance: step) * min(step, FixRule.fastestStep * interval)
        }
        judgement.interval = interval
        judgement.moved = moved
        judgement.blur = blur
        judgement.weight = weight(interval: interval, moved: moved, isRepeated: isRepeated, isSame: step == 0)
        judgement.doubt = doubt(of: fix, judgement, isRepeated: isRepeated)

        learn(fix, step: step, after: before, pace: pace, judgement, isRepeated: isRepeated)
        weightOrExponent = judgement.weight
        wild = tower / all
        if judgement.outlier < 0.5 {
            if !trustedBefore.isEmpty { trustedBefore.clear() }
            let seen = max(0, step - fix.accuracy - before.accuracy) / max(interval, FixRule.speedBaseline)
            speed = fix.isSatellite ? fix.speed : max(memory, seen)
        } else if trustedBefore.isEmpty {
            trustedBefore.set(anchor)
        }
        spots.remember(spot)
        doubts.count(judgement.doubt)
        return judgement
    }

    /// What is left of the speed that was known last: it fades; a device that brakes has still come so far.
    ///
    /// - Returns: 0 where it is surely no more than `faster`.
    private func fadedSpeed(after interval: Double, beside faster: Double) -> Double {
        let share = interval / FixRule.speedMemory
        // exp(-x) is at most 1 / (1 + x).
        return speed <= faster * (1 + share) ? 0 : speed * exp(-share)
    }

    /// The speed that a fix of a device without speeds would have told; 0 where it looks like a network fix.
    ///
    /// Trackers and recordings often leave the speed out. Their good fixes are told by their accuracy, and by a step that
    /// a device at rest or under way could have made; a larger one is a leap until the next fix agrees with it.
    private func likelySpeed(
        of location: Location, _ fix: FixMark, step: Double, since before: FixMark, _ interval: Double
    ) -> Double {
        guard location.horizontalAccuracy.map({ $0 <= FixRule.clearAccuracy }) ?? true else { return 0 }
        let pace = max(0, step - fix.accuracy - before.accuracy) / interval
        guard pace <= max(FixRule.plainPace, 2 * speed) else { return 0 }
        return max(pace, FixRule.leastPace)
    }

    private func weight(interval: Double, moved: Double, isRepeated: Bool, isSame: Bool) -> Double {
        let exponent = -interval / FixRule.driftSpan - moved / FixRule.driftWay
        guard isRepeated else { return exponent }
        // Back at a known spot is worth as much as the way off was, and the same again hardly anything.
        let again = FixRule.repeatShare * (1 - exp(exponent))
        return isSame ? again : max(again, min(weight, FixRule.returnWeight))
    }

    private func doubt(of fix: FixMark, _ judgement: Judgement, isRepeated: Bool) -> FixEvidence.Doubt? {
        if judgement.outlier >= 0.5 { return .leap }
        if fix.accuracy > FixRule.coarseAccuracy { return .coarse }
        return isRepeated ? .repeated : nil
    }

    /// Compares the step with what the accuracies lead one to expect.
    private mutating func learn(
        _ fix: FixMark, step: Double, after before: FixMark, pace: Double, _ judgement: Judgement, isRepeated: Bool
    ) {
        guard !isRepeated, judgement.outlier < 0.4, judgement.interval < 150,
            fix.isSatellite || pace < FixRule.restingSpeed
        else { return }
        // Of a satellite step only the part along the way is known to be error: about half of it.
        let residual = fix.isSatellite ? abs(step - pace * judgement.interval) * 1.4 : step
        let accuracies = fix.accuracy * fix.accuracy + before.accuracy * before.accuracy
        // Two independent errors of 68 % within their radii lie 0.87 of this apart, in squares.
        let ratio = min(residual * residual / (0.87 * (accuracies + 50)), 9)
        blur += (ratio - blur) * FixRule.blurRate
    }
}
