/// The ranges of the numbers of a location, in the units of `Location`: wider than anything that moves reports.
///
/// The one statement of them: decoders compare with it to name what they drop, and `Location` itself has no number
/// beyond them, so one that an earlier version stored is dropped where it is read.
public enum ValueLimits {
    /// Metres: half the circumference of the Earth says that nothing is known.
    @inlinable public static var accuracy: ClosedRange<Double> { 0...20_000_000 }
    /// Metres: from below the deepest sea to beyond the highest satellites.
    @inlinable public static var altitude: ClosedRange<Double> { -12_000...100_000_000 }
    /// Metres per second: above the speed of any spacecraft near the Earth.
    @inlinable public static var speed: ClosedRange<Double> { 0...100_000 }
    /// Degrees.
    @inlinable public static var course: ClosedRange<Double> { 0...360 }
    /// A share.
    @inlinable public static var batteryLevel: ClosedRange<Double> { 0...1 }
    /// Storeys.
    @inlinable public static var floor: ClosedRange<Int> { -1000...1000 }
    /// Bytes in UTF-8 of `source` and `trigger`, which every event of the fix repeats.
    @inlinable public static var textBytes: Int { 256 }
}

/// How often each member of a location was beyond its range and dropped.
public struct DroppedMembers: Hashable, Sendable {
    /// A member of a location that is dropped alone, by its name in Fencepost's own format.
    public enum Member: String, Hashable, Sendable, CaseIterable {
        /// See `ValueLimits.accuracy`.
        case horizontalAccuracy, verticalAccuracy
        /// See the limit of the same name.
        case altitude, speed, course, batteryLevel, floor
        /// See `ValueLimits.textBytes`.
        case source, trigger
    }

    private var counts: [Member: Int] = [:]

    /// Nothing was dropped.
    public init() {}

    /// Whether nothing was dropped.
    public var isEmpty: Bool { counts.isEmpty }

    /// The members with their counts, each at least 1, in a fixed order.
    public var named: [(name: String, count: Int)] {
        Member.allCases.compactMap { member in counts[member].map { (member.rawValue, $0) } }
    }

    /// Counts one value.
    public mutating func count(_ member: Member) { counts[member, default: 0] += 1 }

    /// Adds the counts of others.
    public mutating func add(_ other: DroppedMembers) { counts.merge(other.counts, uniquingKeysWith: +) }
}
