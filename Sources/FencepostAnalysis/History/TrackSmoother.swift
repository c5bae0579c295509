internal import FencepostGeometry
internal import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A location of a trip, reduced to what its line needs.
struct TrackPoint: Hashable, Sendable {
    var time: Timestamp
    var coordinate: Coordinate
    /// Radius of 68 % confidence in metres; `nil` if unknown.
    var accuracy: Double?
}

/// Smooths the positions of a track: a Kalman filter of position and velocity, and the smoother of Rauch, Tung and
/// Striebel (1965) over it.
///
/// How much the device accelerates, and how right its accuracies are, is estimated per track by the likelihood of its
/// positions. So neither dense inaccurate locations lengthen the line nor sparse ones cut its corners more than needed.
struct TrackSmoother {
    struct State {
        var time: Timestamp
        var coordinate: Coordinate
        /// Speed of the smoothed motion in metres per second.
        var speed: Double
        /// How many times as long as the straight way to the next state the smoothed one is, from 1 to `largestBend`.
        var bend = 1.0
    }

    /// A point in the plane: metres along latitude and longitude, unrolled so that no step is longer than half way round.
    private struct Sample {
        var time, x, y, variance: Double
    }

    /// Position and velocity of both axes, and their common covariance.
    private struct Estimate {
        var x = 0.0, y = 0.0, vx = 0.0, vy = 0.0
        var pp = 0.0, pv = 0.0, vv = 0.0
    }

    /// Of a location without a stated accuracy, and the least that is taken as true, in metres.
    private static let unknownAccuracy = 15.0, leastAccuracy = 2.0
    /// Spectral densities of acceleration in m²/s³. Smaller ones cut the corners of ways on foot.
    private static let accelerations = [0.1, 0.2, 2, 20]
    private static let accuracyFactors = [0.25, 0.5, 1, 2]
    /// The deviation in metres above which accuracies are not better than stated: phones state ±65 m for much better
    /// positions by Wi-Fi, and true values for cell towers.
    private static let coarse = 70.0
    /// The number of points that the estimate of the two uses.
    private static let estimateLength = 1500
    /// A position that deviates by more standard deviations counts with a larger error.
    private static let gate = 3.5

    /// Half a circle over its chord: where the estimated velocities say more, they are errors of the positions.
    private static let largestBend = Double.pi / 2

    private let samples: [Sample]
    private let points: [TrackPoint]
    private let scale: (x: Double, y: Double)

    /// - Precondition: the points are in the order of time.
    init(_ points: [TrackPoint]) {
        self.points = points
        guard let first = points.first else {
            samples = []
            scale = (1, 1)
            return
        }
        let middle = points[points.count / 2].coordinate.latitude
        let plane = LocalPlane(
            origin: Coordinate(latitude: min(max(middle, -85), 85), longitude: first.coordinate.longitude))
        scale = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        var (x, longitude) = (0.0, first.coordinate.longitude)
        var samples: [Sample] = []
        samples.reserveCapacity(points.count)
        for point in points {
            x += Self.difference(longitude, point.coordinate.longitude) * scale.x
            longitude = point.coordinate.longitude
            // The radius of 68 % of a two-dimensional normal distribution is 1.515 deviations.
            let deviation = max(point.accuracy ?? Self.unknownAccuracy, Self.leastAccuracy) / 1.515
            samples.append(
                Sample(
                    time: (point.time - first.time).seconds, x: x,
                    y: (point.coordinate.latitude - first.coordinate.latitude) * scale.y,
                    variance: deviation * deviation))
        }
        self.samples = samples
    }

    /// Degrees from one longitude to another, the short way.
    private static func difference(_ from: Double, _ to: Double) -> Double {
        let degrees = to - from
        return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
    }

    /// The smoothed states, one for each point.
    func states() -> [State] {
        guard samples.count > 2 else {
            return points.map { State(time: $0.time, coordinate: $0.coordinate, speed: 0) }
        }
        var best = (likelihood: -Double.infinity, acceleration: 0.3, factor: 1.0)
        let part = samples.prefix(Self.estimateLength)
        for acceleration in Self.accelerations {
            for factor in Self.accuracyFactors {
                let likelihood = filter(part, acceleration: acceleration, factor: factor, into: nil)
                if likelihood > best.likelihood { best = (likelihood, acceleration, factor) }
            }
        }
        var track: [(predicted: Estimate, filtered: Estimate)] = []
        track.reserveCapacity(samples.count)
        _ = filter(samples[...], acceleration: best.acceleration, factor: best.factor) { track.append(($0, $1)) }
        return smoothed(track)
    }

    /// Runs the filter forwards.
    ///
    /// `body`: called with the predicted and the filtered estimate of each sample.
    ///
    /// - Returns: the log-likelihood of the samples.
    private func filter(
        _ samples: ArraySlice<Sample>, acceleration q: Double, factor: Double,
        into body: ((Estimate, Estimate) -> Void)?
    ) -> Double {
        guard let first = samples.first else { return 0 }
        var state = Estimate(x: first.x, y: first.y, pp: first.variance * factor * factor, vv: 400)
        body?(state, state)
        var time = first.time
        var likelihood = 0.0
        for sample in samples.dropFirst() {
            state = Self.predicted(state, after: sample.time - time, acceleration: q)
            time = sample.time
            let prediction = state
            let error = sample.variance > Self.coarse * Self.coarse ? max(factor, 1) : factor
            var noise = sample.variance * error * error
            let (ex, ey) = (sample.x - state.x, sample.y - state.y)
            let squared = (ex * ex + ey * ey) / (state.pp + noise)
            let limit = Self.gate * Self.gate
            if squared > limit { noise = (state.pp + noise) * squared / limit - state.pp }
            let s = state.pp + noise
            likelihood -= log(s) + min(squared, limit + log(max(squared / limit, 1))) / 2
            let (kp, kv) = (state.pp / s, state.pv / s)
            state.x += kp * ex
            state.y += kp * ey
            state.vx += kv * ex
            state.vy += kv * ey
            state.vv -= kv * state.pv
            state.pv *= 1 - kp
            state.pp *= 1 - kp
            body?(prediction, state)
        }
        return likelihood
    }

    private static func predicted(_ state: Estimate, after dt: Double, acceleration q: Double) -> Estimate {
        var next = state
        next.x += state.vx * dt
        next.y += state.vy * dt
        next.pp += 2 * dt * state.pv + dt * dt * state.vv + q * dt * dt * dt / 3
        next.pv += dt * state.vv + q * dt * dt / 2
        next.vv += q * dt
        return next
    }

    private func smoothed(_ track: [(predicted: Estimate, filtered: Estimate)]) -> [State] {
        var result: [State] = []
        result.reserveCapacity(track.count)
        var next = track[track.count - 1].filtered
        for index in track.indices.reversed() {
            var state = track[index].filtered
            if index + 1 < track.count {
                let prediction = track[index + 1].predicted
                let dt = samples[index + 1].time - samples[index].time
                let determinant = prediction.pp * prediction.vv - prediction.pv * prediction.pv
                if determinant > 1e-12 {
                    // The gain: the covariance of this state with the next one, times the inverse of the prediction's.
                    let (a, b) = (state.pp + dt * state.pv, state.pv)
                    let (c, d) = (state.pv + dt * state.vv, state.vv)
                    let (ipp, ipv, ivv) = (
                        prediction.vv / determinant, -prediction.pv / determinant, prediction.pp / determinant
                    )
                    let (g11, g12) = (a * ipp + b * ipv, a * ipv + b * ivv)
                    let (g21, g22) = (c * ipp + d * ipv, c * ipv + d * ivv)
                    let (dx, dy) = (next.x - prediction.x, next.y - prediction.y)
                    let (dvx, dvy) = (next.vx - prediction.vx, next.vy - prediction.vy)
                    state.x += g11 * dx + g12 * dvx
                    state.y += g11 * dy + g12 * dvy
                    state.vx += g21 * dx + g22 * dvx
                    state.vy += g21 * dy + g22 * dvy
                }
            }
            result.append(self.state(state, at: index))
            if index + 1 < track.count {
                result[result.count - 1].bend = Self.bend(
                    state, next, after: samples[index + 1].time - samples[index].time)
            }
            next = state
        }
        return result.reversed()
    }

    /// The way along the cubic curve through two states with their velocities, over the straight one.
    ///
    /// Straight lines between sparse locations cut every corner, although the velocities at both ends say that there is one.
    private static func bend(_ a: Estimate, _ b: Estimate, after dt: Double) -> Double {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let straight = (dx * dx + dy * dy).squareRoot()
        guard dt > 0, straight > 0 else { return 1 }
        let (mx, my) = (1.5 * dx / dt - (a.vx + b.vx) / 4, 1.5 * dy / dt - (a.vy + b.vy) / 4)
        func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
        // Simpson's rule over the speeds at both ends and in the middle.
        let curved = dt / 6 * (length(a.vx, a.vy) + 4 * length(mx, my) + length(b.vx, b.vy))
        return min(max(curved / straight, 1), largestBend)
    }

    private func state(_ estimate: Estimate, at index: Int) -> State {
        var longitude = points[0].coordinate.longitude + estimate.x / scale.x
        longitude -= 360 * ((longitude + 180) / 360).rounded(.down)
        return State(
            time: points[index].time,
            coordinate: Coordinate(
                latitude: min(max(points[0].coordinate.latitude + estimate.y / scale.y, -90), 90), longitude: longitude),
            speed: (estimate.vx * estimate.vx + estimate.vy * estimate.vy).squareRoot())
    }
}
