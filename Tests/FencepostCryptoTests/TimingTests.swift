import FencepostCrypto
import Foundation
import Testing

/// Whether the time of a comparison shows where two secrets differ, by Welch's t-test.
///
/// The method is that of dudect (Reparaz, Balasch and Verbauwhede 2017): two classes of inputs in random order, the slowest
/// samples left out, and |t| above 4.5 as evidence of a difference.
@Suite(
    "The time of a comparison",
    .enabled(if: ProcessInfo.processInfo.environment["FENCEPOST_TIMING"] != nil, "takes a minute: FENCEPOST_TIMING=1"))
struct TimingTests {
    private static let samples = ProcessInfo.processInfo.environment["FENCEPOST_TIMING"].flatMap { Int($0) } ?? 0

    /// Mean and variance of numbers that come one after the other (Welford).
    private struct Moments {
        var count = 0.0, mean = 0.0, squares = 0.0

        mutating func add(_ value: Double) {
            count += 1
            let delta = value - mean
            mean += delta / count
            squares += delta * (value - mean)
        }

        var error: Double { squares / (count - 1) / count }
    }

    /// Welch's t between inputs that differ in their first byte and inputs that differ in their last one.
    private func difference(_ compare: ([UInt8], [UInt8]) -> Bool) -> (t: Double, nanoseconds: (Double, Double)) {
        let secret = (0..<32).map { UInt8($0) &* 37 }
        let inputs = [0, 31].map { index in
            var input = secret
            input[index] ^= 1
            return input
        }
        var times: [(isLate: Bool, nanoseconds: Double)] = []
        var random = SystemRandomNumberGenerator()
        var equal = 0
        for _ in 0..<max(Self.samples, 100_000) {
            let isLate = Bool.random(using: &random)
            let input = inputs[isLate ? 1 : 0]
            let start = DispatchTime.now().uptimeNanoseconds
            for _ in 0..<16 where compare(input, secret) { equal += 1 }
            times.append((isLate, Double(DispatchTime.now().uptimeNanoseconds - start) / 16))
        }
        #expect(equal == 0)
        let limit = times.map(\.nanoseconds).sorted()[times.count * 9 / 10]
        var (early, late) = (Moments(), Moments())
        for (isLate, time) in times where time < limit {
            if isLate { late.add(time) } else { early.add(time) }
        }
        return ((late.mean - early.mean) / (late.error + early.error).squareRoot(), (early.mean, late.mean))
    }

    private func report(_ name: String, _ result: (t: Double, nanoseconds: (Double, Double))) {
        let numbers = [result.t, result.nanoseconds.0, result.nanoseconds.1].map { String(format: "%.2f", $0) }
        print("\(name): t = \(numbers[0]); \(numbers[1]) ns for the first byte, \(numbers[2]) ns for the last")
    }

    @Test("of tokens and signatures does not depend on where they differ")
    func constant() {
        let result = difference(ConstantTime.areEqual)
        report("ConstantTime.areEqual", result)
        #expect(abs(result.t) < 4.5)
    }

    @Test("differs for a comparison that ends at the first difference")
    func naive() {
        let result = difference { a, b in
            for index in a.indices where a[index] != b[index] { return false }
            return true
        }
        report("byte by byte", result)
        #expect(result.t > 4.5)
    }
}
