import FencepostModel

/// Stops attempts to an endpoint that fails again and again, except for one probe per interval (rule W10).
///
/// It only delays attempts: a delivery does not lose one while the circuit is open.
struct CircuitBreaker: Hashable, Sendable {
    enum State: Hashable {
        /// Attempts are allowed. Becomes `open` when the failures in a row reach the threshold.
        case closed(failures: Int)
        /// No attempt before this time. The first attempt after it is the probe.
        case open(until: Timestamp)
        /// The probe is in flight. Becomes `closed` when it succeeds, else `open`.
        case probing
    }

    private(set) var state: State
    private let threshold: Int
    private let interval: Duration

    /// A circuit after a number of failed attempts in a row; it starts open when they reach the threshold.
    ///
    /// `lastFailure` is the time of the last of them, and `interval` is the time from a failure to the next probe.
    init(failures: Int = 0, lastFailure: Timestamp? = nil, threshold: Int = 10, interval: Duration = .seconds(60)) {
        self.threshold = threshold
        self.interval = interval
        state =
            failures >= threshold
            ? .open(until: (lastFailure ?? .distantPast) + interval) : .closed(failures: max(failures, 0))
    }

    var isClosed: Bool {
        switch state {
        case .closed: true
        case .open, .probing: false
        }
    }

    /// Records the start of an attempt.
    ///
    /// - Precondition: no probe is in flight.
    mutating func attemptStarted() {
        switch state {
        case .closed: break
        case .open: state = .probing
        case .probing: preconditionFailure("a probe is in flight")
        }
    }

    mutating func attemptSucceeded() {
        state = .closed(failures: 0)
    }

    mutating func attemptFailed(at now: Timestamp) {
        switch state {
        case .closed(let failures):
            state = failures + 1 >= threshold ? .open(until: now + interval) : .closed(failures: failures + 1)
        case .probing: state = .open(until: now + interval)
        case .open: break  // The attempt was in flight when the circuit opened.
        }
    }
}
