/// A moment in UTC, to the millisecond.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let milliseconds: Int64

    /// The moment at a number of milliseconds since 1970-01-01T00:00:00Z.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// - Parameter seconds: since 1970-01-01T00:00:00Z, without leap seconds.
    public init(seconds: Int64) {
        milliseconds = seconds * 1000
    }

    /// Later than every moment in any input. It uses a quarter of the range, so that adding a span does not overflow.
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
        Timestamp(milliseconds: moment.milliseconds + span.milliseconds)
    }

    /// The moment a span earlier; parts of a millisecond of the span are ignored.
    public static func - (moment: Timestamp, span: Duration) -> Timestamp {
        Timestamp(milliseconds: moment.milliseconds - span.milliseconds)
    }

    /// The span from `b` to `a`, negative if `a` is earlier.
    public static func - (a: Timestamp, b: Timestamp) -> Duration {
        .milliseconds(a.milliseconds - b.milliseconds)
    }

    /// Reads milliseconds since 1970-01-01T00:00:00Z as one integer.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
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
