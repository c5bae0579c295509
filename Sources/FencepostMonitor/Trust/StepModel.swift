import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The part of a fix that `TrustEvaluator` compares with later fixes; stored in states.
struct FixSummary: Hashable, Sendable, Codable {
    var time: Timestamp
    var latitude, longitude: Double
    /// Metres.
    var accuracy: Double
    /// Metres per second; 0 if the device stands or the speed is unknown.
    var speed: Double

    init(time: Timestamp, coordinate: Coordinate, accuracy: Double, speed: Double) {
        self.time = time
        (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
        self.accuracy = accuracy
        self.speed = speed
    }

    init(_ location: Location) {
        time = location.timestamp
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        accuracy = location.horizontalAccuracy ?? FixRule.defaultAccuracy
        speed = location.speed ?? 0
    }

    /// Equal for two fixes with equal coordinates.
    var positionFingerprint: UInt32 {
        PositionFingerprints.fingerprint(of: (latitude.bitPattern &* 0x9E37_79B9_7F4A_7C15) ^ longitude.bitPattern)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    func seconds(since other: FixSummary) -> Double { Double(time.milliseconds - other.time.milliseconds) / 1000 }

    /// By how many metres a step from a fix at rest is too long for a start, or all of it if this fix is much worse than that
    /// one, as positions of networks among those of satellites are. The accuracies of both are taken off.
    ///
    /// - Returns: 0 or less if the step is usual.
    func suddenness(of step: Double, from rest: FixSummary) -> Double {
        let certain = step - accuracy - rest.accuracy
        guard certain > 0, accuracy <= max(FixRule.worseAccuracy, FixRule.worseRatio * rest.accuracy) else {
            return certain
        }
        let seconds = max(seconds(since: rest), 0.5)
        let start = min(seconds, FixRule.startingTime)
        let longest = FixRule.ridingSpeed * start + FixRule.roadSpeed * (seconds - start)
        return certain - min(longest, FixRule.startingAcceleration / 2 * seconds * seconds)
    }
}

/// The likelihood of the step to one fix, under the assumption that it is good and under others.
struct StepModel {
    private let fix: FixSummary
    private let kind: FixKind
    /// The device as it is known before the fix: its speeds in metres per second.
    private let motion: Motion

    struct Motion {
        /// An upper estimate of the current speed.
        var current: Double
        /// The last known speed.
        var last: Double
        /// The speed of the device when it moves fast.
        var pace: Double
    }

    init(_ fix: FixSummary, _ kind: FixKind, _ motion: Motion) {
        self.fix = fix
        self.kind = kind
        self.motion = motion
    }

    /// The likelihood of the step to a good fix, and the share of it that is due to motion and not to errors.
    struct Step {
        var likelihood: Double
        var motion: Double
    }

    /// The step over a distance in metres from an earlier fix that is assumed to be good.
    func step(since earlier: FixSummary, distance: Double) -> Step {
        let seconds = max(fix.seconds(since: earlier), 0.5)
        let noise = noise(since: earlier)
        let moving = movingProbability(after: seconds)
        // Trips end, so the scales stop growing with the time.
        let walk = noise + min(FixRule.walkingSpeed * seconds, 0.3 * FixRule.tripLength)
        let fastest = max(FixRule.ridingSpeed, motion.last, motion.pace)
        let ride = noise + min(fastest * seconds, max(FixRule.tripLength, motion.pace * seconds))
        let stayed = (1 - moving) * StepModel.density(distance, scale: noise + 1.5 * motion.current * seconds)
        var moved =
            moving * (StepModel.density(distance, scale: walk) + StepModel.density(distance, scale: ride)) / 2
        if kind != .network {
            let speed = FixRule.unusualSpeed + FixRule.unusualPace * motion.pace
            moved += FixRule.unusualStep * StepModel.heavyDensity(distance, scale: noise + speed * seconds)
        }
        return Step(likelihood: stayed + moved, motion: moved / (stayed + moved + 1e-30))
    }

    /// The likelihood of the step over a distance in metres between two positions of one cell tower, which are at least as far from
    /// each other as they say.
    func sameTower(since earlier: FixSummary, distance: Double) -> Double {
        StepModel.density(distance, scale: max(FixRule.towerSpread, noise(since: earlier)))
    }

    /// Metres by which two fixes of a device at rest differ.
    private func noise(since earlier: FixSummary) -> Double {
        (earlier.accuracy * earlier.accuracy + fix.accuracy * fix.accuracy).squareRoot() + 10
    }

    /// The likelihood of an outlier at this distance from the device.
    func outlier(distance: Double) -> Double {
        let share = kind == .network ? FixRule.towerDensity : FixRule.outlierDensity
        return share / (distance * distance + FixRule.outlierCore * FixRule.outlierCore)
    }

    /// Probability that the device moves after so many seconds.
    private func movingProbability(after seconds: Double) -> Double {
        if max(motion.last, motion.current) > FixRule.standingSpeed { return FixRule.continuesMoving }
        // For a stationary device it is at most one half. 1 - exp(-x) is at most x.
        guard seconds > 2 * FixRule.leastMoving * FixRule.stationaryTime else { return FixRule.leastMoving }
        return max((1 - exp(-seconds / FixRule.stationaryTime)) / 2, FixRule.leastMoving)
    }

    /// Density of a distance in the plane, times π, under a normal distribution with this standard deviation per axis.
    static func density(_ distance: Double, scale: Double) -> Double {
        let factor = 1 / (2 * scale * scale)
        return exp(-distance * distance * factor) * factor
    }

    /// The same under Student's distribution with two degrees of freedom, whose tail falls with the fourth power.
    static func heavyDensity(_ distance: Double, scale: Double) -> Double {
        let factor = 1 / (2 * scale * scale)
        let spread = 1 + distance * distance * factor
        return factor / (spread * spread)
    }
}
