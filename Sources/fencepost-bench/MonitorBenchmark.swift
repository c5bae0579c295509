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
        abstract: "Measures the monitor by itself: fixes that lie in memory, no reading and no writing.",
        discussion: """
            Devices go over a country of round regions, one fix of each after the other: some stay, some walk, some drive. \
            One line for each number of regions and each mode, with the time of this thread for a fix (minimum, median \
            and maximum of rounds) and the bytes of state a device, heap included and its id apart.
            """)

    @Option(help: "How many devices.") var devices = 10_000
    @Option(help: "Fixes of each device in a round.") var fixes = 10
    @Option(help: "Rounds that are measured, after one that is not.") var rounds = 7
    @Option(help: "How many regions; may be repeated.") var regions: [Int] = [1000, 10_000, 100_000]
    @Option(help: "raw, confirmed or visits (confirmed with visits); may be repeated.") var mode: [Mode] = Mode.allCases
    @Option(help: "Seconds between two fixes of a device.") var interval = 10
    @Option(help: "Where the random numbers start.") var seed: UInt64 = 1
    @Flag(help: "Put every fix to the regions, even where it is known what they will say.") var thorough = false
    @OptionGroup var report: ReportOptions

    enum Mode: String, ExpressibleByArgument, CaseIterable { case raw, confirmed, visits }

    func validate() throws {
        guard devices > 0, fixes > 0, rounds > 0, interval > 0, regions.allSatisfy({ $0 > 0 }) else {
            throw ValidationError("counts are above zero")
        }
    }

    func run() throws {
        report.title("monitor: seed \(seed), \(devices) devices, \(interval) s from fix to fix")
        for count in regions {
            let index = RegionIndex(RegionCatalog(MadeUpRegions.round(count, vertices: 16, seed: seed)))
            for mode in mode { try measure(mode, index) }
        }
    }

    private func measure(_ mode: Mode, _ index: RegionIndex) throws {
        var settings = MonitorSettings()
        settings.crossing = mode == .raw ? .raw : .confirmed
        if mode != .visits { settings.visits = nil }
        var fleet = Fleet(devices: devices, seed: seed)
        var engine = MonitorEngine(index, settings: settings, isThorough: thorough)
        var rounds: [[Location]] = []
        for _ in 0...self.rounds { rounds.append(fleet.fixes(fixes, interval: interval)) }
        var events = 0
        var times: [Double] = []
        for (number, round) in rounds.enumerated() {
            let start = ProcessorTime.now()
            for location in round { _ = try engine.accept(location) { _ in events += 1 } }
            let time = (ProcessorTime.now() - start) / Double(round.count)
            if number > 0 { times.append(time) }
        }
        var measurement = Measurement(
            "monitor", "\(mode.rawValue) among \(index.catalog.count) regions",
            ["seed": Int(seed), "devices": devices, "regions": index.catalog.count], unit: "ns/fix", times)
        measurement.details = [
            "bytes a device": Double(engine.stateByteCount / devices), "events": Double(events),
            "fixes": Double(rounds.count * rounds[0].count),
        ]
        try report.tell(measurement)
    }

    /// Devices that stay, walk or drive.
    private struct Fleet {
        private struct Device {
            var id: DeviceID
            var place: Coordinate
            /// Metres per second, and degrees a second to each side.
            var speed: Double
            var north, east: Double
        }

        private var random: SplitMix
        private var devices: [Device] = []
        private var time = Timestamp(seconds: 1_772_000_000)

        init(devices count: Int, seed: UInt64) {
            random = SplitMix(seed: seed)
            for number in 0..<count {
                let place = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
                let speed = [0, 1.4, 14][Int(random.next() % 3)]
                let course = random.unit() * 2 * .pi
                let plane = LocalPlane(origin: place)
                devices.append(
                    Device(
                        id: DeviceID("vehicle-\(100_000 + number)"), place: place, speed: speed,
                        north: speed * cos(course) / plane.metersPerDegreeOfLatitude,
                        east: speed * sin(course) / plane.metersPerDegreeOfLongitude))
            }
        }

        /// The next fixes of every device, in the order of their time.
        mutating func fixes(_ count: Int, interval: Int) -> [Location] {
            var fixes: [Location] = []
            fixes.reserveCapacity(count * devices.count)
            for _ in 0..<count {
                time = time + .seconds(interval)
                for place in devices.indices {
                    devices[place].place.latitude += devices[place].north * Double(interval)
                    devices[place].place.longitude += devices[place].east * Double(interval)
                    let device = devices[place]
                    // Ten metres of error at most.
                    var fix = Location(
                        deviceID: device.id, timestamp: time,
                        coordinate: Coordinate(
                            latitude: device.place.latitude + (random.unit() - 0.5) * 2e-4,
                            longitude: device.place.longitude + (random.unit() - 0.5) * 2e-4),
                        horizontalAccuracy: 4 + (random.unit() * 10).rounded())
                    if device.speed > 0 { fix.speed = device.speed }
                    fixes.append(fix)
                }
            }
            return fixes
        }
    }
}
