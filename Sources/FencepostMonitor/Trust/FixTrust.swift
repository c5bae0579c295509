import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The state of `TrustEvaluator` for one device, without the last fix.
struct FixTrust: Hashable, Sendable {
    /// The weight of a fix: how independent its error is of the errors before, 0 to 1.
    ///
    /// Few fixes need the weight of the one before, so its exponential is mostly not computed.
    enum Weight: Hashable, Sendable {
        case resolved(Double)
        /// The weight is 1 - exp(exponent), at least `FixRule.leastWeight`. The exponent is below 0.
        case exponent(Double)

        /// - Parameter number: as in a stored state. States hold resolved weights only.
        init(stored number: Double) { self = number < 0 ? .exponent(number) : .resolved(number) }

        var value: Double {
            switch self {
            case .resolved(let weight): weight
            case .exponent(let exponent): max(1 - exp(exponent), FixRule.leastWeight)
            }
        }
    }

    // The order leaves no gaps: 80 bytes.
    /// Probability that the last fix was the position of a cell tower.
    var towerProbability = 0.0
    /// The last known speed, in metres per second.
    var speed = 0.0
    /// The variance of this device's errors relative to what it states; 1 if its accuracies are right.
    var errorVarianceRatio = 1.0
    /// The last fix that was probably right; empty if that is the last fix of all.
    var earlierTrusted = Boxed<FixSummary>()
    /// The weight of the last fix.
    var lastWeight = Weight.resolved(1)
    /// Whether any fix had a speed, or stated that it is unknown. If none did, a missing speed indicates nothing.
    var hasSpeeds = false
    /// Whether a fix was evaluated.
    var hasBegun = false
    /// The last positions, to recognise one that repeats to the last digit.
    var positions = PositionFingerprints()
    var flagCounts = FlagCounts()

    init() {}

    /// The result for one fix. `evidence` completes it.
    struct Assessment {
        /// Metres, as the fix states it.
        fileprivate var accuracy: Double
        fileprivate var outlierProbability = FixRule.firstFixOutlier
        /// Seconds since the fix before; 0 for the first one.
        fileprivate(set) var interval = 0.0
        /// The estimated distance moved, in metres; infinite for the first fix.
        fileprivate var moved = Double.infinity
        fileprivate var weight = Weight.resolved(1)
        fileprivate var errorVarianceRatio = 1.0
        fileprivate var flag: FixEvidence.Flag?

        /// The evidence of the fix. Computes exponentials, so it is needed only if a region is near.
        var evidence: FixEvidence {
            FixEvidence(
                accuracy: interval == 0
                    ? accuracy : accuracy * pow(max(errorVarianceRatio, 0.5), FixRule.accuracyExponent),
                outlierProbability: outlierProbability, weight: weight.value, interval: interval,
                motionProbability: 1 - exp(-moved / FixRule.motionScale),
                searchRadius: TrustEvaluator.searchRadius(accuracy: accuracy, errorVarianceRatio: errorVarianceRatio),
                flag: flag)
        }
    }

    /// Takes the next fix, in time order.
    ///
    /// - Parameter last: the fix before; ignored, and may be `nil`, for the first one.
    mutating func evaluate(_ location: Location, after last: FixSummary?) -> Assessment {
        var fix = FixSummary(location)
        let fingerprint = fix.positionFingerprint
        hasSpeeds = hasSpeeds || location.speed != nil
        var assessment = Assessment(accuracy: fix.accuracy)
        guard hasBegun, let before = last else {
            hasBegun = true
            speed = fix.speed
            towerProbability = assessment.outlierProbability
            positions.insert(fingerprint)
            return assessment
        }
        let interval = max(fix.seconds(since: before), 0.5)
        let plane = LocalPlane(origin: fix.coordinate)
        let step = plane.distance(to: before.coordinate)
        if !hasSpeeds { fix.speed = estimatedSpeed(of: location, fix, step: step, since: before, interval) }
        let memory = decayedSpeed(after: interval, unlessBelow: fix.speed)
        let pace = max(memory, fix.speed)
        // A satellite fix at an earlier position that is not the last one has returned there.
        let isRepeated = positions.contains(fingerprint) && (!fix.isSatellite || step == 0)

        let model = StepModel(fix, pace: pace, speed: speed)
        let trusted = earlierTrusted.value ?? before
        let fromLast = model.likelihoods(since: before, distance: step)
        // In most cases the last fix is the trusted one.
        let fromTrusted =
            earlierTrusted.isEmpty
            ? fromLast : model.likelihoods(since: trusted, distance: plane.distance(to: trusted.coordinate))
        let persistence = fix.isSatellite ? 0 : exp(-interval / FixRule.burst)
        let prior = model.towerPrior
        let sameTower = fix.isSatellite ? 0 : StepModel.density(step, scale: FixRule.towerSpread) * persistence
        let tower =
            towerProbability * (sameTower + (1 - persistence) * prior * FixRule.towerDensity)
            + (1 - towerProbability) * prior * FixRule.towerDensity
        let reflection = model.reflectionPrior * fromTrusted.reflection
        let good =
            (1 - prior) * (1 - model.reflectionPrior)
            * ((1 - towerProbability) * fromLast.good
                + towerProbability * (1 - persistence / 2) * fromTrusted.good)
        let total = tower + reflection + good + 1e-30
        assessment.outlierProbability = min(max((tower + reflection) / total, prior / 2), 0.99)

        var moved = isRepeated ? min(pace * interval, step) : pace * interval
        if !fix.isSatellite, !isRepeated {
            moved +=
                model.moveProbability(since: before, distance: step) * min(step, FixRule.fastestStep * interval)
        }
        assessment.interval = interval
        assessment.moved = moved
        assessment.errorVarianceRatio = errorVarianceRatio
        assessment.weight = weight(interval: interval, moved: moved, isRepeated: isRepeated, isSame: step == 0)
        assessment.flag = flag(of: fix, assessment, isRepeated: isRepeated)

        updateErrorVariance(fix, step: step, after: before, pace: pace, assessment, isRepeated: isRepeated)
        lastWeight = assessment.weight
        towerProbability = tower / total
        if assessment.outlierProbability < 0.5 {
            if !earlierTrusted.isEmpty { earlierTrusted.clear() }
            let observed = max(0, step - fix.accuracy - before.accuracy) / max(interval, FixRule.speedBaseline)
            speed = fix.isSatellite ? fix.speed : max(memory, observed)
        } else if earlierTrusted.isEmpty {
            earlierTrusted.set(trusted)
        }
        positions.insert(fingerprint)
        flagCounts.count(assessment.flag)
        return assessment
    }

    /// The last known speed, decayed exponentially with the time since: a device that brakes has still moved.
    ///
    /// - Returns: 0 if the result is certainly not above `floor`.
    private func decayedSpeed(after interval: Double, unlessBelow floor: Double) -> Double {
        let elapsed = interval / FixRule.speedMemory
        // exp(-x) is at most 1 / (1 + x).
        return speed <= floor * (1 + elapsed) ? 0 : speed * exp(-elapsed)
    }

    /// The speed that a device without speeds would have stated; 0 if the fix looks like a network fix.
    ///
    /// Trackers and recordings often omit the speed. Their good fixes are recognised by the accuracy and by a step that
    /// a stationary or moving device can make. A larger step is a leap until the next fix confirms it.
    private func estimatedSpeed(
        of location: Location, _ fix: FixSummary, step: Double, since before: FixSummary, _ interval: Double
    ) -> Double {
        guard location.horizontalAccuracy.map({ $0 <= FixRule.clearAccuracy }) ?? true else { return 0 }
        let pace = max(0, step - fix.accuracy - before.accuracy) / interval
        guard pace <= max(FixRule.plausiblePace, 2 * speed) else { return 0 }
        return max(pace, FixRule.leastPace)
    }

    private func weight(interval: Double, moved: Double, isRepeated: Bool, isSame: Bool) -> Weight {
        let exponent = -interval / FixRule.driftTime - moved / FixRule.driftDistance
        guard isRepeated else { return .exponent(exponent) }
        // A return to a known position counts as much as the step away did, and the same position again hardly at all.
        let repeated = FixRule.repeatedShare * (1 - exp(exponent))
        return .resolved(isSame ? repeated : max(repeated, min(lastWeight.value, FixRule.returnWeight)))
    }

    private func flag(of fix: FixSummary, _ assessment: Assessment, isRepeated: Bool) -> FixEvidence.Flag? {
        if assessment.outlierProbability >= 0.5 { return .leap }
        if fix.accuracy > FixRule.coarseAccuracy { return .coarse }
        return isRepeated ? .repeated : nil
    }

    /// Compares the step with what the stated accuracies predict. Six parameters, because they are intermediate results
    /// of `evaluate` and not kept.
    private mutating func updateErrorVariance(
        _ fix: FixSummary, step: Double, after before: FixSummary, pace: Double, _ assessment: Assessment,
        isRepeated: Bool
    ) {
        guard !isRepeated, assessment.outlierProbability < 0.4, assessment.interval < 150,
            fix.isSatellite || pace < FixRule.standingSpeed
        else { return }
        // Of a satellite step only the error along the direction of motion is known: about half of the whole.
        let residual = fix.isSatellite ? abs(step - pace * assessment.interval) * 1.4 : step
        let variance = fix.accuracy * fix.accuracy + before.accuracy * before.accuracy
        // The squared distance of two independent errors is on average 0.87 of the sum of their squared 68 % radii.
        let ratio = min(residual * residual / (0.87 * (variance + 50)), 9)
        errorVarianceRatio += (ratio - errorVarianceRatio) * FixRule.errorVarianceRate
    }
}
