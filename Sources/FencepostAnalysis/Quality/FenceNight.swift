import FencepostGeometry
import FencepostModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A generated night of a parked device: its noise, and the fixes on it.
///
/// The device drives to its place, stands there for one to three hours before its fence is armed, and for eight hours after.
struct FenceNight {
    /// How the errors of a night are, besides the Gaussian one of each fix.
    enum Noise: String, CaseIterable {
        /// Independent errors.
        case white
        /// Errors that decorrelate over 10 to 60 minutes.
        case drift
        /// 2 % of the fixes jump by 0.4 to 6 km, never two within three.
        case outliers
        /// Every fix jumps with a probability of 0.1 %, also two in a row, each in another direction.
        case pairs
        /// About one reflection an hour: for some minutes all fixes are shifted by one to two and a half accuracies.
        case multipath
        /// The accuracy is stated as 60 % of what it is, and errors drift.
        case optimistic
        /// No accuracy is stated, and errors drift.
        case unstated
        /// The first position of a rest repeats to the last digit, with 2 % outliers.
        case frozen
        /// Bursts of positions of one cell tower, 0.5 to 2.5 km away, which state their error.
        case towers
        /// Silences of 5 minutes to 3 hours, and drift.
        case silence
        /// All of these but `unstated` and `frozen`.
        case all

        /// Whether the errors of a night have this part.
        func has(_ part: Noise) -> Bool {
            switch self {
            case .white, .drift, .outliers, .pairs, .multipath, .towers: self == part
            case .optimistic, .unstated, .silence: self == part || part == .drift
            case .frozen: self == part || part == .outliers
            case .all: ![.unstated, .frozen, .optimistic].contains(part)
            }
        }
    }

    /// How the device leaves.
    enum Departure: String, CaseIterable {
        /// At 2 to 8 m/s, without a speed or with 0.
        case towed
        /// At 8 to 25 m/s, with its speed.
        case driven
        /// After a silence of 5 to 60 minutes it is 0.5 to 20 km away, and stands or moves there.
        case jammed
    }

    static let accuracies = [3, 5, 8, 12, 20, 30, 50]
    static let intervals = [10.0, 30, 60, 300]

    /// True radius of 68 % of the errors, in metres.
    let accuracy: Double
    let noise: Noise
    /// Seconds between fixes.
    let interval: Double
    /// Seconds since the start of the night: when the device stands, when its fence is armed, when the night ends.
    let parked, armed, end: Double

    private var random: GeneratorRandom
    private(set) var time = 0.0
    private var drift = PlanePoint(east: 0, north: 0)
    private let driftTime: Double
    private var reflection = (until: -1.0, shift: PlanePoint(east: 0, north: 0))
    private var tower = (until: -1.0, at: PlanePoint(east: 0, north: 0), accuracy: 0.0)
    private var sinceOutlier = 10
    private var frozen: (position: PlanePoint, truth: PlanePoint)?
    private let statesSpeed: Bool

    init(_ number: Int, random: GeneratorRandom) {
        self.random = random
        accuracy = Double(Self.accuracies[number % Self.accuracies.count])
        noise = Noise.allCases[number / Self.accuracies.count % Noise.allCases.count]
        interval = self.random.pick(Self.intervals)
        parked = 300
        armed = parked + self.random.uniform(3600...10_800)
        end = armed + 8 * 3600
        driftTime = self.random.uniform(600...3600)
        statesSpeed = self.random.chance(0.5)
    }

    /// The time of the next fix.
    mutating func nextTime() -> Double {
        time += interval * random.uniform(0.96...1.04)
        if noise.has(.silence), random.chance(interval / 7200) { time += exp(random.uniform(log(300)...log(10_800))) }
        return time
    }

    /// A random source that the noise does not share.
    mutating func splitRandom() -> GeneratorRandom { random.split() }

    /// Skips so many seconds, in which nothing is sent.
    mutating func fallSilent(_ seconds: Double) {
        time += seconds
        frozen = nil
    }

    /// A fix at a true position with a true speed in metres per second, which is stated if the device states speeds and
    /// `isPowered`.
    mutating func fix(at point: PlanePoint, speed: Double, isPowered: Bool = true) -> (
        point: PlanePoint, accuracy: Double?, speed: Double?
    ) {
        let deviation = accuracy / 1.515
        let keep = noise.has(.drift) ? exp(-interval / driftTime) : 0
        let fresh = (1 - keep * keep).squareRoot() * deviation
        drift = PlanePoint(
            east: drift.east * keep + random.normal(fresh), north: drift.north * keep + random.normal(fresh))
        var measured = PlanePoint(east: point.east + drift.east, north: point.north + drift.north)
        var stated: Double? = accuracy * random.uniform(0.9...1.1)
        if noise.has(.optimistic) { stated = stated.map { 0.6 * $0 } }
        if noise.has(.unstated) { stated = nil }
        if noise.has(.frozen), speed == 0 {
            // Another place is another rest, also where no fix came on the way to it.
            if let frozen, frozen.truth.distance(to: point) == 0 { measured = frozen.position }
            frozen = (measured, point)
        } else {
            frozen = nil
        }
        if noise.has(.multipath) { reflect(&measured) }
        var isOutlier = false
        if noise.has(.outliers), sinceOutlier >= 3, random.chance(0.02) { isOutlier = true }
        if noise.has(.pairs), random.chance(0.001) { isOutlier = true }
        sinceOutlier = isOutlier ? 0 : sinceOutlier + 1
        if isOutlier {
            measured = measured.moved(400 * exp(random.uniform(0...2.7)), toward: random.uniform(0...2 * .pi))
        }
        if noise.has(.towers), let found = towerFix(from: point) { (measured, stated) = found }
        let reports = statesSpeed && isPowered
        return (measured, stated.map { ($0 * 10).rounded() / 10 }, reports ? (isOutlier ? 0 : speed) : nil)
    }

    private mutating func reflect(_ point: inout PlanePoint) {
        if time >= reflection.until, random.chance(interval / 3600) {
            reflection.until = time + random.exponential(240)
            reflection.shift = PlanePoint(east: 0, north: 0)
                .moved(random.uniform(1...2.5) * accuracy, toward: random.uniform(0...2 * .pi))
        }
        guard time < reflection.until else { return }
        point = PlanePoint(east: point.east + reflection.shift.east, north: point.north + reflection.shift.north)
    }

    private mutating func towerFix(from point: PlanePoint) -> (PlanePoint, Double?)? {
        if time >= tower.until, random.chance(interval / 3600) {
            let distance = 500 * exp(random.uniform(0...1.6))
            tower = (
                time + random.exponential(300), point.moved(distance, toward: random.uniform(0...2 * .pi)),
                distance * random.uniform(0.7...1.5)
            )
        }
        return time < tower.until ? (tower.at, tower.accuracy) : nil
    }
}
