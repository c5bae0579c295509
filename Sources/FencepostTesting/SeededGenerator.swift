internal import FencepostModel

/// A seeded random number generator for tests: equal seeds give equal numbers.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    /// A generator whose numbers follow from the seed.
    public init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    /// The next number of SplitMix64.
    public mutating func next() -> UInt64 { generator.next() }
}
