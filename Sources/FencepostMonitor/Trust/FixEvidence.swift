/// The evidence that one fix gives about its device's position; the same for all regions.
public struct FixEvidence: Hashable, Sendable {
    /// Why a fix is not trusted on its own.
    public enum Flag: String, Hashable, Sendable, CaseIterable {
        /// The device can hardly have moved there, as with the position of a cell tower or of a reflected signal.
        case leap
        /// The accuracy is worse than 150 m.
        case coarse
        /// A network position that repeats an earlier one to the last digit.
        case repeated
    }

    /// Radius of 68 % confidence, in metres, corrected by the size of the errors that the device had so far.
    public var accuracy: Double
    /// Probability that the fix is unrelated to the position of the device, 0 to 1.
    public var outlierProbability: Double
    /// How independent the error of the fix is of the errors before, 0 to 1. Errors of neighbouring fixes correlate.
    public var weight: Double
    /// Seconds since the fix before; 0 for the first one.
    public var interval: Double
    /// Probability that the device has moved since the fix before, 0 to 1.
    public var motionProbability: Double
    /// Metres around the fix within which distances to boundaries matter.
    public var searchRadius: Double
    /// `nil` if the fix is trusted.
    public var flag: Flag?
    /// What the speed of the fix says about its source.
    var kind = FixKind.plain
    /// The outlier probability if the next fix shows that this one was right, 0 to 1.
    public var usualOutlierProbability = 0.0
    /// The average speed since the fix before, in metres per second; 0 for the first one.
    public var averageSpeed = 0.0
    /// The usual interval between two fixes of the device, in seconds; 0 before the second one.
    public var usualInterval = 0.0
    /// How long after the fix a pending change is decided if no other fix comes, in seconds.
    public var silence = FixRule.silence
    /// Whether it is the position of a network that lies two accuracies away from the last trusted fix.
    var showsAbsence = false
    /// Whether the fix is so far from where the device rested that it needs a second one to be trusted.
    public var isSudden = false
    /// Whether the fix, after a gap of more than a minute, is outside of a region that the device was in before: the gap was
    /// spent in there.
    public var leavesRegion = false

    /// Whether the fix may be the position of a network and not of the device, as a fix without a speed may be on a
    /// device that reports speeds. Such a fix decides nothing alone.
    public var isNetwork: Bool { kind == .network }
}

/// The number of flagged fixes of a device, by flag.
public struct FlagCounts: Hashable, Sendable, Codable {
    // Half the size of Int, since every device has three.
    private var leaps: UInt32 = 0
    private var coarses: UInt32 = 0
    private var repeats: UInt32 = 0

    private enum CodingKeys: String, CodingKey { case leaps = "leap", coarses = "coarse", repeats = "repeated" }

    /// Fixes to which the device can hardly have moved.
    public var leap: Int { Int(leaps) }
    /// Fixes with an accuracy worse than 150 m.
    public var coarse: Int { Int(coarses) }
    /// Network positions that repeat an earlier one to the last digit.
    public var repeated: Int { Int(repeats) }

    /// No flagged fixes.
    public init() {}

    /// The sum of two counts, for each flag.
    public static func + (a: FlagCounts, b: FlagCounts) -> FlagCounts {
        var sum = a
        sum.leaps += b.leaps
        sum.coarses += b.coarses
        sum.repeats += b.repeats
        return sum
    }

    mutating func count(_ flag: FixEvidence.Flag?) {
        switch flag {
        case .leap: leaps += 1
        case .coarse: coarses += 1
        case .repeated: repeats += 1
        case nil: break
        }
    }
}
