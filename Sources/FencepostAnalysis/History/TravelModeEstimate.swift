#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The most probable way of travelling, from the speeds and turns of a trip.
///
/// A naive Bayes classifier: the logarithms of two speeds are taken as normally distributed for each mode, and sharp turns
/// speak against rails. `docs/quality.md` has its figures and what it cannot tell apart.
struct TravelModeEstimate {
    /// The features of a trip.
    struct Features {
        /// Metres.
        var distance: Double
        /// The speed at which half of the distance is covered, in metres per second.
        var cruise: Double
        /// Exceeded for 5 % of the time in motion, in metres per second.
        var top: Double
        /// Number of turns of more than 50° within 80 m at more than 3 m/s; `nil` if the locations are too far apart to
        /// show any.
        var turns: Int?
    }

    let mode: TravelMode
    /// Posterior probability of the mode, 0 to 1.
    let confidence: Double

    private struct Model {
        let mode: TravelMode
        let prior: Double
        /// Median and deviation of the natural logarithm.
        let cruise, top: (median: Double, spread: Double)
    }

    private static let models = [
        Model(mode: .walking, prior: 0.34, cruise: (1.35, 0.28), top: (1.9, 0.38)),
        Model(mode: .cycling, prior: 0.12, cruise: (4.8, 0.3), top: (7, 0.36)),
        Model(mode: .driving, prior: 0.45, cruise: (13, 0.65), top: (19, 0.6)),
        Model(mode: .rail, prior: 0.07, cruise: (20, 0.5), top: (31, 0.5)),
        Model(mode: .air, prior: 0.02, cruise: (200, 0.35), top: (235, 0.3)),
    ]

    /// The turns that a way by rail has: those of the ways to the station, and wrong ones.
    private static let railTurns = 0.3
    /// The largest weight of turns: their number depends on the city.
    private static let turnWeight = 6.0

    init(_ features: Features) {
        let scores = Self.models.map { model -> Double in
            var score = log(model.prior)
            score += Self.logDensity(features.cruise, model.cruise)
            // Both speeds vary together, so the second one says less.
            score += 0.5 * Self.logDensity(features.top, model.top)
            if model.mode == .rail, let turns = features.turns, features.distance > 3000 {
                // Turns speak against rails (a Poisson ratio to the most likely rate); none at all on a long way for them.
                let count = Double(turns)
                let ratio = turns == 0 ? 0 : count * log(count / Self.railTurns) - count + Self.railTurns
                score += turns == 0 ? min(features.distance / 10_000, 2) : -min(ratio, Self.turnWeight)
            }
            return score
        }
        let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
        mode = Self.models[best].mode
        confidence = 1 / scores.reduce(0) { $0 + exp($1 - scores[best]) }
    }

    private static func logDensity(_ value: Double, _ model: (median: Double, spread: Double)) -> Double {
        let z = log(max(value, 0.05) / model.median) / model.spread
        // Heavier tails than those of a normal distribution: no single feature decides against all others.
        return -2.5 * log(1 + z * z / 4) - log(model.spread)
    }
}
