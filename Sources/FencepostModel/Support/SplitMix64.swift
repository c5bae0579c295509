/// A seeded random number generator: equal seeds give equal numbers (SplitMix64, Steele et al. 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        defer { state &+= Self.increment }
        return Self.mix(state)
    }

    /// A uniform random number from 0 up to, but not including, 1.
    public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// The difference of consecutive states.
    @inlinable public static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

    /// The output function of the generator as a hash: each bit of the word affects each bit of the result.
    @inlinable
    public static func mix(_ word: UInt64) -> UInt64 {
        var hash = word &+ increment
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
