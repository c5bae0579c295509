import ArgumentParser
import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostWorkload
import Foundation

struct ProximityBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proximity",
        abstract: "Measures proximity rules alone, and raw crossings of the same fixes.",
        discussion: """
            Devices in groups move about the towns of their groups: some stay, some walk, some drive, one fix of each after the \
            other. Each is watched against all others of its group. One line with the processor time per fix (minimum, median and \
            maximum of rounds), and that of crossings of round regions in the mode raw in the same run.
            """)

    @Option(help: "The number of devices.") var devices = 10_000
    @Option(help: "The devices of a group, each watched against the others.") var group = 101
    @Option(help: "Metres within which two devices are near each other.") var distance = 100.0
    @Option(help: "The radius of a town in metres.") var town = 5000.0
    @Option(help: "Fixes of each device in a round.") var fixes = 10
    @Option(help: "Measured rounds, after one for warming up.") var rounds = 7
    @Option(help: "Fixes that are taken before they are compared, as a batch of the service.") var batch = 500
    @Option(help: "The number of regions for the crossings.") var regions = 1000
    @Option(help: "Seconds between two fixes of a device.") var interval = 10
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard devices > 1, group > 1, fixes > 0, rounds > 0, interval > 0, regions > 0, batch > 0, town > 0,
            ProximityRule.distances.contains(distance)
        else { throw ValidationError("counts are above zero, and distances from 5 to 10000 m") }
    }

    func run() throws {
        report.title(
            "proximity: seed \(seed), \(devices) devices in groups of \(group), \(interval) s from fix to fix, towns of "
                + "\(Int(town)) m")
        var fleet = TownFleet(devices: devices, group: group, radius: town, seed: seed)
        let fixes = (0...rounds).map { _ in fleet.fixes(self.fixes, interval: interval) }
        let crossings = try measureCrossings(fixes)
        let rules = (0..<(devices + group - 1) / group).map { number in
            var rule = ProximityRule(id: "group \(number)", distance: distance)
            rule.devices = [GlobPattern("g\(number)/*")]
            return rule
        }
        var watch = ProximityWatch(rules)
        var (times, events): ([Double], Int) = ([], 0)
        for (number, round) in fixes.enumerated() {
            let start = ProcessorTime.now()
            for (index, location) in round.enumerated() {
                _ = watch.take(location)
                if index % batch == batch - 1 { events += watch.evaluate().reduce(0) { $0 + $1.added.count } }
            }
            events += watch.evaluate().reduce(0) { $0 + $1.added.count }
            let time = (ProcessorTime.now() - start) / Double(round.count)
            if number > 0 { times.append(time) }
        }
        var measurement = Measurement(
            "proximity", "pairs of \(devices) devices, each against \(group - 1)",
            ["seed": Int(seed), "devices": devices, "group": group, "regions": regions], unit: "ns/fix", times)
        measurement.compare(with: "raw crossings", crossings)
        measurement.details = [
            "events": Double(events), "pairs": Double(watch.pairCount), "fixes": Double(fixes.count * fixes[0].count),
        ]
        try report.write(measurement)
    }

    private func measureCrossings(_ rounds: [[Location]]) throws -> [Double] {
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (.raw, nil)
        let index = RegionIndex(RegionCatalog(SyntheticRegions.round(regions, in: .country, seed: seed &+ 1000)))
        var engine = MonitorEngine(index, settings: settings)
        var (times, events) = ([Double](), 0)
        for (number, round) in rounds.enumerated() {
            let start = ProcessorTime.now()
            for location in round { _ = try engine.accept(location) { _ in events += 1 } }
            let time = (ProcessorTime.now() - start) / Double(round.count)
            if number > 0 { times.append(time) }
        }
        return times
    }

    /// Groups of devices, each about a town of its own.
    private struct TownFleet {
        private struct Device {
            var id: DeviceID
            var town: Coordinate
            var position: Coordinate
            /// Degrees per second northwards and eastwards, and metres per second.
            var north, east, speed: Double
        }

        private var random: SplitMix64
        private var devices: [Device] = []
        private let radius: Double
        private var time = Timestamp(seconds: 1_772_000_000)

        init(devices count: Int, group: Int, radius: Double, seed: UInt64) {
            random = SplitMix64(seed: seed)
            self.radius = radius
            var town = Coordinate(latitude: 0, longitude: 0)
            for number in 0..<count {
                if number % group == 0 {
                    town = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
                }
                let plane = LocalPlane(origin: town)
                let away = radius * random.unit().squareRoot()
                let (angle, course) = (random.unit() * 2 * .pi, random.unit() * 2 * .pi)
                let speed = [0, 1.4, 10][Int(random.next() % 3)]
                devices.append(
                    Device(
                        id: DeviceID("g\(number / group)/\(number)"), town: town,
                        position: Coordinate(
                            latitude: town.latitude + away * cos(angle) / plane.metersPerDegreeOfLatitude,
                            longitude: town.longitude + away * sin(angle) / plane.metersPerDegreeOfLongitude),
                        north: speed * cos(course) / plane.metersPerDegreeOfLatitude,
                        east: speed * sin(course) / plane.metersPerDegreeOfLongitude, speed: speed))
            }
        }

        /// The next fixes of every device, in the order of time. Who leaves the town turns back.
        mutating func fixes(_ count: Int, interval: Int) -> [Location] {
            var fixes: [Location] = []
            fixes.reserveCapacity(count * devices.count)
            for _ in 0..<count {
                time = time + .seconds(interval)
                for index in devices.indices {
                    var device = devices[index]
                    device.position.latitude += device.north * Double(interval)
                    device.position.longitude += device.east * Double(interval)
                    if Geodesic.distanceBound(device.position, device.town) > radius {
                        (device.north, device.east) = (-device.north, -device.east)
                    }
                    devices[index] = device
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
