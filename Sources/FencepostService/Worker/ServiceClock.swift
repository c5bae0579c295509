public import FencepostModel
import Synchronization

/// The service's time: wall time without jumps (rule D5). `ServiceTime` has the rules.
public final class ServiceClock: Sendable {
    private struct State {
        var time: ServiceTime
        /// Steps that `takeSteps` has not returned yet.
        var steps: [ClockStep] = []
    }

    private let state: Mutex<State>
    private let steady: @Sendable () -> Duration
    private let wallClock: @Sendable () -> Timestamp
    private let wasSet: @Sendable () -> Bool

    /// - Parameters:
    ///   - steady: time since a fixed moment; monotonic, without jumps.
    ///   - wall: wall time.
    ///   - floor: a wall clock before this was never set.
    ///   - wasSet: whether the system reports that the wall clock was set since the call before.
    public init(
        steady: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Timestamp,
        notBefore floor: Timestamp = .distantPast, wasSet: @escaping @Sendable () -> Bool = { false }
    ) {
        self.steady = steady
        self.wasSet = wasSet
        wallClock = wall
        state = Mutex(State(time: ServiceTime(ClockReading(steady: steady(), wall: wall()), notBefore: floor)))
    }

    /// Wall time, including its jumps. Webhook signatures use it, because receivers compare it with their own clock.
    public func wall() -> Timestamp { wallClock() }

    /// The service's time; monotonic.
    public func now() -> Timestamp { advanced { $0.now } }

    /// The later one of the service's time and the wall time: the times of fixes are compared with it, so that no fix of
    /// the present is refused while the service's time follows a wall clock that was set.
    public func latest() -> Timestamp { max(now(), wallClock()) }

    /// Wall time minus the service's time.
    public func skew() -> Duration { wallClock() - now() }

    /// Whether the service's time can be trusted, as of now.
    public func status() -> ClockStatus { advanced { $0.status } }

    /// The steps since the call before, for the log.
    public func takeSteps() -> [ClockStep] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }

    private func advanced<T>(_ read: (ServiceTime) -> T) -> T {
        let reading = ClockReading(steady: steady(), wall: wallClock())
        return state.withLock { state in
            if let step = state.time.advance(to: reading, wasSet: wasSet) { state.steps.append(step) }
            return read(state.time)
        }
    }
}
