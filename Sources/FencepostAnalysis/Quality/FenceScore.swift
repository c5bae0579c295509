import FencepostGeometry
import FencepostModel
import FencepostMonitor

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How well fences are quiet about parked devices, and alarm about those that leave.
///
/// Each night is taken twice from a time on: once the device stands until the morning, and once it is towed, driven or jammed and
/// gone. It has left when it is farther from its place than the radius and seven accuracies (`leftAccuracies`, of at least 10 m).
public struct FenceScore: Sendable {
    /// The nights of one value.
    public struct Cell: Hashable, Sendable {
        /// Nights, and those with an alarm although the device stood.
        public var nights = 0, falseAlarms = 0
        /// Devices that left, and of those the ones with an alarm by the second fix after they had left, by the third, and later.
        public var departures = 0, withinTwo = 0, withinThree = 0, later = 0
        /// Devices with more than one alarm for one fence.
        public var repeated = 0

        /// The share of quiet nights.
        public var quiet: Double { nights == 0 ? 1 : 1 - Double(falseAlarms) / Double(nights) }
        /// The share of alarms by the second fix.
        public var prompt: Double { departures == 0 ? 1 : Double(withinTwo) / Double(departures) }
        /// The share of alarms by the third fix.
        public var promptAtThird: Double { departures == 0 ? 1 : Double(withinThree) / Double(departures) }

        static func + (a: Cell, b: Cell) -> Cell {
            var sum = a
            sum.nights += b.nights
            sum.falseAlarms += b.falseAlarms
            sum.departures += b.departures
            sum.withinTwo += b.withinTwo
            sum.withinThree += b.withinThree
            sum.later += b.later
            sum.repeated += b.repeated
            return sum
        }
    }

    /// All nights.
    public private(set) var all = Cell()
    /// By the dimension and the value: accuracy, noise, departure.
    public private(set) var cells: [String: Cell] = [:]

    /// The nights of a benchmark: each accuracy with each noise thirteen times.
    public static let usualNights = 1001

    /// How many accuracies, and of at least how many metres, beyond the radius a device has left.
    static let leftAccuracies = 7.0
    static let leastAccuracy = 10.0
    /// The least metres where no accuracy is stated.
    static let unstatedAccuracy = 30.0

    /// Generates nights and scores them.
    ///
    /// - Parameters:
    ///   - count: the number of nights.
    ///   - seed: the same seed gives the same nights.
    public init(nights count: Int, seed: UInt64) {
        var random = GeneratorRandom(seed: seed)
        for number in 0..<count {
            let cell = Self.score(number, random: random.split())
            all = all + cell.cell
            for label in cell.labels { cells[label] = (cells[label] ?? Cell()) + cell.cell }
        }
    }

    /// Without outliers in a night, the second fix has to suffice.
    static func needsThird(_ noise: FenceNight.Noise) -> Bool {
        noise.has(.outliers) || noise.has(.pairs) || noise.has(.towers) || noise.has(.silence)
    }

    private static func score(_ number: Int, random: GeneratorRandom) -> (cell: Cell, labels: [String]) {
        var night = FenceNight(number, random: random)
        let departure = FenceNight.Departure.allCases[number % FenceNight.Departure.allCases.count]
        var device = ParkedDevice()
        device.arrive(&night)
        let leaves = night.armed + night.parked + (night.end - night.armed) * 0.05 + Double(number % 97) * 260
        while night.time < min(leaves, night.end - 600) { device.stand(&night) }
        var cell = Cell()
        cell.nights = 1
        cell.departures = device.isArmed && device.alarms == 0 ? 1 : 0
        var (parked, rest) = (device, night)
        while rest.time < rest.end { parked.stand(&rest) }
        if parked.alarms > 0 { cell.falseAlarms = 1 }
        if cell.departures > 0 {
            switch device.leave(departure, &night) {
            case let count? where count <= 2: (cell.withinTwo, cell.withinThree) = (1, 1)
            case let count? where count <= 3: cell.withinThree = 1
            case _?: cell.later = 1
            case nil: break
            }
            if device.alarms > 1 { cell.repeated = 1 }
        }
        return (
            cell,
            [
                "accuracy \(Int(night.accuracy))", "noise \(night.noise.rawValue)", "interval \(Int(night.interval))",
                "departure \(departure.rawValue)",
                "accuracy \(Int(night.accuracy)) \(needsThird(night.noise) ? "outliers" : "plain")",
            ]
        )
    }
}

/// A device with a fence, in a plane about its place.
private struct ParkedDevice {
    private static let plane = LocalPlane(origin: Coordinate(latitude: 38.71, longitude: -9.14))
    private static let id = DeviceID("van")
    private static let rules = WatchRules(RegionCatalog(), MonitorSettings(), explains: false)
    private static let start = Timestamp(seconds: 1_772_000_000)

    private var monitor = DeviceMonitor(deviceID: id, settings: MonitorSettings())
    private(set) var isArmed = false
    private let origin = PlanePoint(east: 0, north: 0)
    /// Alarms so far.
    private(set) var alarms = 0

    /// Drives to its place.
    mutating func arrive(_ night: inout FenceNight) {
        while true {
            let time = night.nextTime()
            guard time < night.parked else { return take(night.fix(at: origin, speed: 0), night) }
            let distance = (night.parked - time) * 10
            take(night.fix(at: PlanePoint(east: distance, north: 0), speed: 10), night)
        }
    }

    /// Stands at its place for a fix. The fence is armed when it is time.
    mutating func stand(_ night: inout FenceNight) {
        if !isArmed, night.time >= night.armed { arm(night) }
        _ = night.nextTime()
        take(night.fix(at: origin, speed: 0), night)
    }

    private mutating func arm(_ night: FenceNight) {
        let moment = moment(night.time).after(1)
        guard case .success(let position) = monitor.standingPosition(at: moment) else { return }
        isArmed = true
        let settings = FenceSettings()
        let fence = Fence(
            armedAt: moment, center: position.coordinate, horizontalAccuracy: position.horizontalAccuracy, settings,
            until: nil, origin: .caller)
        _ = monitor.handle(.fence(.arm(fence, settings, spread: position.spread), at: moment), Self.rules)
    }

    /// Leaves.
    ///
    /// - Returns: the fix with the alarm, counted from the first one after it had left; `nil` without an alarm.
    mutating func leave(_ departure: FenceNight.Departure, _ night: inout FenceNight) -> Int? {
        guard isArmed else { return nil }
        let stated = night.noise == .unstated ? FenceScore.unstatedAccuracy : FenceScore.leastAccuracy
        let limit = FenceSettings.defaultRadius + FenceScore.leftAccuracies * max(night.accuracy, stated)
        var random = night.splitRandom()
        let speed: Double
        let angle = random.uniform(0...2 * .pi)
        var point = origin
        switch departure {
        case .towed: speed = random.uniform(2...8)
        case .driven: speed = random.uniform(8...25)
        case .jammed:
            night.fallSilent(random.uniform(300...3600))
            speed = random.chance(0.5) ? 0 : random.uniform(5...20)
            point = origin.moved(max(limit + 50, 500 * exp(random.uniform(0...3.7))), toward: angle)
        }
        var (time, fixes) = (night.time, 0)
        for _ in 0..<400 {
            let next = night.nextTime()
            if departure != .jammed || fixes > 0 { point = point.moved(speed * (next - time), toward: angle) }
            time = next
            let fix = night.fix(at: point, speed: speed, isPowered: departure != .towed)
            // A position of a cell tower says nothing.
            if point.distance(to: origin) > limit, fix.accuracy ?? 0 <= 2 * night.accuracy { fixes += 1 }
            let before = alarms
            take(fix, night)
            if alarms > before {
                // Some more, in which no other alarm may follow.
                for _ in 0..<20 {
                    _ = night.nextTime()
                    take(night.fix(at: point, speed: 0), night)
                }
                return fixes
            }
            if fixes > 12 { break }
        }
        return nil
    }

    private func moment(_ seconds: Double) -> Timestamp { Self.start + .seconds(seconds) }

    private mutating func take(_ fix: (point: PlanePoint, accuracy: Double?, speed: Double?), _ night: FenceNight) {
        var location = Location(
            deviceID: Self.id, timestamp: moment(night.time), coordinate: Self.plane.coordinate(fix.point),
            horizontalAccuracy: fix.accuracy)
        location.speed = fix.speed
        for event in monitor.handle(.located(location, []), Self.rules) where event.occurrence.type == .fenceBroken {
            alarms += 1
        }
    }
}
