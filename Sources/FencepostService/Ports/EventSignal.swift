import Synchronization

/// Wakes those who follow the stored events.
///
/// It carries no events: who is woken reads on from where it was, so that a slow reader holds up nobody.
public final class EventSignal: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var nextID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// How often something was stored; read it before the store, and hand it to `wait` after.
    public var generation: UInt64 { state.withLock { $0.generation } }

    /// Says that events were stored.
    public func raise() {
        let waiting = state.withLock { state in
            state.generation += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when something was stored since then, or the task was cancelled.
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
            // Either the waiting is on already and ends here, or it sees the cancellation when it begins.
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
