import Synchronization

/// Names for requests that bring none: no two of a run of the service are the same.
final class RequestIDs: Sendable {
    private let key: UInt64
    private let count = Atomic<UInt64>(0)

    /// - Parameter key: a random number.
    init(key: UInt64) {
        self.key = key
    }

    func next() -> String {
        // Each step can be undone, so that two numbers never become one; and none tells how many there were before.
        // Source: the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
        var number = count.add(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15 &+ key
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return String(number ^ (number >> 31), radix: 36)
    }
}
