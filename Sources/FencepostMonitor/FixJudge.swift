import FencepostGeometry
public import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What one fix is worth as evidence of where its device is, all regions alike.
public struct FixEvidence: Hashable, Sendable {
    /// Why a fix counts for less than its accuracy says.
    public enum Doubt: String, Hashable, Sendable, CaseIterable {
        /// It lies where the device can hardly have come, as a cell tower or a reflected signal would have it.
        case leap
        /// Its accuracy says that it is no position at all.
        case coarse
        /// A network position that was there before, to the last digit.
        case repeated
    }

    /// Radius of 68 % confidence that is reckoned with, in metres.
    public var accuracy: Double
    /// Chance that the fix has nothing to do with where the device is, 0 to 1.
    public var outlier: Double
    /// How much of it is news, 0 to 1: the errors of neighbouring fixes are alike.
    public var weight: Double
    /// Seconds since the fix before.
    public var interval: Double
    /// How much the device may have moved since the fix before, 0 to 1.
    public var motion: Double
    /// Metres around the fix within which distances to boundaries are looked at.
    public var reach: Double
    public var doubt: Doubt?
}

/// How many fixes of one device were doubted, by reason.
public struct DoubtCounts: Hashable, Sendable, Codable {
    // Half as large as an Int: there are three to a device.
    private var leaps: UInt32 = 0
    private var coarses: UInt32 = 0
    private var repeats: UInt32 = 0

    private enum CodingKeys: String, CodingKey { case leaps = "leap", coarses = "coarse", repeats = "repeated" }

    public var leap: Int { Int(leaps) }
    public var coarse: Int { Int(coarses) }
    public var repeated: Int { Int(repeats) }

    public init() {}

    public static func + (a: DoubtCounts, b: DoubtCounts) -> DoubtCounts {
        var sum = a
        sum.leaps += b.leaps
        sum.coarses += b.coarses
        sum.repeats += b.repeats
        return sum
    }

    mutating func count(_ doubt: FixEvidence.Doubt?) {
        switch doubt {
        case .leap: leaps += 1
        case .coarse: coarses += 1
        case .repeated: repeats += 1
        case nil: break
        }
    }
}

/// Judges each fix of one device by the fixes before it.
///
/// Phones report jumps to cell towers, reflections between tall houses and network positions that repeat, mostly with
/// an accuracy that does not admit it. The judge weighs, for each step from fix to fix, how likely a device at rest, a
/// device on its way, a cell tower and a reflection would have made it; a speed is the mark of a satellite fix and
/// makes all but the second unlikely. It is a value of about 150 bytes.
public struct FixJudge: Hashable, Sendable {
    private var last: FixMark?
    /// The last fix that was more likely right than wrong, where it is not the last of all.
    private var trustedBefore = Boxed<FixMark>()
    /// Whether a speed was ever told, or told to be unknown. From a device that does neither its absence says nothing.
    private var tellsSpeed = false
    /// Chance that the last fix was a cell tower's.
    private var wild = 0.0
    /// Metres per second, as last known.
    private var speed = 0.0
    /// The weight of the last fix.
    private var weight = 1.0
    /// How much larger the errors of this device are than it says, squared; 1 is as it says.
    private var blur = 1.0
    /// The last spots, to know one that comes again to the last digit.
    private var spots = FixSpots()
    public private(set) var doubts = DoubtCounts()

    public init() {}

    /// Takes the next fix, in time order.
    public mutating func judge(_ location: Location) -> FixEvidence {
        var fix = FixMark(location)
        tellsSpeed = tellsSpeed || location.speed != nil || location.isSpeedUnknown
        if !tellsSpeed { fix.speed = likelySpeed(of: location, fix) }
        var evidence = FixEvidence(
            accuracy: fix.accuracy, outlier: FixRule.outlierAtFirst, weight: 1, interval: 0, motion: 1,
            reach: Self.reach(for: location), doubt: nil)
        defer {
            last = fix
            spots.remember(fix.spot)
            doubts.count(evidence.doubt)
        }
        guard let before = last else {
            speed = fix.speed
            wild = evidence.outlier
            return evidence
        }
        let anchor = trustedBefore.value ?? before
        let interval = max(fix.seconds(since: before), 0.5)
        let step = fix.distance(to: before)
        // The speed that was known last fades; a device that brakes has still come so far.
        let memory = speed * exp(-interval / FixRule.speedMemory)
        let pace = max(memory, fix.speed)
        // A satellite fix at an earlier spot, and not at the last one, has come back there.
        let isRepeated = spots.contains(fix.spot) && (!fix.isSatellite || step == 0)

        let steps = FixSteps(fix, pace: pace, speed: speed, blur: blur)
        let fromLast = steps.likelihoods(since: before, distance: step)
        // Mostly the last fix was good.
        let fromAnchor =
            anchor == before ? fromLast : steps.likelihoods(since: anchor, distance: fix.distance(to: anchor))
        let persistence = fix.isSatellite ? 0 : exp(-interval / FixRule.burst)
        let prior = steps.towerPrior
        let tower =
            wild
            * (FixSteps.density(step, scale: FixRule.towerSpread) * persistence + (1 - persistence) * prior
                * FixRule.towerDensity)
            + (1 - wild) * prior * FixRule.towerDensity
        let reflection = steps.reflectionPrior * fromAnchor.reflection
        let good =
            (1 - prior) * (1 - steps.reflectionPrior)
            * ((1 - wild) * fromLast.good + wild * (1 - persistence / 2) * fromAnchor.good)
        let all = tower + reflection + good + 1e-30
        evidence.outlier = min(max((tower + reflection) / all, prior / 2), 0.99)

        var moved = isRepeated ? min(pace * interval, step) : pace * interval
        if !fix.isSatellite, !isRepeated {
            moved += fromLast.moveShare * min(step, FixRule.fastestStep * interval)
        }
        evidence.interval = interval
        evidence.motion = 1 - exp(-moved / FixRule.motionScale)
        evidence.weight = weight(interval: interval, moved: moved, isRepeated: isRepeated, isSame: step == 0)
        evidence.accuracy = fix.accuracy * pow(max(blur, 0.5), FixRule.blurPower)
        evidence.doubt = doubt(of: fix, evidence, isRepeated: isRepeated)

        learn(fix, step: step, after: before, pace: pace, evidence, isRepeated: isRepeated)
        weight = evidence.weight
        wild = tower / all
        if evidence.outlier < 0.5 {
            if !trustedBefore.isEmpty { trustedBefore.clear() }
            let seen = max(0, step - fix.accuracy - before.accuracy) / max(interval, FixRule.speedBaseline)
            speed = fix.isSatellite ? fix.speed : max(memory, seen)
        } else if trustedBefore.isEmpty {
            trustedBefore.set(anchor)
        }
        return evidence
    }

    /// Metres around the fix within which the distance to a boundary bears on the answer.
    public static func reach(for location: Location) -> Double {
        let accuracy = location.horizontalAccuracy ?? FixRule.usualAccuracy
        // Beyond, even a cell tower's fix says nothing new of a boundary.
        return min(max(FixRule.leastReach, 4 * accuracy), FixRule.mostReach)
    }

    /// The speed that a fix of a device without speeds would have told; 0 where it looks like a network fix.
    ///
    /// Trackers and recordings often leave the speed out. Their good fixes are told by their accuracy, and by a step that
    /// a device at rest or under way could have made; a larger one is a leap until the next fix agrees with it.
    private func likelySpeed(of location: Location, _ fix: FixMark) -> Double {
        guard location.horizontalAccuracy.map({ $0 <= FixRule.clearAccuracy }) ?? true, let before = last else {
            return 0
        }
        let interval = max(fix.seconds(since: before), 0.5)
        let pace = max(0, fix.distance(to: before) - fix.accuracy - before.accuracy) / interval
        guard pace <= max(FixRule.plainPace, 2 * speed) else { return 0 }
        return max(pace, FixRule.leastPace)
    }

    private func weight(interval: Double, moved: Double, isRepeated: Bool, isSame: Bool) -> Double {
        let news = 1 - exp(-interval / FixRule.driftSpan - moved / FixRule.driftWay)
        guard isRepeated else { return max(news, FixRule.leastWeight) }
        // Back at a known spot is worth as much as the way off was, and the same again hardly anything.
        let again = FixRule.repeatShare * news
        return isSame ? again : max(again, min(weight, FixRule.returnWeight))
    }

    private func doubt(of fix: FixMark, _ evidence: FixEvidence, isRepeated: Bool) -> FixEvidence.Doubt? {
        if evidence.outlier >= 0.5 { return .leap }
        if fix.accuracy > FixRule.coarseAccuracy { return .coarse }
        return isRepeated ? .repeated : nil
    }

    /// Compares the step with what the accuracies lead one to expect.
    private mutating func learn(
        _ fix: FixMark, step: Double, after before: FixMark, pace: Double, _ evidence: FixEvidence, isRepeated: Bool
    ) {
        guard !isRepeated, evidence.outlier < 0.4, evidence.interval < 150,
            fix.isSatellite || pace < FixRule.restingSpeed
        else { return }
        // Of a satellite step only the part along the way is known to be error: about half of it.
        let residual = fix.isSatellite ? abs(step - pace * evidence.interval) * 1.4 : step
        let accuracies = fix.accuracy * fix.accuracy + before.accuracy * before.accuracy
        // Two independent errors of 68 % within their radii lie 0.87 of this apart, in squares.
        let ratio = min(residual * residual / (0.87 * (accuracies + 50)), 9)
        blur += (ratio - blur) * FixRule.blurRate
    }
}

extension FixJudge: Codable {
    private enum CodingKeys: CodingKey { case last, trusted, tellsSpeed, wild, speed, weight, blur, spots, doubts }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        last = try container.decodeIfPresent(FixMark.self, forKey: .last)
        let trusted = try container.decodeIfPresent(FixMark.self, forKey: .trusted)
        trustedBefore = Boxed(trusted == last ? nil : trusted)
        tellsSpeed = try container.decode(Bool.self, forKey: .tellsSpeed)
        wild = try container.decode(Double.self, forKey: .wild)
        speed = try container.decode(Double.self, forKey: .speed)
        weight = try container.decode(Double.self, forKey: .weight)
        blur = try container.decode(Double.self, forKey: .blur)
        spots = try container.decode(FixSpots.self, forKey: .spots)
        doubts = try container.decode(DoubtCounts.self, forKey: .doubts)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encodeIfPresent(trustedBefore.value ?? last, forKey: .trusted)
        try container.encode(tellsSpeed, forKey: .tellsSpeed)
        try container.encode(wild, forKey: .wild)
        try container.encode(speed, forKey: .speed)
        try container.encode(weight, forKey: .weight)
        try container.encode(blur, forKey: .blur)
        try container.encode(spots, forKey: .spots)
        try container.encode(doubts, forKey: .doubts)
    }
}
