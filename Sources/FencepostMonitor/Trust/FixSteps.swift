import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What the judge keeps of a fix.
struct FixMark: Hashable, Sendable, Codable {
    var time: Timestamp
    var latitude, longitude: Double
    /// Metres.
    var accuracy: Double
    /// Metres per second; 0 when standing or unknown.
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
        accuracy = location.horizontalAccuracy ?? FixRule.usualAccuracy
        speed = location.speed ?? 0
    }

    /// Network fixes come without a speed, or with 0.
    var isSatellite: Bool { speed > 0 }
    /// The same for two fixes at one spot to the last digit.
    var spot: UInt32 {
        FixSpots.print(of: (latitude.bitPattern &* 0x9E37_79B9_7F4A_7C15) ^ longitude.bitPattern)
    }

    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    func seconds(since other: FixMark) -> Double { Double(time.milliseconds - other.time.milliseconds) / 1000 }
}

/// How likely the ways to make a step to one fix are: by rest, by movement, by a reflected signal.
struct FixSteps {
    private let fix: FixMark
    /// Metres per second the device may go now, and was last known to go.
    private let pace, speed: Double

    init(_ fix: FixMark, pace: Double, speed: Double) {
        self.fix = fix
        self.pace = pace
        self.speed = speed
    }

    struct Likelihoods {
        /// Of a good fix, of a device at rest or on its way.
        var good: Double
        var reflection: Double
    }

    /// Chance that a fix of this kind is a cell tower's, before it is looked at where it lies.
    var towerPrior: Double {
        if fix.isSatellite { return FixRule.satelliteTower }
        return fix.accuracy > FixRule.coarseAccuracy ? FixRule.coarseTower : FixRule.networkTower
    }

    var reflectionPrior: Double { fix.isSatellite ? FixRule.satelliteReflection : FixRule.networkReflection }

    /// - Parameters:
    ///   - mark: a fix that is taken to be good.
    ///   - distance: metres from it.
    func likelihoods(since mark: FixMark, distance: Double) -> Likelihoods {
        let seconds = max(fix.seconds(since: mark), 0.5)
        let noise = accuracy(with: mark) + 10
        let chance = startChance(seconds)
        let good =
            (1 - chance) * FixSteps.density(distance, scale: noise + 1.5 * pace * seconds)
            + chance * move(distance, seconds, noise: noise)
        let reflected = FixRule.reflectionScale * fix.accuracy + 20 + 1.5 * pace * seconds
        return Likelihoods(good: good, reflection: FixSteps.density(distance, scale: reflected))
    }

    /// Chance that a good fix moved because the device did.
    func moveShare(since mark: FixMark, distance: Double) -> Double {
        let seconds = max(fix.seconds(since: mark), 0.5)
        let chance = startChance(seconds)
        let narrow = 0.8 * accuracy(with: mark) + 10
        let moved = chance * move(distance, seconds, noise: narrow)
        let stayed = (1 - chance) * FixSteps.density(distance, scale: narrow)
        return moved / (moved + stayed + 1e-30)
    }

    private func accuracy(with mark: FixMark) -> Double {
        (mark.accuracy * mark.accuracy + fix.accuracy * fix.accuracy).squareRoot()
    }

    /// Density of so large a step of a device on its way.
    private func move(_ distance: Double, _ seconds: Double, noise: Double) -> Double {
        // Trips end: nobody is likelier the farther off the longer nothing was heard.
        let walk = noise + min(FixRule.walk * seconds, 0.3 * FixRule.trip)
        let ride = noise + min(max(FixRule.ride, speed) * seconds, FixRule.trip)
        return (FixSteps.density(distance, scale: walk) + FixSteps.density(distance, scale: ride)) / 2
    }

    /// Chance that the device is on its way after so many seconds.
    private func startChance(_ seconds: Double) -> Double {
        // From rest it is never more than half, and so never more than of one that goes on.
        if max(speed, pace) > FixRule.restingSpeed { return FixRule.goesOn }
        return (1 - exp(-seconds / FixRule.restSpan)) / 2
    }

    /// Density of a distance in the plane, times π, under a normal distribution with this scale per axis.
    static func density(_ distance: Double, scale: Double) -> Double {
        exp(-distance * distance / (2 * scale * scale)) / (2 * scale * scale)
    }
}

/// What decides about fixes, in metres, seconds and metres per second.
enum FixRule {
    /// Of a fix that does not say.
    static let usualAccuracy = 30.0
    static let coarseAccuracy = 150.0
    /// Of devices that tell no speeds: satellite fixes are this good, steps of this pace are plain, and a device at
    /// rest counts as moving so slowly.
    static let clearAccuracy = 20.0
    static let plainPace = 15.0
    static let leastPace = 0.1
    static let shortReach = 75.0
    static let leastReach = 150.0
    static let mostReach = 800.0
    /// Chances of a cell tower by kind of fix, of a reflection, and of either in the first fix of a device.
    static let satelliteTower = 0.002
    static let networkTower = 0.032
    static let coarseTower = 0.38
    static let satelliteReflection = 0.0037
    static let networkReflection = 0.016
    static let outlierAtFirst = 0.1
    /// Reflected signals are off by so many accuracies.
    static let reflectionScale = 2.75
    /// Towers lie within 1500 m mostly; the fixes of one within 80 m, in bursts of this length.
    static let towerDensity = 1 / (1500.0 * 1500.0)
    static let towerSpread = 80.0
    static let burst = 500.0
    /// Half of all devices at rest have set out after so long, if nothing was seen of them …
    static let restSpan = 900.0
    /// … and of those that moved so many still do.
    static let goesOn = 0.5
    static let restingSpeed = 0.7
    static let walk = 1.5
    static let ride = 8.7
    static let trip = 5500.0
    static let fastestStep = 18.0
    /// How long a known speed is reckoned with, and over how long at least one is measured from fix to fix.
    static let speedMemory = 100.0
    static let speedBaseline = 33.0
    /// Errors drift: they are news after so long at rest, or so far on the way.
    static let driftSpan = 105.0
    static let driftWay = 32.0
    static let leastWeight = 0.15
    static let repeatShare = 0.17
    static let returnWeight = 0.3
    static let motionScale = 20.0
    /// How fast the true size of the errors is learnt, and how far it is followed.
    static let blurRate = 0.013
    static let blurPower = 0.3
}
