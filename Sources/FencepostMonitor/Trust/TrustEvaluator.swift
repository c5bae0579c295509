public import FencepostModel

/// Evaluates how far each fix of one device can be trusted, given the fixes before it.
///
/// A fix is good, or it is an outlier: the position of a cell tower, a reflection, a fault of the receiver. For each step
/// from fix to fix the evaluator compares how likely it is for a device that stands, moves or travels unusually fast, and
/// for an outlier. A fix is not trusted only while the step to it is unlikely for this device: the next fix that agrees with
/// it confirms it. The prior probability of an outlier follows what the device showed before; fixes without a speed are
/// network fixes only on a device that reports speeds.
///
/// A value of at most 160 bytes: the state, `FixTrust`, and the last fix. `DeviceMonitor` keeps the last fix anyway and
/// uses `FixTrust` directly; this type is also the form in which the state is stored.
public struct TrustEvaluator: Hashable, Sendable {
    var trust: FixTrust
    private var last: FixSummary?

    /// An evaluator that has seen no fix.
    public init() { trust = FixTrust() }

    init(_ trust: FixTrust, last: FixSummary) {
        self.trust = trust
        // Resolved, so that it equals the state that is read back.
        self.trust.lastWeight = .resolved(Float(trust.lastWeight.value))
        self.last = last
    }

    /// The number of fixes so far that were flagged, by flag.
    public var flagCounts: FlagCounts { trust.flagCounts }

    /// The time of the last fix, if it was not trusted.
    public var untrusted: Timestamp? { trust.isLastUntrusted ? last?.time : nil }

    /// Takes the next fix, in time order.
    ///
    /// - Returns: its evidence, and whether it shows that the fix before, which was not trusted, was right.
    public mutating func evaluate(_ location: Location) -> (evidence: FixEvidence, confirmsLast: Bool) {
        var assessment = trust.evaluate(location, after: last)
        last = FixSummary(location)
        return (assessment.evidence, assessment.confirmsLast)
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
    /// `accuracy` is in metres, as the fix states it. `errorVarianceRatio` is the variance of the device's errors
    /// relative to what it states, at most 9.
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
        case lastOutlier = "wild"
        case speed
        case lastWeight = "weight"
        case errorVarianceRatio = "blur"
        case positions = "spots"
        case flagCounts = "doubts"
        case reportsSpeeds, lastKind, isLastUntrusted, pace, outlierRate, interval, before
    }

    /// Reads a stored evaluator; members that earlier versions did not store have their initial values.
    ///
    /// - Throws: `DecodingError` if a member has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys) throws -> Float? {
            try container.decodeIfPresent(Double.self, forKey: key).map { Float($0) }
        }
        last = try container.decodeIfPresent(FixSummary.self, forKey: .last)
        let trusted = try container.decodeIfPresent(FixSummary.self, forKey: .lastTrusted)
        trust = FixTrust()
        trust.hasBegun = last != nil
        trust.earlierTrusted = Boxed(trusted == last ? nil : trusted)
        trust.lastOutlier = Float(try container.decode(Double.self, forKey: .lastOutlier))
        trust.speed = Float(try container.decode(Double.self, forKey: .speed))
        trust.lastWeight = FixTrust.Weight(stored: try container.decode(Double.self, forKey: .lastWeight))
        trust.errorVarianceRatio = Float(try container.decode(Double.self, forKey: .errorVarianceRatio))
        trust.positions = try container.decode(PositionFingerprints.self, forKey: .positions)
        trust.flagCounts = try container.decode(FlagCounts.self, forKey: .flagCounts)
        // States of version 0.2 have none of these.
        trust.reportsSpeeds =
            try container.decodeIfPresent(Bool.self, forKey: .reportsSpeeds)
            ?? [last, trusted].contains { ($0?.speed ?? 0) > 0 }
        trust.lastKind = try container.decodeIfPresent(FixKind.self, forKey: .lastKind) ?? .plain
        trust.isLastUntrusted =
            try container.decodeIfPresent(Bool.self, forKey: .isLastUntrusted) ?? !trust.earlierTrusted.isEmpty
        trust.pace = try number(.pace) ?? 0
        trust.outlierRate = try number(.outlierRate) ?? trust.outlierRate
        trust.interval = try number(.interval) ?? 0
        trust.before = try container.decodeIfPresent(FixTrust.Offset.self, forKey: .before) ?? .none
    }

    /// Writes the last fix and what was learnt about the device.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encodeIfPresent(trust.earlierTrusted.value ?? last, forKey: .lastTrusted)
        try container.encode(Double(trust.lastOutlier), forKey: .lastOutlier)
        try container.encode(Double(trust.speed), forKey: .speed)
        try container.encode(trust.lastWeight.value, forKey: .lastWeight)
        try container.encode(Double(trust.errorVarianceRatio), forKey: .errorVarianceRatio)
        try container.encode(trust.positions, forKey: .positions)
        try container.encode(trust.flagCounts, forKey: .flagCounts)
        try container.encode(trust.reportsSpeeds, forKey: .reportsSpeeds)
        try container.encode(trust.lastKind, forKey: .lastKind)
        try container.encode(trust.isLastUntrusted, forKey: .isLastUntrusted)
        try container.encode(Double(trust.pace), forKey: .pace)
        try container.encode(Double(trust.outlierRate), forKey: .outlierRate)
        try container.encode(Double(trust.interval), forKey: .interval)
        if trust.before != .none { try container.encode(trust.before, forKey: .before) }
    }
}
