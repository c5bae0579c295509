internal import Synchronization

/// A pause that can be cut short from elsewhere.
public final class Waker: Sendable {
    private struct State {
        var isAwake = false
        var sleeper: Task<Void, Never>?
    }

    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// Creates a value.
    ///
    /// - Parameter clock: measures the pauses.
    public init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

    /// Waits for a time, until `wake`, or until the task is cancelled; not at all when it was woken since the last `rest`.
    public func pause(_ time: Duration) async {
        let sleeper: Task<Void, Never>? = state.withLock { state in
            guard !state.isAwake else { return nil }
            let sleeper = Task { [clock] in _ = try? await clock.sleep(for: time) }
            state.sleeper = sleeper
            return sleeper
        }
        guard let sleeper else { return }
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
    }

    /// Ends a pause, or the next one.
    public func wake() {
        state.withLock { state in
            state.isAwake = true
            state.sleeper?.cancel()
        }
    }

    /// Lets the next pause take its time.
    public func rest() {
        state.withLock { state in
            state.isAwake = false
            state.sleeper = nil
        }
    }
}
