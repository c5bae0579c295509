import Synchronization

/// Notifies readers that new events are stored.
///
/// It carries no events: a reader continues in the store at its own position, so a slow reader delays nobody.
public final class EventSignal: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var nextID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// A signal that has not been raised.
    public init() {}

    /// Number of `raise` calls. A reader reads it before the store, and passes it to `wait` afterwards.
    public var generation: UInt64 { state.withLock { $0.generation } }

    /// Notifies all waiting readers.
    public func raise() {
        let waiting = state.withLock { state in
            state.generation += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when `raise` was called since a generation, or the task is cancelled.
    public func wait(since generation: UInt64) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.generation == generation, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            // A task that does not wait yet sees the cancellation when it starts to wait.
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
