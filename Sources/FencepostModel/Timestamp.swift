public import FencepostGeometry

/// A moment in UTC, to the millisecond.
///
/// Every moment is within a quarter of the range of `Int64`: one beyond it is the nearest end. So the difference of any
/// two fits, and a sum with any span has a result.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let milliseconds: Int64

    /// The moment at a number of milliseconds since 1970-01-01T00:00:00Z, clamped.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, .min / 4), .max / 4)
    }

    /// - Parameter seconds: since 1970-01-01T00:00:00Z, without leap seconds; clamped.
    public init(seconds: Int64) {
        self.init(milliseconds: seconds.multipliedClamped(by: 1000))
    }

    /// Later than every moment in any input: the end of the range.
    ///
    /// Computed, as the one below, so that other modules have the number itself instead of a call that initializes it.
    @inlinable public static var distantFuture: Timestamp { Timestamp(milliseconds: .max / 4) }
    /// Earlier than every moment in any input.
    @inlinable public static var distantPast: Timestamp { Timestamp(milliseconds: .min / 4) }

    /// Whether a moment is before another.
    @inlinable
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    /// The moment a span later; parts of a millisecond of the span are ignored.
    public static func + (moment: Timestamp, span: Duration) -> Timestamp {
        moment.after(span.milliseconds)
    }

    /// The moment a span earlier; parts of a millisecond of the span are ignored.
    public static func - (moment: Timestamp, span: Duration) -> Timestamp {
        moment.after(-span.milliseconds)
    }

    /// The moment a number of milliseconds later. `Int64` arithmetic costs less than that of `Duration`.
    @inlinable
    public func after(_ span: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds.addingClamped(span))
    }

    /// The span from `b` to `a`, negative if `a` is earlier.
    public static func - (a: Timestamp, b: Timestamp) -> Duration {
        .milliseconds(a.milliseconds - b.milliseconds)
    }

    /// Reads milliseconds since 1970-01-01T00:00:00Z as one integer.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes milliseconds since 1970-01-01T00:00:00Z as one integer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero. Durations beyond 290 million years are clamped.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit = Int64.max / 1000 - 1
        return min(max(seconds, -limit), limit) * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Seconds, to the millisecond.
    public var seconds: Double { Double(milliseconds) / 1000 }
}
