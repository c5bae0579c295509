import FencepostModel
import Synchronization

/// Generates ids for requests without one. They are unique within a run of the service.
final class RequestIDs: Sendable {
    private let key: UInt64
    private let count = Atomic<UInt64>(0)

    /// - Parameter key: a random number.
    init(key: UInt64) {
        self.key = key
    }

    func next() -> String {
        // Each step is a bijection, so different counts give different ids. An id does not disclose the count.
        let count = count.add(1, ordering: .relaxed).newValue
        return String(SplitMix64.mix((count &- 1) &* SplitMix64.increment &+ key), radix: 36)
    }
}
