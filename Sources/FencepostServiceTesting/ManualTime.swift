public import FencepostModel
public import FencepostService
import Synchronization

/// A clock that a test advances.
public final class ManualTime: Sendable {
    private struct State {
        var steady = Duration.zero
        var wall: Timestamp
        var nextID: UInt64 = 0
        var sleeping: [UInt64: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state: Mutex<State>

    /// A clock whose wall time is `start`.
    public init(_ start: Timestamp) {
        state = Mutex(State(wall: start))
    }

    /// A service clock that follows this one.
    public var clock: ServiceClock { clock(notBefore: .distantPast) }

    /// A service clock that follows this one; a wall clock before `floor` was never set.
    public func clock(notBefore floor: Timestamp) -> ServiceClock {
        ServiceClock(
            steady: { self.state.withLock { $0.steady } }, wall: { self.state.withLock { $0.wall } }, notBefore: floor)
    }

    /// Advances the steady and the wall clock, and resumes the sleepers that are due.
    public func advance(by span: Duration) {
        let woken = state.withLock { state in
            state.steady += span
            state.wall = state.wall + span
            let due = state.sleeping.filter { $0.value.until <= state.steady }
            for id in due.keys { state.sleeping[id] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Sets the wall clock only.
    public func jump(by span: Duration) { state.withLock { $0.wall = $0.wall + span } }

    /// Time until the first sleeper is due; `nil` without sleepers.
    public var untilFirstSleeper: Duration? {
        state.withLock { state in state.sleeping.values.map { $0.until - state.steady }.min() }
    }

    /// Number of sleepers.
    public var sleeperCount: Int { state.withLock { $0.sleeping.count } }

    /// Waits until the clock was advanced by a span.
    ///
    /// - Throws: when the task is cancelled.
    public func sleep(for span: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.sleeping[id] = (state.steady + span, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            state.withLock { $0.sleeping.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}
