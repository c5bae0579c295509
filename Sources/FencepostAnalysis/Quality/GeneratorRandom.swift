import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The random source of generated benchmarks (SplitMix64, Steele et al. 2014). The same seed gives the same numbers.
struct GeneratorRandom: RandomNumberGenerator {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &self) }

    mutating func chance(_ probability: Double) -> Bool { uniform(0...1) < probability }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }

    /// Normally distributed (Box–Muller).
    mutating func normal(_ deviation: Double = 1) -> Double {
        deviation * (-2 * log(uniform(1e-12...1))).squareRoot() * cos(2 * .pi * uniform(0...1))
    }

    mutating func exponential(_ mean: Double) -> Double { -mean * log(uniform(1e-12...1)) }

    /// Log-normally distributed around a median; `spread` is the deviation of the natural logarithm.
    mutating func logNormal(_ median: Double, spread: Double) -> Double { median * exp(normal(spread)) }

    /// An independent source, so that parts of a benchmark do not influence each other.
    mutating func split() -> GeneratorRandom { GeneratorRandom(seed: next()) }
}
