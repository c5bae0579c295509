public import FencepostModel

/// Keeps messages away from an endpoint that does not take any (rule W10).
///
/// It delays; whether an attempt was used up is none of its business.
public struct CircuitBreaker: Hashable, Sendable {
    private enum State: Hashable {
        /// Leaves for `open` when the failures in a row reach the threshold.
        case closed(failures: Int)
        /// Lets one attempt through from this moment on, and becomes `probing` with it.
        case open(until: Timestamp)
        /// Waits for that one attempt: `closed` when it went well, else `open` again.
        case probing
    }

    private var state: State
    private let threshold: Int
    private let interval: Duration

    /// - Parameters:
    ///   - failures: how many attempts failed in a row before; from `threshold` on it begins open.
    ///   - lastFailure: when the last of them failed.
    ///   - interval: from a failure to the next probe.
    public init(
        failures: Int = 0, lastFailure: Timestamp? = nil, threshold: Int = 10, interval: Duration = .seconds(60)
    ) {
        self.threshold = threshold
        self.interval = interval
        state =
            failures >= threshold
            ? .open(until: (lastFailure ?? .distantPast) + interval) : .closed(failures: max(failures, 0))
    }

    public var isOpen: Bool {
        switch state {
        case .closed: false
        case .open, .probing: true
        }
    }

    /// From when on an attempt may be made; `distantFuture` while a probe is out.
    public var opensAt: Timestamp {
        switch state {
        case .closed: .distantPast
        case .open(let until): until
        case .probing: .distantFuture
        }
    }

    /// Notes that an attempt is being made.
    ///
    /// - Precondition: it may be, by `opensAt`.
    public mutating func attemptStarted() {
        switch state {
        case .closed: break
        case .open: state = .probing
        case .probing: preconditionFailure("only one probe at a time")
        }
    }

    public mutating func attemptSucceeded() {
        state = .closed(failures: 0)
    }

    public mutating func attemptFailed(at now: Timestamp) {
        switch state {
        case .closed(let failures):
            state = failures + 1 >= threshold ? .open(until: now + interval) : .closed(failures: failures + 1)
        case .probing: state = .open(until: now + interval)
        case .open: break  // one that was on its way when it opened
        }
    }
}
