import Metrics
import Synchronization

/// Counts the readers of event streams, in all and per token (rule L9).
package final class StreamLimit: Sendable {
    private struct State {
        var count = 0
        var byOwner: [String: Int] = [:]
    }

    private let limit, ownerLimit: Int
    private let state = Mutex(State())
    private let gauge = Gauge(label: "fencepost_stream_readers")
    private let refused = Counter(label: "fencepost_streams_refused_total")

    package init(limit: Int, ownerLimit: Int) {
        self.limit = limit
        self.ownerLimit = ownerLimit
    }

    /// A place that is free again when the value is released.
    package final class Slot: Sendable {
        private let release: @Sendable () -> Void

        fileprivate init(release: @escaping @Sendable () -> Void) {
            self.release = release
        }

        deinit {
            release()
        }
    }

    /// - Returns: `nil` when the owner or all together have too many readers.
    package func take(_ owner: String) -> Slot? {
        let count = state.withLock { state -> Int? in
            guard state.count < limit, state.byOwner[owner, default: 0] < ownerLimit else { return nil }
            state.count += 1
            state.byOwner[owner, default: 0] += 1
            return state.count
        }
        guard let count else {
            refused.increment()
            return nil
        }
        gauge.record(count)
        return Slot { [self] in
            let count = state.withLock { state in
                state.count -= 1
                let own = state.byOwner[owner, default: 0] - 1
                state.byOwner[owner] = own > 0 ? own : nil
                return state.count
            }
            gauge.record(count)
        }
    }
}
