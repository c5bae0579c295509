#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The chances of a generated benchmark: the same on every run with the same seed (SplitMix64, Steele et al. 2014).
struct GeneratorRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &self) }

    mutating func chance(_ probability: Double) -> Bool { uniform(0...1) < probability }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }

    /// Normal, by Box and Muller.
    mutating func normal(_ deviation: Double = 1) -> Double {
        deviation * (-2 * log(uniform(1e-12...1))).squareRoot() * cos(2 * .pi * uniform(0...1))
    }

    mutating func exponential(_ mean: Double) -> Double { -mean * log(uniform(1e-12...1)) }

    /// Log-normal about a median, `spread` in natural logarithms.
    mutating func logNormal(_ median: Double, spread: Double) -> Double { median * exp(normal(spread)) }

    /// A stream of its own, so that one part of the benchmark does not change with another.
    mutating func split() -> GeneratorRandom { GeneratorRandom(seed: next()) }
}
