public import FencepostModel
import Synchronization

/// The service's time: wall time without jumps (rule D5).
///
/// It advances with the steady clock. When the wall clock is set, the service's time slews towards it by a tenth of the
/// elapsed time. A jump of an hour so makes no timer fire more than a tenth early or late.
public final class ServiceClock: Sendable {
    private struct State {
        var now: Timestamp
        /// The reading of the steady clock that belongs to `now`.
        var reading: Duration
    }

    /// Largest correction per elapsed time, a ratio.
    public static let slew = 0.1

    private let state: Mutex<State>
    private let steady: @Sendable () -> Duration
    private let wallClock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - steady: time since a fixed moment; monotonic, without jumps.
    ///   - wall: wall time.
    public init(steady: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Timestamp) {
        self.steady = steady
        wallClock = wall
        state = Mutex(State(now: wall(), reading: steady()))
    }

    /// Wall time, including its jumps. Webhook signatures use it, because receivers compare it with their own clock.
    public func wall() -> Timestamp { wallClock() }

    /// The service's time; monotonic.
    public func now() -> Timestamp {
        let (reading, wall) = (steady(), wallClock())
        return state.withLock { state in
            let passed = max(reading - state.reading, .zero).milliseconds
            let ahead = (wall - (state.now + .milliseconds(passed))).milliseconds
            let most = Int64(Double(passed) * ServiceClock.slew)
            // A difference below a second comes from a wall clock that NTP slews already.
            let correction = abs(ahead) < 1000 ? ahead : min(max(ahead, -most), most)
            let step = max(passed + correction, 0)
            guard step > 0 else { return state.now }
            state.now = state.now + .milliseconds(step)
            state.reading += .milliseconds(passed)
            return state.now
        }
    }

    /// Wall time minus the service's time.
    public func skew() -> Duration { wallClock() - now() }
}
