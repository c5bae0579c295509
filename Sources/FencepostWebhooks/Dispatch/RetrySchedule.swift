import FencepostGeometry
import FencepostModel

/// The delays between the attempts of a delivery (rule W6).
public struct RetrySchedule: Hashable, Sendable {
    /// Delay from each failed attempt to the next one.
    public var delays: [Duration]
    /// Maximum random change of a delay, as a fraction of it: at least 0 and less than 1.
    public var jitter: Double
    /// Maximum delay that a receiver can ask for with `Retry-After` (rule W5).
    public var longestRetryAfter: Duration

    /// - Precondition: `jitter` is at least 0 and less than 1.
    public init(delays: [Duration], jitter: Double = 0.2, longestRetryAfter: Duration = .seconds(86_400)) {
        precondition((0..<1).contains(jitter), "the jitter has to be at least 0 and less than 1")
        self.delays = delays
        self.jitter = jitter
        self.longestRetryAfter = longestRetryAfter
    }

    /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h: eight attempts in 27.6 h.
    public static let standard = RetrySchedule(
        delays: [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map { .seconds($0) })

    /// The time from the first attempt to the last one.
    public var total: Duration { delays.reduce(.zero, +) }

    /// One more than there are delays.
    public var maximumAttempts: Int { delays.count + 1 }

    /// The delay after a failed attempt.
    ///
    /// The jitter does not shorten the total: a delay is chosen so that the last attempt is not earlier than without
    /// jitter, as far as the jitter of the delays left allows. So a receiver that is down for as long as the schedule
    /// lasts loses no message.
    ///
    /// - Parameters:
    ///   - attempts: number of attempts so far, the failed one included; at least 1.
    ///   - elapsed: time since the message was created.
    ///   - retryAfter: delay that the receiver asked for.
    ///   - generator: source of the jitter.
    /// - Returns: the longer one of the schedule's delay and the receiver's, which is at most `longestRetryAfter`;
    ///   `nil` when no attempt is left.
    public func delay(
        after attempts: Int, elapsed: Duration, retryAfter: Duration? = nil,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        precondition(attempts >= 1, "a delay needs at least one attempt before it")
        guard attempts <= delays.count else { return nil }
        let nominal = delays[attempts - 1].seconds
        let total = total.seconds
        let rest = delays[attempts...].reduce(0) { $0 + $1.seconds } * (1 + jitter)
        let (least, most) = (nominal * (1 - jitter), nominal * (1 + jitter))
        let needed = min(max(total - rest - elapsed.seconds, least), most)
        let seconds = needed < most ? Double.random(in: needed...most, using: &generator) : most
        let delay = Duration.milliseconds(Int64(clamped: (seconds * 1000).rounded()))
        return max(delay, min(retryAfter ?? .zero, longestRetryAfter))
    }

    /// Maximum delay after any number of attempts.
    var longestDelay: Duration { (0...delays.count).map { longestDelay(after: $0) }.max() ?? .zero }

    /// Maximum delay after this many attempts (rule D5). A due time further away is an error.
    public func longestDelay(after attempts: Int) -> Duration {
        guard attempts >= 1, !delays.isEmpty else { return .zero }
        let own = delays[min(attempts, delays.count) - 1].seconds * (1 + jitter)
        return max(.milliseconds(Int64(own * 1000)), longestRetryAfter)
    }
}
