public import FencepostGeometry
public import FencepostModel

/// Finds fixes that a device cannot have come to, as those of jammed or spoofed satellites: nothing on earth is faster.
///
/// Such fixes agree with each other, so agreement proves nothing. They are ignored until the device could have come there at
/// the speed of a fast train, since the fixes before may be the wrong ones: a phone that was in an aircraft may send the
/// position of the departure once more.
public struct MotionLimit: Hashable, Sendable, Codable {
    /// Metres per second: the speed of sound, that no traffic reaches, and the speed from which on a device is not believed to
    /// be where it seemed to leap to.
    private static let fastest = 340.0
    private static let usual = 70.0
    /// Seconds after which it is believed wherever it is.
    private static let longest = 10_800.0
    /// So many fixes in a row count as known, and so many after a leap from fewer ones as shown.
    private static let known: UInt8 = 3
    /// More than the metres of a degree of latitude.
    private static let degree = 111_700.0

    /// The number of fixes in a row that the device can have come to, at most `known`.
    private var support: UInt8 = 0
    /// The number of fixes since the leap, at most `known`; 0 if the last one was possible.
    private var leaps: UInt8 = 0
    /// Seconds from the last possible fix to the last one of all.
    private(set) var heardAfter: UInt32 = 0

    /// The limit for a device without a fix.
    public init() {}

    /// That of a device which is known and has come to its last fix, as most have.
    static let settled: MotionLimit = {
        var limit = MotionLimit()
        limit.support = known
        return limit
    }()

    /// Whether the last fix was an impossible one.
    public var isLeaping: Bool { leaps > 0 }

    /// Takes that the device was heard, so many milliseconds after the last possible fix.
    mutating func hear(after milliseconds: Int64) { heardAfter = UInt32(clamping: milliseconds / 1000) }

    /// Takes the next fix.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - time: of the last fix that was possible.
    ///   - last: its position.
    ///   - accuracy: its accuracy, in metres; `nil` if unknown.
    /// - Returns: whether the device can have come to the new one. If not, the next call gets the same last fix.
    @inline(__always)
    public mutating func allows(
        _ location: Location, after time: Timestamp, _ last: Coordinate, accuracy: Double?
    ) -> Bool {
        let milliseconds = Double(location.timestamp.milliseconds - time.milliseconds)
        // The way along a meridian and a parallel is longer than the straight one, and mostly short enough.
        let bound =
            abs(location.coordinate.latitude - last.latitude) + abs(location.coordinate.longitude - last.longitude)
        if leaps == 0, bound * Self.degree <= milliseconds * (Self.fastest / 1000) {
            support = min(support + 1, Self.known)
            return true
        }
        return measure(location, milliseconds / 1000, last, accuracy ?? FixRule.defaultAccuracy)
    }

    // Not inlined: few devices are so fast.
    @inline(never)
    private mutating func measure(
        _ location: Location, _ seconds: Double, _ last: Coordinate, _ accuracy: Double
    ) -> Bool {
        let uncertainty = accuracy + (location.horizontalAccuracy ?? FixRule.defaultAccuracy)
        let distance = Geodesic.distance(last, location.coordinate) - uncertainty
        // Times are often whole seconds.
        let limit = (leaps == 0 ? Self.fastest : Self.usual) * (max(seconds, 0) + 1)
        if distance <= limit {
            (support, leaps, heardAfter) = (min(support + 1, Self.known), 0, 0)
            return true
        }
        leaps = min(leaps + 1, Self.known)
        guard (support < Self.known && leaps >= Self.known) || seconds > Self.longest else { return false }
        (support, leaps, heardAfter) = (1, 0, 0)
        return true
    }
}
