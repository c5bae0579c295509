public import FencepostModel
import Synchronization

/// The service's time: the wall clock's, without its jumps (rule D5).
///
/// Time passes as on the steady clock. Where the wall clock was set to something else, this one follows it slowly, by a
/// tenth of what passes, so that a jump of an hour makes no timer fire early or late by more than that tenth.
public final class ServiceClock: Sendable {
    private struct State {
        var now: Timestamp
        /// The reading of the steady clock that belongs to `now`.
        var reading: Duration
    }

    /// How much of the time that passes goes into catching up with the wall clock.
    public static let slew = 0.1

    private let state: Mutex<State>
    private let steady: @Sendable () -> Duration
    private let wallClock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - steady: time since some fixed moment, which never goes back and never jumps.
    ///   - wall: what the calendar says.
    public init(steady: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> Timestamp) {
        self.steady = steady
        wallClock = wall
        state = Mutex(State(now: wall(), reading: steady()))
    }

    /// What the calendar says now, jumps and all: for receivers of webhooks, who compare it with theirs.
    public func wall() -> Timestamp { wallClock() }

    /// The service's time; never goes back.
    public func now() -> Timestamp {
        let (reading, wall) = (steady(), wallClock())
        return state.withLock { state in
            let passed = max(reading - state.reading, .zero).milliseconds
            let ahead = (wall - (state.now + .milliseconds(passed))).milliseconds
            let most = Int64(Double(passed) * ServiceClock.slew)
            // Less than a second apart is the wall clock being disciplined, which is a slew already.
            let correction = abs(ahead) < 1000 ? ahead : min(max(ahead, -most), most)
            let step = max(passed + correction, 0)
            guard step > 0 else { return state.now }
            state.now = state.now + .milliseconds(step)
            state.reading += .milliseconds(passed)
            return state.now
        }
    }

    /// How far the wall clock is ahead of the service's time.
    public func skew() -> Duration { wallClock() - now() }
}
