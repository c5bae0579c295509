public import FencepostModel

/// Evaluates how far each fix of one device can be trusted, given the fixes before it.
///
/// Phones report positions of cell towers, reflections between tall buildings and repeated network positions, mostly with
/// an accuracy that does not show it. For each step from fix to fix the evaluator compares how likely it is under four
/// models: a stationary device, a moving device, a cell tower and a reflection. A speed indicates a satellite fix, which
/// makes the last two unlikely.
///
/// A value of at most 128 bytes: the state, `FixTrust`, and the last fix. `DeviceMonitor` keeps the last fix anyway and
/// uses the 80 bytes of `FixTrust` directly; this type is also the form in which the state is stored.
public struct TrustEvaluator: Hashable, Sendable {
    var trust: FixTrust
    private var last: FixSummary?

    public init() { trust = FixTrust() }

    init(_ trust: FixTrust, last: FixSummary) {
        self.trust = trust
        // Resolved, so that it equals the state that is read back.
        self.trust.lastWeight = .resolved(trust.lastWeight.value)
        self.last = last
    }

    public var flagCounts: FlagCounts { trust.flagCounts }

    /// Takes the next fix, in time order.
    public mutating func evaluate(_ location: Location) -> FixEvidence {
        let assessment = trust.evaluate(location, after: last)
        last = FixSummary(location)
        return assessment.evidence
    }

    /// Metres around a fix within which the distance to a boundary is worth reporting. No distance beyond matters for the
    /// presence of any device.
    @inline(__always)
    public static func maximumSearchRadius(for location: Location) -> Double {
        maximumSearchRadius(accuracy: location.horizontalAccuracy ?? FixRule.defaultAccuracy)
    }

    @inline(__always)
    private static func maximumSearchRadius(accuracy: Double) -> Double {
        // Beyond the upper limit even a position of a cell tower adds no evidence about a boundary.
        min(max(FixRule.leastSearchRadius, 4 * accuracy), FixRule.mostSearchRadius)
    }

    /// Metres around a fix within which the distance to a boundary matters for one device, at most
    /// `maximumSearchRadius(for:)`.
    ///
    /// Beyond four corrected accuracies, log-odds and confidences no longer depend on the distance. The result has few
    /// distinct values, so that a safe region computed for one fix fits the next one.
    ///
    /// - Parameters:
    ///   - accuracy: metres, as the fix states it.
    ///   - errorVarianceRatio: the variance of the device's errors relative to what it states; at most 9.
    @inline(__always)
    static func searchRadius(accuracy: Double, errorVarianceRatio: Double) -> Double {
        // 9 to the power of `FixRule.accuracyExponent` is less than 2.
        let needed = accuracy * (errorVarianceRatio <= 1 ? 4 : 8)
        if needed <= FixRule.shortSearchRadius { return FixRule.shortSearchRadius }
        return maximumSearchRadius(accuracy: accuracy)
    }
}

// The keys are part of stored states and must not change.
extension TrustEvaluator: Codable {
    private enum CodingKeys: String, CodingKey {
        case last
        case lastTrusted = "trusted"
        case hasSpeeds = "tellsSpeed"
        case towerProbability = "wild"
        case speed
        case lastWeight = "weight"
        case errorVarianceRatio = "blur"
        case positions = "spots"
        case flagCounts = "doubts"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        last = try container.decodeIfPresent(FixSummary.self, forKey: .last)
        let trusted = try container.decodeIfPresent(FixSummary.self, forKey: .lastTrusted)
        trust = FixTrust()
        trust.hasBegun = last != nil
        trust.earlierTrusted = Boxed(trusted == last ? nil : trusted)
        trust.hasSpeeds = try container.decode(Bool.self, forKey: .hasSpeeds)
        trust.towerProbability = try container.decode(Double.self, forKey: .towerProbability)
        trust.speed = try container.decode(Double.self, forKey: .speed)
        trust.lastWeight = FixTrust.Weight(stored: try container.decode(Double.self, forKey: .lastWeight))
        trust.errorVarianceRatio = try container.decode(Double.self, forKey: .errorVarianceRatio)
        trust.positions = try container.decode(PositionFingerprints.self, forKey: .positions)
        trust.flagCounts = try container.decode(FlagCounts.self, forKey: .flagCounts)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encodeIfPresent(trust.earlierTrusted.value ?? last, forKey: .lastTrusted)
        try container.encode(trust.hasSpeeds, forKey: .hasSpeeds)
        try container.encode(trust.towerProbability, forKey: .towerProbability)
        try container.encode(trust.speed, forKey: .speed)
        try container.encode(trust.lastWeight.value, forKey: .lastWeight)
        try container.encode(trust.errorVarianceRatio, forKey: .errorVarianceRatio)
        try container.encode(trust.positions, forKey: .positions)
        try container.encode(trust.flagCounts, forKey: .flagCounts)
    }
}
