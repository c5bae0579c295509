import FencepostModel

/// When a message that failed is tried again (rule W6).
public struct RetrySchedule: Hashable, Sendable {
    /// From each failure to the next attempt.
    public var delays: [Duration]
    /// How far a delay may be off, as a part of itself.
    public var jitter: Double
    /// The longest that a receiver may ask to be left alone (rule W5).
    public var longestRetryAfter: Duration

    public init(delays: [Duration], jitter: Double = 0.2, longestRetryAfter: Duration = .seconds(86_400)) {
        precondition((0..<1).contains(jitter), "a jitter is a part of the delay, from 0 and below 1")
        self.delays = delays
        self.jitter = jitter
        self.longestRetryAfter = longestRetryAfter
    }

    /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h: eight attempts in 27.6 h.
    public static let standard = RetrySchedule(
        delays: [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map { .seconds($0) })

    public var maximumAttempts: Int { delays.count + 1 }

    /// How long to wait after a failure; `nil` when no attempt is left.
    ///
    /// The jitter never makes all attempts together end before they would without it, as far as that can be had within
    /// the jitter of what is left: a receiver that is away for as long as the schedule promises misses nothing.
    ///
    /// - Parameters:
    ///   - attempts: that were made, the failed one included; at least 1.
    ///   - elapsed: since the message was made.
    ///   - retryAfter: what the receiver asked for.
    public func delay(
        after attempts: Int, elapsed: Duration, retryAfter: Duration? = nil,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        precondition(attempts >= 1, "a delay follows an attempt")
        guard attempts <= delays.count else { return nil }
        let nominal = delays[attempts - 1].seconds
        let whole = delays.reduce(0) { $0 + $1.seconds }
        let rest = delays[attempts...].reduce(0) { $0 + $1.seconds } * (1 + jitter)
        let (least, most) = (nominal * (1 - jitter), nominal * (1 + jitter))
        let needed = min(max(whole - rest - elapsed.seconds, least), most)
        let seconds = needed < most ? Double.random(in: needed...most, using: &generator) : most
        let delay = Duration.milliseconds(Int64((seconds * 1000).rounded()))
        return max(delay, min(retryAfter ?? .zero, longestRetryAfter))
    }

    /// The longest that a message can have to wait after this many attempts (rule D5).
    public func longestDelay(after attempts: Int) -> Duration {
        guard attempts >= 1, !delays.isEmpty else { return .zero }
        let own = delays[min(attempts, delays.count) - 1].seconds * (1 + jitter)
        return max(.milliseconds(Int64(own * 1000)), longestRetryAfter)
    }
}
