import FencepostModel

/// The number of concurrent attempts that an endpoint takes. A status of 429, 502, 503 or 504 reduces it (rule W5).
struct Backpressure: Hashable, Sendable {
    private enum State: Hashable {
        /// Each success allows one attempt more, up to the limit of the settings.
        case increasing(maximumInFlight: Int)
        /// One attempt at a time. The next pause is twice as long.
        case slowed(pause: Duration)
    }

    static let statuses: Set<Int> = [429, 502, 503, 504]

    private var state: State
    private let limit: Int
    /// No attempt starts before this time, also when one that was in flight succeeds.
    private(set) var pausedUntil = Timestamp.distantPast

    init(maximumInFlight: Int) {
        limit = maximumInFlight
        state = .increasing(maximumInFlight: maximumInFlight)
    }

    /// Maximum number of concurrent attempts now.
    var maximumInFlight: Int {
        switch state {
        case .increasing(let maximum): maximum
        case .slowed: 1
        }
    }

    /// Pauses for 1 s, twice as long each time in a row up to 60 s, and at least as long as the receiver asked for.
    mutating func slowDown(at now: Timestamp, retryAfter: Duration = .zero) {
        let pause: Duration
        switch state {
        case .increasing: pause = .seconds(1)
        case .slowed(let last): pause = min(last * 2, .seconds(60))
        }
        state = .slowed(pause: pause)
        pausedUntil = max(pausedUntil, now + max(pause, retryAfter))
    }

    mutating func noteSuccess() {
        state = .increasing(maximumInFlight: min(maximumInFlight + 1, limit))
    }
}
