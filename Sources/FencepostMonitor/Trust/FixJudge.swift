public import FencepostModel

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
/// makes all but the second unlikely. It is a value of about 120 bytes; a monitor, which keeps the last fix anyhow, has
/// the 80 bytes of its `FixTrust` alone.
public struct FixJudge: Hashable, Sendable {
    var trust: FixTrust
    private var last: FixMark?

    public init() { trust = FixTrust() }

    init(_ trust: FixTrust, last: FixMark) {
        self.trust = trust
        // Reckoned out, so that it is the same after it was stored.
        self.trust.weight = trust.weight
        self.last = last
    }

    public var doubts: DoubtCounts { trust.doubts }

    /// Takes the next fix, in time order.
    public mutating func judge(_ location: Location) -> FixEvidence {
        let judgement = trust.judge(location, after: last)
        last = FixMark(location)
        return judgement.evidence
    }

    /// Metres around a fix within which a boundary's distance is worth telling, and within which it bears on the answer
    /// whatever is known of the device.
    @inline(__always)
    public static func reach(for location: Location) -> Double {
        let accuracy = location.horizontalAccuracy ?? FixRule.usualAccuracy
        // Beyond, even a cell tower's fix says nothing new of a boundary.
        return min(max(FixRule.leastReach, 4 * accuracy), FixRule.mostReach)
    }

    /// Metres around a fix within which the distance to a boundary bears on the answer, at most `reach(for:)`.
    ///
    /// Beyond four of the accuracies that are reckoned with, log-odds and confidences are the same however far it is. In
    /// few steps, so that a device may be known to be farther from any boundary than the next fix wants it to be.
    ///
    /// - Parameter blur: how much larger the errors are than the device says, squared: at most 9.
    @inline(__always)
    static func reach(accuracy: Double, blur: Double) -> Double {
        // 9 to the power of `FixRule.blurPower` is less than 2.
        let needed = accuracy * (blur <= 1 ? 4 : 8)
        if needed <= FixRule.shortReach { return FixRule.shortReach }
        return min(max(FixRule.leastReach, 4 * accuracy), FixRule.mostReach)
    }
}

extension FixJudge: Codable {
    private enum CodingKeys: CodingKey { case last, trusted, tellsSpeed, wild, speed, weight, blur, spots, doubts }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        last = try container.decodeIfPresent(FixMark.self, forKey: .last)
        let trusted = try container.decodeIfPresent(FixMark.self, forKey: .trusted)
        trust = FixTrust()
        trust.hasBegun = last != nil
        trust.trustedBefore = Boxed(trusted == last ? nil : trusted)
        trust.tellsSpeed = try container.decode(Bool.self, forKey: .tellsSpeed)
        trust.wild = try container.decode(Double.self, forKey: .wild)
        trust.speed = try container.decode(Double.self, forKey: .speed)
        trust.weight = try container.decode(Double.self, forKey: .weight)
        trust.blur = try container.decode(Double.self, forKey: .blur)
        trust.spots = try container.decode(FixSpots.self, forKey: .spots)
        trust.doubts = try container.decode(DoubtCounts.self, forKey: .doubts)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encodeIfPresent(trust.trustedBefore.value ?? last, forKey: .trusted)
        try container.encode(trust.tellsSpeed, forKey: .tellsSpeed)
        try container.encode(trust.wild, forKey: .wild)
        try container.encode(trust.speed, forKey: .speed)
        try container.encode(trust.weight, forKey: .weight)
        try container.encode(trust.blur, forKey: .blur)
        try container.encode(trust.spots, forKey: .spots)
        try container.encode(trust.doubts, forKey: .doubts)
    }
}
