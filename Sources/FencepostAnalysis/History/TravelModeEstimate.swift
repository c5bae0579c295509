#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The most probable way of travelling of a part of a trip.
///
/// A naive Bayes classifier of the cruising speed, how far the fastest and the median speed are from it, and what separates
/// rails from roads: halts, bends and tunnels. `docs/quality.md` has the origin of its parameters and its figures.
struct TravelModeEstimate {
    let mode: TravelMode
    /// Posterior probability of the mode, 0 to 1.
    let confidence: Double

    /// A normal distribution of a natural logarithm.
    private struct Normal {
        let mean, deviation: Double

        init(_ mean: Double, _ deviation: Double) { (self.mean, self.deviation) = (mean, deviation) }

        func logDensity(_ value: Double) -> Double {
            let z = (value - mean) / deviation
            // Heavier tails than those of a normal distribution: no single feature decides against all others.
            return -2.5 * log(1 + z * z / 4) - log(deviation)
        }
    }

    /// A number of events whose rate differs between trips: a negative binomial distribution.
    private struct Rate {
        /// Events for each kilometre.
        let mean: Double
        /// The larger, the more alike the trips are.
        let likeness: Double

        func logProbability(_ count: Double, in kilometers: Double) -> Double {
            let expected = max(mean * kilometers, 1e-6)
            return lgamma(count + likeness) - lgamma(likeness) - lgamma(count + 1)
                + likeness * log(likeness / (likeness + expected)) + count * log(expected / (likeness + expected))
        }
    }

    private struct Model {
        let mode: TravelMode
        let prior: Double
        /// Of the cruising speed, and of the fastest and the median speed as a share of it.
        let cruise, top, median: Normal
        let halts: Rate
        /// Of the degrees of bend for each kilometre.
        let bends: Normal
    }

    /// Halts on streets are those of lights and buses; on foot and by bicycle it is never fast enough for any.
    private static let streetHalts = Rate(mean: 0.5, likeness: 0.6)

    private static let models = [
        Model(
            mode: .walking, prior: 0.03, cruise: Normal(0.7, 0.25), top: Normal(0.3, 0.2), median: Normal(-0.2, 0.2),
            halts: streetHalts, bends: Normal(3.5, 0.7)),
        Model(
            mode: .cycling, prior: 0.13, cruise: Normal(1.4, 0.25), top: Normal(0.25, 0.14),
            median: Normal(-0.13, 0.12), halts: streetHalts, bends: Normal(3.5, 0.7)),
        // Streets.
        Model(
            mode: .driving, prior: 0.4, cruise: Normal(2.05, 0.5), top: Normal(0.5, 0.25), median: Normal(-0.4, 0.35),
            halts: streetHalts, bends: Normal(3.3, 0.5)),
        // Motorways.
        Model(
            mode: .driving, prior: 0.1, cruise: Normal(3.2, 0.25), top: Normal(0.2, 0.15), median: Normal(-0.3, 0.35),
            halts: Rate(mean: 0.05, likeness: 1), bends: Normal(2.6, 0.4)),
        // Trains.
        Model(
            mode: .rail, prior: 0.18, cruise: Normal(3.25, 0.35), top: Normal(0.38, 0.22), median: Normal(-0.38, 0.3),
            halts: Rate(mean: 0.13, likeness: 2), bends: Normal(2.2, 0.45)),
        // Rapid transit.
        Model(
            mode: .rail, prior: 0.12, cruise: Normal(2.65, 0.35), top: Normal(0.45, 0.25), median: Normal(-0.35, 0.3),
            halts: Rate(mean: 0.35, likeness: 1), bends: Normal(2.5, 0.5)),
    ]
    /// What is added before the logarithm is taken, so that a straight line has one.
    private static let leastBend = 3.0
    /// The weight of a way in silence for rails: tunnels are long there, and phones are silent everywhere.
    private static let silentWeight = 2.0
    /// Seconds at `RideFeatures.flightSpeed` that make a flight.
    private static let leastFlight = 480.0
    private static let flightConfidence = 0.97
    /// Features depend on each other, so together they say less than their product.
    private static let temper = 0.7

    init(_ features: RideFeatures) {
        guard features.flightSeconds < Self.leastFlight else {
            (mode, confidence) = (.air, Self.flightConfidence)
            return
        }
        let cruise = max(features.cruise, 0.3)
        var scores: [TravelMode: Double] = [:]
        for model in Self.models {
            var score = log(model.prior)
            score += model.cruise.logDensity(log(cruise))
            score += model.top.logDensity(log(max(features.top, 0.3) / cruise))
            score += model.median.logDensity(log(max(features.median, 0.3) / cruise))
            score += model.halts.logProbability(Double(features.halts), in: features.distance / 1000)
            if let bends = features.bends { score += model.bends.logDensity(log(bends + Self.leastBend)) }
            if model.mode == .rail { score += Self.silentWeight * features.silent }
            scores[model.mode, default: 0] += exp(score * Self.temper)
        }
        let best = scores.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
        mode = best?.key ?? .driving
        confidence = (best?.value ?? 0) / scores.values.reduce(0, +)
    }
}
