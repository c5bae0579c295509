#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Divides the paces of a trip into parts on foot and rides.
///
/// A hidden Markov model of two states: somebody on foot stands or goes at about 1.35 m/s; a vehicle stands, creeps or goes
/// faster. A change between them costs what a change every ten minutes makes likely. The Viterbi algorithm finds the most
/// probable sequence (Forney 1973).
enum LegSplitter {
    struct Part: Hashable {
        /// Of the paces.
        var range: Range<Int>
        var isRide: Bool
        /// How much more probable the state is than the other one over the part, as a logarithm.
        var evidence: Double
    }

    /// Logarithm of the probability of a change.
    private static let change = -4.0
    /// Seconds that count as one observation, because speeds of neighbours depend on each other, and the most that one
    /// pace counts.
    private static let independent = 30.0, mostObservations = 2.0
    /// A slower pace says little: both stand.
    private static let standing = 0.5, standingEvidence = 0.1
    /// Median and deviation of the natural logarithm of the speed, and the density of other speeds.
    private static let foot = (median: 1.35, deviation: 0.3, other: 0.003)
    private static let ride = (median: 7.0, deviation: 1.0, other: 0.08)
    /// Limits of the evidence of one observation.
    private static let limits = -2.0...4.0

    /// How much likelier a speed in metres per second is in a ride than on foot, as a logarithm.
    private static func evidence(_ speed: Double) -> Double {
        guard speed >= standing else { return standingEvidence }
        func density(_ model: (median: Double, deviation: Double, other: Double)) -> Double {
            let z = log(speed / model.median) / model.deviation
            return exp(-z * z / 2) / model.deviation + model.other
        }
        return min(max(log(density(ride) / density(foot)), limits.lowerBound), limits.upperBound)
    }

    /// The parts, in the order of time, without gaps between them.
    static func parts(of paces: [TrackPaces.Pace]) -> [Part] {
        let gains = paces.map { evidence($0.speed) * min($0.seconds / independent, mostObservations) }
        // The logarithms of the most probable sequences that end on foot and in a ride.
        var (onFoot, riding) = (0.0, 0.0)
        var changes: [(toFoot: Bool, toRide: Bool)] = []
        for gain in gains {
            let next = (toFoot: riding + change > onFoot, toRide: onFoot + change > riding)
            (onFoot, riding) = (
                next.toFoot ? riding + change : onFoot, (next.toRide ? onFoot + change : riding) + gain
            )
            changes.append(next)
        }
        var isRide = riding > onFoot
        var states: [Bool] = []
        for index in paces.indices.reversed() {
            states.append(isRide)
            if isRide ? changes[index].toRide : changes[index].toFoot { isRide.toggle() }
        }
        states.reverse()
        var parts: [Part] = []
        for index in paces.indices {
            let gain = states[index] ? gains[index] : -gains[index]
            if let last = parts.last, last.isRide == states[index] {
                parts[parts.count - 1].range = last.range.lowerBound..<(index + 1)
                parts[parts.count - 1].evidence += gain
            } else {
                parts.append(Part(range: index..<(index + 1), isRide: states[index], evidence: gain))
            }
        }
        return parts
    }
}
