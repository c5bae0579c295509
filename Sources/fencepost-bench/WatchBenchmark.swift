import ArgumentParser
import FencepostEngine
import FencepostFormats
import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostWorkload
import Foundation

/// Measures reading lines of locations and writing lines of events, as a whole and in parts.
struct WatchBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Measures from a file of NDJSON to written events, on one thread and on several.",
        discussion: """
            A fleet walks among regions, or with --city it parks, walks and drives in a city full of regions. Its fixes \
            are written to a file first, which is not timed. The measurement reads that file, watches it as \
            `fencepost watch` does, and writes the events to /dev/null. The parts are timed one \
            by one on one thread.
            """)

    @Option(help: "The number of regions; may be repeated.") var regions: [Int] = [1000, 10_000, 100_000]
    @Option(help: "The number of devices.") var devices = 10_000
    @Option(help: "The number of lines in all.") var lines = 2_000_000
    @Option(help: "The number of threads; may be repeated.") var jobs: [Int] = [1, 2]
    @Option(help: "raw, confirmed, or confirmed+visits; may be repeated.") var mode: [Mode] = [.raw, .visits]
    @Option(help: "The number of measurements of each.") var runs = 5
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @OptionGroup var report: ReportOptions
    @Flag(help: "Omits the parts.") var noParts = false
    @Flag(help: "A fleet in a city where a point is in one region on average.") var city = false
    @Flag(help: "With --city: what GEOS needs for the entries and exits of the same locations.") var peers = false
    @Option(help: "With --peers: a Python with shapely, too.") var shapely: String?
    @Option(help: "With --peers: the path of tile38-server, too; by default that of FENCEPOST_TILE38.")
    var tile38: String?
    @Option(help: "Peers take part up to this many regions, since they need gigabytes beyond.")
    var peerRegions = 100_000

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case raw, confirmed
        case visits = "confirmed+visits"

        var settings: MonitorSettings {
            var settings = MonitorSettings()
            settings.crossing = self == .raw ? .raw : .confirmed
            settings.visits = self == .visits ? VisitSettings() : nil
            return settings
        }
    }

    func validate() throws {
        guard devices > 0, lines >= devices, runs > 0, regions.allSatisfy({ $0 > 0 }),
            jobs.allSatisfy({ (1...256).contains($0) })
        else { throw ValidationError("a count is out of range") }
        guard city || !peers else { throw ValidationError("--peers needs --city") }
    }

    func run() throws {
        for count in regions {
            // The same density for any number of regions: a fifth of the square is inside of one.
            let degrees = 0.3 * (Double(count) / 1000).squareRoot()
            let regions =
                city
                ? City().regions(count, seed: seed)
                : SyntheticRegions.round(count, in: .init(degrees: degrees), seed: seed)
            let catalog = RegionCatalog(regions)
            var walkers = WalkingFleet(devices: devices, degrees: degrees, seed: seed)
            var vehicles = CityFleet(City(), devices: devices, seed: seed)
            let path = FileManager.default.temporaryDirectory.appending(path: "fencepost-bench-\(getpid()).ndjson").path
            defer { unlink(path) }
            let written = try write(to: path) { city ? vehicles.fix() : walkers.fix() }
            let index = RegionIndex(catalog)
            guard let file = try LineFile.find(path: path, format: .ndjson) else { throw ValidationError("no file") }
            for mode in mode {
                report.title(
                    """
                    watch: seed \(seed), \(written) lines, \(devices) devices, \(count) regions\(world), \
                    \(mode.rawValue)
                    """)
                var oneThread: Series?
                for jobs in jobs {
                    var result = Series(name: "\(jobs) \(jobs == 1 ? "thread" : "threads")", count: written)
                    for _ in 0..<runs {
                        try result.time { try watch(file, index, mode, jobs: jobs) }
                    }
                    if jobs == 1 { oneThread = result }
                    let others = mode == .raw && jobs == 1 ? try measurePeers(regions, index) : []
                    try printResult(result, count, mode, oneThread: oneThread, peers: others)
                }
                if !noParts { try measureParts(file, index, mode, written) }
            }
        }
    }

    /// The figures of other programs for the locations of the file; none without `--peers`.
    private func measurePeers(_ regions: [Region], _ index: RegionIndex) throws -> [CityPeers.Figures] {
        guard peers, regions.count <= peerRegions else { return [] }
        var fleet = CityFleet(City(), devices: devices, seed: seed)
        let locations = (0..<lines).map { _ in fleet.fix() }
        var engine = MonitorEngine(index, settings: Mode.raw.settings)
        var events = 0
        for location in locations {
            _ = try engine.accept(location) { event in
                if [.regionEntered, .regionExited].contains(event.occurrence.type) { events += 1 }
            }
        }
        let city = CityPeers(regions: regions, locations: locations, events: events, runs: min(runs, 3))
        var figures: [CityPeers.Figures] = []
        func add(_ peer: () throws -> CityPeers.Figures) {
            do { figures.append(try peer()) } catch {
                FileHandle.standardError.write(Data("without a peer: \(error)\n".utf8))
            }
        }
        add(city.geos)
        if let shapely { add { try city.shapely(shapely) } }
        if let tile38 = tile38 ?? ProcessInfo.processInfo.environment["FENCEPOST_TILE38"] {
            add { try city.tile38(tile38) }
        }
        return figures
    }

    private func printResult(
        _ series: Series, _ regions: Int, _ mode: Mode, oneThread: Series? = nil, peers: [CityPeers.Figures] = []
    ) throws {
        var measurement = Measurement(
            "watch", "\(regions) regions\(world), \(mode.rawValue): \(series.name)",
            ["seed": Int(seed), "regions": regions, "devices": devices, "positions": series.count],
            unit: "ns/position", series.nanoseconds)
        measurement.details = [
            "M positions/s": 1e3 / measurement.figures.median, "best M positions/s": 1e3 / measurement.figures.minimum,
            "ns of processor time": series.processorNanoseconds.min() ?? 0,
        ]
        if let oneThread, series.name != oneThread.name {
            measurement.compare(with: oneThread.name, oneThread.nanoseconds)
        }
        for peer in peers {
            // Both by processor time.
            measurement.compare(with: peer.name, peer.times, to: series.processorNanoseconds)
            measurement.details.merge(peer.details) { $1 }
        }
        try report.write(measurement)
    }

    private var world: String { city ? " of a city" : "" }

    private func write(to path: String, fix: () -> Location) throws -> Int {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw ValidationError("\(path) cannot be written") }
        defer { close(descriptor) }
        var writer = JSONWriter()
        for _ in 0..<lines {
            writer.value(fix())
            writer.newline()
            if writer.count > 1 << 20 { try put(writer.takeBytes(), descriptor) }
        }
        try put(writer.takeBytes(), descriptor)
        return lines
    }

    private func put(_ bytes: [UInt8], _ descriptor: Int32) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            guard count > 0 else { throw ValidationError("the file cannot be written") }
            done += count
        }
    }

    private func options(_ index: RegionIndex, _ mode: Mode) -> FileWatch.Options {
        FileWatch.Options(index, settings: mode.settings, rules: FixRules(defaultDevice: DeviceID("default")))
    }

    /// - Returns: the number of bytes written, as a checksum.
    private func watch(_ file: LineFile, _ index: RegionIndex, _ mode: Mode, jobs: Int) throws -> Int {
        var options = options(index, mode)
        options.format = .ndjson
        options.jobs = jobs
        let watch = FileWatch([.success(file)], options)
        var encoder = EventEncoder(.ndjson)
        let descriptor = open("/dev/null", O_WRONLY)
        defer { close(descriptor) }
        var bytes = 0
        try watch.run { report in
            try report.write(to: &encoder) { encoder in
                let taken = encoder.takeBytes()
                try put(taken, descriptor)
                bytes += taken.count
            }
            return true
        }
        return bytes
    }

    private func measureParts(_ file: LineFile, _ index: RegionIndex, _ mode: Mode, _ count: Int) throws {
        let rules = FixRules(defaultDevice: DeviceID("default"))
        var locations: [Location] = []
        var decoding = Series(name: "decoding", count: count)
        for run in 0..<runs {
            var reader = LineBlockReader(rules: rules)
            var (fixes, devices): ([LineBlock], [DeviceID]) = ([], [])
            try decoding.time {
                var sum = 0
                for start in stride(from: 0, to: file.bounds.upperBound, by: 1 << 19) {
                    let block = try reader.read(start..<min(start + 1 << 19, file.bounds.upperBound), of: file)
                    sum += block.fixes.count
                    devices += block.newDevices
                    if run == 0 { fixes.append(block) }
                }
                return sum
            }
            for block in fixes {
                for fix in block.fixes { locations.append(block.location(fix, of: devices[Int(fix.device)])) }
            }
        }
        try printResult(decoding, index.catalog.count, mode)
        if mode == .raw {
            var asking = Series(name: "region queries, of every fix", count: count)
            for _ in 0..<runs {
                var query = RegionQuery(index)
                var found: [RegionHandle] = []
                try asking.time {
                    var sum = 0
                    for location in locations {
                        try query.covering(location.coordinate, into: &found)
                        sum += found.count
                    }
                    return sum
                }
            }
            try printResult(asking, index.catalog.count, mode)
        }
        var monitoring = Series(name: "devices, regions and monitor", count: count)
        var events: [Event] = []
        for run in 0..<runs {
            var engine = MonitorEngine(index, settings: mode.settings)
            try monitoring.time {
                var sum = 0
                for location in locations {
                    _ = try engine.accept(location) { event in
                        sum += 1
                        if run == 0 { events.append(event) }
                    }
                }
                return sum
            }
        }
        try printResult(monitoring, index.catalog.count, mode)
        var encoding = Series(name: "encoding of \(events.count) events", count: count)
        for _ in 0..<runs {
            var encoder = EventEncoder(.ndjson)
            encoding.time {
                var sum = 0
                for event in events {
                    encoder.encode(event)
                    if encoder.count > 1 << 16 { sum += encoder.takeBytes().count }
                }
                return sum
            }
        }
        try printResult(encoding, index.catalog.count, mode)
    }
}

/// Repeated timings of the same work.
private struct Series {
    let name: String
    /// The number of positions.
    let count: Int
    private var times: [Double] = []
    /// Processor time of all threads, which other load on the machine affects little.
    private var processorTimes: [Double] = []
    private var checksum: Int?

    init(name: String, count: Int) {
        self.name = name
        self.count = count
    }

    mutating func time(_ work: () throws -> Int) rethrows {
        let (start, processorStart) = (ContinuousClock.now, Self.processorTime)
        let sum = try work()
        processorTimes.append(Self.processorTime - processorStart)
        times.append((ContinuousClock.now - start) / .seconds(1))
        precondition(checksum ?? sum == sum, "the same work had another result")
        checksum = sum
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Nanoseconds per position, for each repetition.
    var nanoseconds: [Double] { times.map { $0 / Double(count) * 1e9 } }
    var processorNanoseconds: [Double] { processorTimes.map { $0 / Double(count) * 1e9 } }
}
