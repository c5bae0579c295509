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
    struct Weight: Hashable, Sendable {
        /// The weight, or, below 0, the exponent: then the weight is 1 - exp(exponent), at least `FixRule.leastWeight`.
        private var code: Float

        static func resolved(_ weight: Float) -> Weight { Weight(code: weight) }
        static func exponent(_ exponent: Float) -> Weight { Weight(code: min(exponent, -.leastNormalMagnitude)) }

        private init(code: Float) { self.code = code }

        /// - Parameter number: as in a stored state. States hold resolved weights only.
        init(stored number: Double) { code = Float(number) }

        // Rounded as in a stored state.
        var value: Double {
            code >= 0 ? Double(code) : Double(Float(max(1 - exp(Double(code)), FixRule.leastWeight)))
        }
    }

    // The order leaves no gaps: 80 bytes.
    /// The last fix that was probably right; empty if that is the last fix of all.
    var earlierTrusted = Boxed<FixSummary>()
    /// Probability that the last fix was an outlier.
    var lastOutlier: Float = 0
    /// The last known speed, in metres per second.
    var speed: Float = 0
    /// The speed of the device when it moves fast, in metres per second.
    var pace: Float = 0
    /// The probability that a fix of this device that is not from a network is an outlier.
    var outlierRate = Float(FixRule.usualOutliers)
    /// The usual interval between two fixes, in seconds; 0 before the second one.
    var interval: Float = 0
    /// The variance of this device's errors relative to what it states; 1 if its accuracies are right.
    var errorVarianceRatio: Float = 1
    /// Where the fix before the last one was, seen from the last one; `none` if one of both was not trusted.
    var before = Offset.none
    /// The weight of the last fix.
    var lastWeight = Weight.resolved(1)
    /// The last positions, to recognise one that repeats to the last digit.
    var positions = PositionFingerprints()
    var flagCounts = FlagCounts()
    var lastKind = FixKind.plain
    /// Whether any fix had a speed above 0.
    var reportsSpeeds = false
    /// Whether a fix was evaluated.
    var hasBegun = false
    /// Whether the last fix was flagged as a leap.
    var isLastUntrusted = false

    init() {}

    /// A distance to the east and to the north in four bytes: in units of 8 m, at most 262 km.
    struct Offset: Hashable, Sendable, Codable {
        var east, north: Int16

        static let none = Offset(east: .min, north: .min)

        private init(east: Int16, north: Int16) { (self.east, self.north) = (east, north) }

        /// - Parameters:
        ///   - east: metres.
        ///   - north: metres.
        init(east: Double, north: Double) {
            let limit = 32_767.0
            self.init(
                east: Int16(clamped: min(max(east / 8, -limit), limit)),
                north: Int16(clamped: min(max(north / 8, -limit), limit)))
        }

        var meters: (east: Double, north: Double)? {
            self == .none ? nil : (Double(east) * 8, Double(north) * 8)
        }
    }

    /// The result for one fix. `evidence` completes it.
    struct Assessment {
        /// Metres, as the fix states it.
        fileprivate var accuracy: Double
        fileprivate var outlierProbability = FixRule.firstFixOutlier
        /// Seconds since the fix before; 0 for the first one.
        fileprivate(set) var interval = 0.0
        /// The distance from the fix before, in metres; 0 for the first one.
        fileprivate var step = 0.0
        /// The estimated distance moved, in metres; infinite for the first fix.
        fileprivate var moved = Double.infinity
        fileprivate var weight = Weight.resolved(1)
        fileprivate var errorVarianceRatio = 1.0
        fileprivate var flag: FixEvidence.Flag?
        fileprivate var kind: FixKind
        fileprivate var outlierRate = FixRule.usualOutliers
        fileprivate var usualInterval = 0.0
        /// By how many metres the position of a network is too far from the last trusted fix for a device that has not moved;
        /// 0 for another fix. No Bool: next to another one it costs 160 instructions for each fix.
        fileprivate var absence = 0.0
        /// By how many metres the step is longer than one out of rest may be; 0 for another one.
        fileprivate var suddenness = 0.0
        /// Whether this fix shows that the one before, which was not trusted, was right.
        fileprivate(set) var confirmsLast = false

        fileprivate init(_ fix: FixSummary, _ kind: FixKind) {
            accuracy = fix.accuracy
            self.kind = kind
        }

        /// On first use, since it is a power, and many fixes do without.
        private lazy var correctedAccuracy =
            interval == 0 ? accuracy : accuracy * pow(max(errorVarianceRatio, 0.5), FixRule.accuracyExponent)

        private var searchRadius: Double {
            TrustEvaluator.searchRadius(accuracy: accuracy, errorVarianceRatio: errorVarianceRatio)
        }

        /// The part of the evidence that suffices where the fix is clear of all boundaries; `nil` if it decides nothing
        /// alone.
        var clearFix: ClearFix? {
            mutating get {
                guard kind != .network, outlierProbability < PresenceRule.clearOutlierProbability else { return nil }
                return ClearFix(accuracy: correctedAccuracy, searchRadius: searchRadius)
            }
        }

        /// The evidence of the fix. Computes exponentials, so it is needed only if a boundary is near.
        var evidence: FixEvidence {
            mutating get {
                FixEvidence(
                    accuracy: correctedAccuracy,
                    outlierProbability: outlierProbability, weight: weight.value, interval: interval,
                    motionProbability: 1 - exp(-moved / FixRule.motionScale),
                    searchRadius: searchRadius,
                    flag: flag, kind: kind, usualOutlierProbability: outlierRate,
                    averageSpeed: interval == 0 ? 0 : step / interval, usualInterval: usualInterval,
                    silence: max(FixRule.silence, FixRule.silentIntervals * usualInterval),
                    showsAbsence: absence > 0, isSudden: suddenness > 0)
            }
        }
    }

    /// The probabilities of what a fix and the one before are, given the step between them.
    private struct Posterior {
        /// The fix is an outlier.
        var isOutlier: Double
        /// The same before its position was looked at.
        var prior: Double
        /// The fix before was not an outlier.
        var lastWasGood: Double
        /// The share of the step from the fix before that is due to motion, if both are good.
        var motion: Double
    }

    /// Takes the next fix, in time order.
    ///
    /// `last` is the fix before; it is ignored, and may be `nil`, for the first one. `known` is the plane around the fix,
    /// if it is made already.
    mutating func evaluate(
        _ location: Location, after last: FixSummary?, in known: LocalPlane? = nil
    ) -> Assessment {
        let fix = FixSummary(location)
        if fix.speed > 0 { reportsSpeeds = true }
        let kind =
            fix.accuracy > FixRule.coarseAccuracy
            ? kindOfCoarse(fix, speed: location.speed, after: last)
            : FixKind(speed: location.speed, reportsSpeeds: reportsSpeeds)
        var assessment = Assessment(fix, kind)
        guard hasBegun, let before = last else {
            hasBegun = true
            speed = Float(fix.speed)
            lastOutlier = Float(assessment.outlierProbability)
            lastKind = kind
            positions.insert(fix.positionFingerprint)
            return assessment
        }
        let interval = max(fix.seconds(since: before), 0.5)
        let plane = known ?? LocalPlane(origin: fix.coordinate)
        let (east, north) = plane.project(before.coordinate)
        let step = (east * east + north * north).squareRoot()
        let trusted = earlierTrusted.value ?? before
        let fromTrusted = earlierTrusted.isEmpty ? step : plane.distance(to: trusted.coordinate)
        let memory = decayedSpeed(before: fix, kind, after: interval, since: trusted)
        let current = max(memory, fix.speed)
        let posterior =
            isUsualStep(fix, kind, after: before, step: step, expected: current * interval)
            ? Posterior(isOutlier: 0, prior: outlierPrior(fix, kind), lastWasGood: 1, motion: 0)
            : posterior(
                fix, kind, after: before, step: step, trusted, fromTrusted,
                StepModel.Motion(current: current, last: Double(speed), pace: Double(pace)))

        // Only a network repeats an earlier position that is not the last one. Any other device has returned there, and a file that
        // states stays gives each of them one position.
        let fingerprint = fix.positionFingerprint
        let isRepeated =
            positions.contains(fingerprint) && (kind == .network || kind == .stationary || step == 0)
            && location.trigger != Location.statedStay
        assessment.interval = interval
        if kind == .network, fix.accuracy > FixRule.coarseAccuracy {
            assessment.absence = fromTrusted - FixRule.absenceAccuracies * fix.accuracy - trusted.accuracy
        }
        let rested = kind == .plain && current <= FixRule.standingSpeed
        assessment.suddenness = rested ? fix.suddenness(of: step, from: before) : 0
        assessment.step = step
        assessment.moved = isRepeated ? min(current * interval, step) : current * interval
        if kind != .satellite, !isRepeated {
            assessment.moved += posterior.motion * min(step, FixRule.fastestStep * interval)
        }
        assessment.outlierProbability = min(max(posterior.isOutlier, posterior.prior / 2), 0.99)
        assessment.errorVarianceRatio = Double(errorVarianceRatio)
        assessment.weight = weight(assessment, isRepeated: isRepeated, isSame: step == 0)
        assessment.flag = flag(of: fix, assessment, isRepeated: isRepeated)
        assessment.outlierRate = Double(outlierRate)
        assessment.confirmsLast = isLastUntrusted && lastKind != .network && posterior.lastWasGood > 0.5
        learnInterval(interval)
        assessment.usualInterval = Double(self.interval)

        if !isRepeated { learnErrors(assessment, after: before, current: current) }
        learnOutliers(assessment, east: east, north: north, lastWasGood: posterior.lastWasGood, before)
        if assessment.outlierProbability < 0.5 {
            let skipsLast = isLastUntrusted && posterior.lastWasGood < 0.5
            let start = skipsLast ? trusted : before
            let distance = max(0, (skipsLast ? fromTrusted : step) - fix.accuracy - start.accuracy)
            learnPace(
                distance / max(skipsLast ? fix.seconds(since: trusted) : interval, FixRule.speedBaseline),
                stated: kind == .satellite ? fix.speed : nil, memory: memory)
            if !earlierTrusted.isEmpty { earlierTrusted.clear() }
        } else if earlierTrusted.isEmpty {
            earlierTrusted.set(trusted)
        }
        lastWeight = assessment.weight
        lastOutlier = Float(posterior.isOutlier)
        lastKind = kind
        isLastUntrusted = assessment.outlierProbability >= 0.5
        positions.insert(fingerprint)
        flagCounts.count(assessment.flag)
        return assessment
    }

    /// Whether a fix of a network follows untrusted ones for longer than those of one tower follow each other: the device may
    /// have left, and its fixes have no speed any more.
    @inline(__always)
    private func isLost(_ fix: FixSummary, _ kind: FixKind, since trusted: FixSummary) -> Bool {
        kind == .network && fix.accuracy <= FixRule.coarseAccuracy && !earlierTrusted.isEmpty
            && fix.seconds(since: trusted) > FixRule.longestBurst
    }

    /// A fix that is coarse and much worse than those before is from a network, whatever the device says of speeds.
    @inline(never)
    private func kindOfCoarse(_ fix: FixSummary, speed: Double?, after last: FixSummary?) -> FixKind {
        let stated = FixKind(speed: speed, reportsSpeeds: reportsSpeeds)
        guard stated != .satellite, hasBegun, let last,
            lastKind == .network || fix.accuracy > FixRule.coarseRatio * last.accuracy
        else { return stated }
        return .network
    }

    /// The forward and the backward probabilities of a hidden Markov model with two states, good and outlier.
    ///
    /// Good fixes follow the last good one by the motion of the device. Outliers are anywhere; those of one cell tower
    /// follow each other. The last fix counts as good with the probability that it got, so a fix that agrees with one
    /// that was not trusted shows that both are right. Seven parameters, because they are intermediate results of
    /// `evaluate`.
    private func posterior(
        _ fix: FixSummary, _ kind: FixKind, after last: FixSummary, step: Double, _ trusted: FixSummary,
        _ fromTrusted: Double, _ motion: StepModel.Motion
    ) -> Posterior {
        let model = StepModel(fix, kind, motion)
        let fromLast = model.step(since: last, distance: step)
        // In most cases the last fix is the trusted one.
        let fromAnchor =
            earlierTrusted.isEmpty
            ? fromLast.likelihood : model.step(since: trusted, distance: fromTrusted).likelihood
        var wasOutlier = Double(lastOutlier)
        let isNetwork = kind == .network
        let persistence = isNetwork ? exp(-max(fix.seconds(since: last), 0.5) / FixRule.burst) : 0
        var towerDensity = isNetwork ? model.sameTower(since: last, distance: step) : 0
        if isLost(fix, kind, since: trusted) {
            // That they agree speaks for a device as much as for a tower, so the time decides.
            wasOutlier = min(wasOutlier, FixRule.surestOutlier)
            towerDensity = min(towerDensity, fromLast.likelihood)
        }
        let sameTower = persistence * towerDensity
        let prior = outlierPrior(fix, kind)
        let outlier = prior * model.outlier(distance: fromTrusted)

        let outlierAfterOutlier = wasOutlier * (sameTower + (1 - persistence) * outlier)
        let outlierAfterGood = (1 - wasOutlier) * outlier
        let goodAfterGood = (1 - prior) * (1 - wasOutlier) * fromLast.likelihood
        let goodAfterOutlier = (1 - prior) * wasOutlier * (1 - persistence / 2) * fromAnchor
        let isOutlier = outlierAfterOutlier + outlierAfterGood
        let total = isOutlier + goodAfterGood + goodAfterOutlier + 1e-30
        return Posterior(
            isOutlier: isOutlier / total, prior: prior,
            lastWasGood: (goodAfterGood + outlierAfterGood) / total, motion: fromLast.motion)
    }

    /// Whether the step is so usual that the probability of an outlier is at most half of the prior one, which is the
    /// least that the evidence states. It need not be computed then, which saves the exponentials of most satellite fixes.
    ///
    /// A step of at most one standard deviation of a device that goes on as before, if that is at most 500 m, is at least
    /// twice as likely as an outlier at any distance: 0.5 · exp(-½) / (2 · 500²) > 2 · 0.23 / 900².
    @inline(__always)
    private func isUsualStep(
        _ fix: FixSummary, _ kind: FixKind, after last: FixSummary, step: Double, expected: Double
    ) -> Bool {
        let scale = 10 + 1.5 * expected
        return kind == .satellite && earlierTrusted.isEmpty && step <= scale
            && scale + fix.accuracy + last.accuracy <= 500
    }

    /// The probability of an outlier before the position of the fix is looked at.
    private func outlierPrior(_ fix: FixSummary, _ kind: FixKind) -> Double {
        switch kind {
        case .network: fix.accuracy > FixRule.coarseAccuracy ? FixRule.coarseOutlier : FixRule.networkOutlier
        case .stationary: max(Double(outlierRate), FixRule.stationaryOutlier)
        case .satellite, .plain: Double(outlierRate)
        }
    }

    /// The last known speed, decayed exponentially with the time since: a device that brakes has still moved.
    ///
    /// - Returns: 0 if the result is certainly not above the speed of the fix.
    @inline(__always)
    private func decayedSpeed(
        before fix: FixSummary, _ kind: FixKind, after interval: Double, since trusted: FixSummary
    ) -> Double {
        // It was learnt from trusted fixes.
        let elapsed = (isLost(fix, kind, since: trusted) ? fix.seconds(since: trusted) : interval) / FixRule.speedMemory
        // exp(-x) is at most 1 / (1 + x).
        return Double(speed) <= fix.speed * (1 + elapsed) ? 0 : Double(speed) * exp(-elapsed)
    }

    // Inlined, as `learnErrors`, since a call copies the assessment.
    @inline(__always)
    private func weight(_ assessment: Assessment, isRepeated: Bool, isSame: Bool) -> Weight {
        let exponent = -assessment.interval / FixRule.driftTime - assessment.moved / FixRule.driftDistance
        return isRepeated ? repeatedWeight(exponent, isSame: isSame) : .exponent(Float(exponent))
    }

    private func repeatedWeight(_ exponent: Double, isSame: Bool) -> Weight {
        // A return to a known position counts as much as the step away did, and the same position again hardly at all.
        let repeated = FixRule.repeatedShare * (1 - exp(exponent))
        return .resolved(Float(isSame ? repeated : max(repeated, min(lastWeight.value, FixRule.returnWeight))))
    }

    private func flag(of fix: FixSummary, _ assessment: Assessment, isRepeated: Bool) -> FixEvidence.Flag? {
        if assessment.outlierProbability >= 0.5 { return .leap }
        if fix.accuracy > FixRule.coarseAccuracy { return .coarse }
        return isRepeated ? .repeated : nil
    }
}

// MARK: - What is learnt of a device

extension FixTrust {
    private mutating func learnInterval(_ seconds: Double) {
        let usual = Double(interval)
        // One long gap says little about the others.
        interval = Float(
            usual == 0 ? seconds : usual + FixRule.intervalRate * (min(seconds, FixRule.longestGap * usual) - usual))
    }

    /// Compares the step with what the stated accuracies predict.
    @inline(__always)
    private mutating func learnErrors(_ assessment: Assessment, after before: FixSummary, current: Double) {
        let isSatellite = assessment.kind == .satellite
        guard assessment.outlierProbability < 0.4, assessment.interval < 150,
            isSatellite || current < FixRule.standingSpeed
        else { return }
        // Of a satellite step only the error along the direction of motion is known: about half of the whole.
        let residual =
            isSatellite ? abs(assessment.step - current * assessment.interval) * 1.4 : assessment.step
        let variance = assessment.accuracy * assessment.accuracy + before.accuracy * before.accuracy
        // The squared distance of two independent errors is on average 0.87 of the sum of their squared 68 % radii.
        let ratio = min(residual * residual / (0.87 * (variance + 50)), 9)
        errorVarianceRatio += Float((ratio - Double(errorVarianceRatio)) * FixRule.errorVarianceRate)
    }

    /// Learns how often fixes of this device are outliers. An outlier is known by the fix after it: it was not trusted,
    /// and the next one did not agree; or it was trusted, and the device is back where it was before.
    ///
    /// `east` and `north` are the position of the fix before, in metres from the fix. `lastWasGood` is the probability
    /// that the fix before was no outlier.
    private mutating func learnOutliers(
        _ assessment: Assessment, east: Double, north: Double, lastWasGood: Double, _ last: FixSummary
    ) {
        if assessment.kind != .network {
            outlierRate += (Float(FixRule.usualOutliers) - outlierRate) / Float(FixRule.rateFixes)
        }
        let isGood = assessment.outlierProbability < 0.5
        if isGood, assessment.kind != .network, lastKind != .network {
            if isLastUntrusted {
                if lastWasGood < 0.5 { raiseOutlierRate() }
            } else if isSpike(assessment, east: east, north: north, last) {
                raiseOutlierRate()
            }
        }
        before = isGood && !isLastUntrusted ? Offset(east: east, north: north) : .none
    }

    /// Whether the device went far away with the last fix and is back with this one.
    private func isSpike(_ assessment: Assessment, east: Double, north: Double, _ last: FixSummary) -> Bool {
        guard assessment.step > FixRule.spikeLeg, let (x, y) = before.meters else { return false }
        let leg = (x * x + y * y).squareRoot()
        guard leg > FixRule.spikeLeg, min(leg, assessment.step) > 8 * last.accuracy else { return false }
        let direct = ((east + x) * (east + x) + (north + y) * (north + y)).squareRoot()
        return leg + assessment.step > 2 * FixRule.spikeDetour * direct + 4 * assessment.accuracy
    }

    private mutating func raiseOutlierRate() {
        outlierRate = min(outlierRate + Float(FixRule.rateStep), Float(FixRule.mostOutliers))
    }

    /// - Parameters:
    ///   - observed: the average speed of the last step, less the accuracies, in metres per second.
    ///   - stated: the speed of a satellite fix.
    ///   - memory: the speed known before, decayed.
    private mutating func learnPace(_ observed: Double, stated: Double?, memory: Double) {
        speed = Float(stated ?? max(memory, observed))
        let known = Double(pace)
        if observed > known {
            pace = Float(known + (observed - known) * FixRule.paceGain)
        } else if observed > FixRule.runningSpeed {
            pace = Float(known + (observed - known) * FixRule.paceLoss)
        }
    }
}
