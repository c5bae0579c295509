import ArgumentParser
import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostWorkload
import Foundation

struct MonitorBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Measures the monitor alone: fixes in memory, without reading and writing.",
        discussion: """
            Devices move over a country of round regions, or with --city in a city full of regions, one fix of each after \
            the other: some stay, some walk, some drive. One line for each number of regions and each mode, with the \
            processor time per fix (minimum, median and maximum of rounds) and the bytes of state per device, including the \
            heap but not its id.
            """)

    @Option(help: "The number of devices.") var devices = 10_000
    @Option(help: "Fixes of each device in a round.") var fixes = 10
    @Option(help: "Measured rounds, after one for warming up.") var rounds = 7
    @Option(help: "The number of regions; may be repeated.") var regions: [Int] = [1000, 10_000, 100_000]
    @Option(help: "raw, confirmed or visits (confirmed with visits); may be repeated.") var mode: [Mode] = Mode.allCases
    @Option(help: "Seconds between two fixes of a device.") var interval = 10
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Flag(help: "Devices in a city where a point is in one region on average, with fixes every 10 s.") var city = false
    @Flag(help: "Query the regions for every fix, without the safe region cache.") var thorough = false
    @OptionGroup var report: ReportOptions

    enum Mode: String, ExpressibleByArgument, CaseIterable { case raw, confirmed, visits }

    func validate() throws {
        guard devices > 0, fixes > 0, rounds > 0, interval > 0, regions.allSatisfy({ $0 > 0 }) else {
            throw ValidationError("counts are above zero")
        }
    }

    func run() throws {
        let interval = city ? CityFleet.interval : interval
        report.title(
            "monitor: seed \(seed), \(devices) devices, \(interval) s from fix to fix\(city ? ", in a city" : "")")
        for count in regions {
            let regions =
                city
                ? City().regions(count, seed: seed)
                : SyntheticRegions.round(count, in: .country, seed: seed &+ 1000)
            let index = RegionIndex(RegionCatalog(regions))
            for mode in mode { try measure(mode, index) }
        }
    }

    private func measure(_ mode: Mode, _ index: RegionIndex) throws {
        var settings = MonitorSettings()
        settings.crossing = mode == .raw ? .raw : .confirmed
        if mode != .visits { settings.visits = nil }
        var fleet = Fleet(devices: devices, seed: seed)
        var cityFleet = CityFleet(City(), devices: devices, seed: seed)
        var engine = MonitorEngine(index, settings: settings, isThorough: thorough)
        let rounds = (0...self.rounds).map { _ in
            city
                ? (0..<fixes * devices).map { _ in cityFleet.fix() }
                : fleet.fixes(fixes, interval: interval)
        }
        var events = 0
        var times: [Double] = []
        for (number, round) in rounds.enumerated() {
            let start = ProcessorTime.now()
            for location in round { _ = try engine.accept(location) { _ in events += 1 } }
            let time = (ProcessorTime.now() - start) / Double(round.count)
            if number > 0 { times.append(time) }
        }
        var measurement = Measurement(
            "monitor", "\(mode.rawValue) among \(index.catalog.count) regions\(city ? " of a city" : "")",
            ["seed": Int(seed), "devices": devices, "regions": index.catalog.count], unit: "ns/fix", times)
        measurement.details = [
            "bytes a device": Double(engine.stateByteCount / devices), "events": Double(events),
            "fixes": Double(rounds.count * rounds[0].count),
        ]
        try report.write(measurement)
    }

    /// Devices that stay, walk or drive.
    private struct Fleet {
        private struct Device {
            var id: DeviceID
            var position: Coordinate
            /// Metres per second, and degrees per second northwards and eastwards.
            var speed: Double
            var north, east: Double
        }

        private var random: SplitMix64
        private var devices: [Device] = []
        private var time = Timestamp(seconds: 1_772_000_000)

        init(devices count: Int, seed: UInt64) {
            random = SplitMix64(seed: seed)
            for number in 0..<count {
                let position = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
                let speed = [0, 1.4, 14][Int(random.next() % 3)]
                let course = random.unit() * 2 * .pi
                let plane = LocalPlane(origin: position)
                devices.append(
                    Device(
                        id: DeviceID("vehicle-\(100_000 + number)"), position: position, speed: speed,
                        north: speed * cos(course) / plane.metersPerDegreeOfLatitude,
                        east: speed * sin(course) / plane.metersPerDegreeOfLongitude))
            }
        }

        /// The next fixes of every device, in the order of time.
        mutating func fixes(_ count: Int, interval: Int) -> [Location] {
            var fixes: [Location] = []
            fixes.reserveCapacity(count * devices.count)
            for _ in 0..<count {
                time = time + .seconds(interval)
                for index in devices.indices {
                    devices[index].position.latitude += devices[index].north * Double(interval)
                    devices[index].position.longitude += devices[index].east * Double(interval)
                    let device = devices[index]
                    // An error of at most ten metres.
                    var fix = Location(
                        deviceID: device.id, timestamp: time,
                        coordinate: Coordinate(
                            latitude: device.position.latitude + (random.unit() - 0.5) * 2e-4,
                            longitude: device.position.longitude + (random.unit() - 0.5) * 2e-4),
                        horizontalAccuracy: 4 + (random.unit() * 10).rounded())
                    if device.speed > 0 { fix.speed = device.speed }
                    fixes.append(fix)
                }
            }
            return fixes
        }
    }
}
