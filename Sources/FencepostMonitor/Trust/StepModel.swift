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

    /// Network fixes have no speed, or 0.
    var isSatellite: Bool { speed > 0 }
    /// Equal for two fixes with equal coordinates.
    var positionFingerprint: UInt32 {
        PositionFingerprints.fingerprint(of: (latitude.bitPattern &* 0x9E37_79B9_7F4A_7C15) ^ longitude.bitPattern)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    func seconds(since other: FixSummary) -> Double { Double(time.milliseconds - other.time.milliseconds) / 1000 }
}

/// The likelihood of the step to one fix under each model: stationary, moving, reflected signal.
struct StepModel {
    private let fix: FixSummary
    /// An upper estimate of the current speed, in metres per second.
    private let pace: Double
    /// The last known speed, in metres per second.
    private let speed: Double

    init(_ fix: FixSummary, pace: Double, speed: Double) {
        self.fix = fix
        self.pace = pace
        self.speed = speed
    }

    struct Likelihoods {
        /// Of a good fix of a stationary or moving device.
        var good: Double
        /// Of a reflected signal.
        var reflection: Double
    }

    /// Prior probability that a fix of this kind is the position of a cell tower.
    var towerPrior: Double {
        if fix.isSatellite { return FixRule.satelliteTower }
        return fix.accuracy > FixRule.coarseAccuracy ? FixRule.coarseTower : FixRule.networkTower
    }

    /// Prior probability that a fix of this kind is a reflection.
    var reflectionPrior: Double { fix.isSatellite ? FixRule.satelliteReflection : FixRule.networkReflection }

    /// - Parameters:
    ///   - earlier: a fix that is assumed to be good.
    ///   - distance: metres from it.
    func likelihoods(since earlier: FixSummary, distance: Double) -> Likelihoods {
        let seconds = max(fix.seconds(since: earlier), 0.5)
        let noise = combinedAccuracy(with: earlier) + 10
        let moving = movingProbability(after: seconds)
        let good =
            (1 - moving) * StepModel.density(distance, scale: noise + 1.5 * pace * seconds)
            + moving * movingDensity(distance, seconds, noise: noise)
        let reflected = FixRule.reflectionScale * fix.accuracy + 20 + 1.5 * pace * seconds
        return Likelihoods(good: good, reflection: StepModel.density(distance, scale: reflected))
    }

    /// Probability that the step to a good fix is due to motion of the device and not to errors.
    func moveProbability(since earlier: FixSummary, distance: Double) -> Double {
        let seconds = max(fix.seconds(since: earlier), 0.5)
        let moving = movingProbability(after: seconds)
        let noise = 0.8 * combinedAccuracy(with: earlier) + 10
        let moved = moving * movingDensity(distance, seconds, noise: noise)
        let stayed = (1 - moving) * StepModel.density(distance, scale: noise)
        return moved / (moved + stayed + 1e-30)
    }

    private func combinedAccuracy(with earlier: FixSummary) -> Double {
        (earlier.accuracy * earlier.accuracy + fix.accuracy * fix.accuracy).squareRoot()
    }

    /// Density of a step of a moving device: an equal mixture of walking and riding.
    private func movingDensity(_ distance: Double, _ seconds: Double, noise: Double) -> Double {
        // Trips end, so the scales stop growing with the time.
        let walk = noise + min(FixRule.walkingSpeed * seconds, 0.3 * FixRule.tripLength)
        let ride = noise + min(max(FixRule.ridingSpeed, speed) * seconds, FixRule.tripLength)
        return (StepModel.density(distance, scale: walk) + StepModel.density(distance, scale: ride)) / 2
    }

    /// Probability that the device moves after so many seconds.
    private func movingProbability(after seconds: Double) -> Double {
        // For a stationary device it is at most one half, and so never above that of a moving one.
        if max(speed, pace) > FixRule.standingSpeed { return FixRule.continuesMoving }
        return (1 - exp(-seconds / FixRule.stationaryTime)) / 2
    }

    /// Density of a distance in the plane, times π, under a normal distribution with this standard deviation per axis.
    static func density(_ distance: Double, scale: Double) -> Double {
        exp(-distance * distance / (2 * scale * scale)) / (2 * scale * scale)
    }
}

/// The parameters of the evaluation of trust, in metres, seconds and metres per second.
///
/// `docs/quality.md` says how they were fitted.
enum FixRule {
    /// The accuracy of a fix that states none.
    static let defaultAccuracy = 30.0
    /// A fix with a worse accuracy is flagged as coarse.
    static let coarseAccuracy = 150.0
    /// For devices without speeds: satellite fixes have at most this accuracy, steps up to this pace are plausible, and
    /// a stationary device counts as moving this slowly.
    static let clearAccuracy = 20.0
    static let plausiblePace = 15.0
    static let leastPace = 0.1
    /// The possible search radii: the short one, or four accuracies between the other two.
    static let shortSearchRadius = 75.0
    static let leastSearchRadius = 150.0
    static let mostSearchRadius = 800.0
    /// Prior probabilities of a cell tower and of a reflection, by kind of fix, and of either for the first fix.
    static let satelliteTower = 0.002
    static let networkTower = 0.032
    static let coarseTower = 0.38
    static let satelliteReflection = 0.0037
    static let networkReflection = 0.016
    static let firstFixOutlier = 0.1
    /// The error of a reflected signal, in stated accuracies.
    static let reflectionScale = 2.75
    /// Most towers are within 1500 m. Fixes of one tower are within 80 m of each other, in bursts of this duration.
    static let towerDensity = 1 / (1500.0 * 1500.0)
    static let towerSpread = 80.0
    static let burst = 500.0
    /// The time constant with which a stationary device starts to move.
    static let stationaryTime = 900.0
    /// The probability that a moving device still moves.
    static let continuesMoving = 0.5
    /// Up to this speed a device is stationary.
    static let standingSpeed = 0.7
    static let walkingSpeed = 1.5
    static let ridingSpeed = 8.7
    static let tripLength = 5500.0
    static let fastestStep = 18.0
    /// The time constant with which a known speed decays, and the shortest time over which steps yield a speed.
    static let speedMemory = 100.0
    static let speedBaseline = 33.0
    /// The time at rest and the distance moved after which errors are independent.
    static let driftTime = 105.0
    static let driftDistance = 32.0
    static let leastWeight = 0.15
    /// The weight of a repeated position relative to a new one, and the largest weight of a return to a known position.
    static let repeatedShare = 0.17
    static let returnWeight = 0.3
    static let motionScale = 20.0
    /// The learning rate of the error variance, and the power of it that corrects accuracies.
    static let errorVarianceRate = 0.013
    static let accuracyExponent = 0.3
}
