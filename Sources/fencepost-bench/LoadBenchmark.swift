import ArgumentParser
import FencepostFiles
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostSavedIndex
import Foundation

struct LoadBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Reads, validates and indexes generated regions.")

    @Option(help: "The number of polygons.") var regions = 100_000
    @Option(help: "Vertices of each.") var vertices = 20
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "The number of runs.") var runs = 1
    @Flag(help: "Also measures a start with a saved index: checks and rules, without the locations.") var saved = false
    @OptionGroup var report: ReportOptions
    @Argument(help: "Region files to read instead.") var paths: [String] = []

    func run() throws {
        var files = paths
        var made: URL?
        if files.isEmpty {
            let file = FileManager.default.temporaryDirectory.appending(path: "fencepost-load-\(UUID()).geojson")
            try Self.write(regions: regions, vertices: vertices, seed: seed, to: file)
            made = file
            files = [file.path]
        }
        defer { if let made { try? FileManager.default.removeItem(at: made) } }
        var (totals, readings, indexings): ([Double], [Double], [Double]) = ([], [], [])
        var processor: [Double] = []
        var (errors, count, memory, bytes) = (0, 0, 0, 0)
        if saved { try measureSaved(files) }
        for _ in 0..<runs {
            let clock = ContinuousClock()
            let memoryBefore = Self.residentBytes()
            var set = RegionSet()
            let processorBefore = Self.processorTime
            let reading = clock.measure { set = RegionSet.load(paths: files) }
            var catalog = RegionCatalog()
            let cataloging = clock.measure { catalog = set.catalog }
            var index: RegionIndex?
            let indexing = clock.measure { index = RegionIndex(catalog) }
            errors = set.diagnostics.count { $0.severity == .error }
            count = index == nil ? 0 : catalog.count
            bytes = (index?.byteCount ?? 0) / max(1, count)
            processor.append(Self.processorTime - processorBefore)
            memory = max(memory, (Self.residentBytes() - memoryBefore) / max(1, count))
            totals.append((reading + cataloging + indexing) / .seconds(1))
            readings.append(reading / .seconds(1))
            indexings.append(indexing / .seconds(1))
        }
        report.title("load: seed \(seed), \(count) regions of \(vertices) vertices, \(errors) errors")
        var measurement = Measurement(
            "load", "GeoJSON to an index", ["seed": Int(seed), "regions": count, "vertices": vertices], unit: "s",
            totals)
        measurement.details = [
            "read and check s": readings.min() ?? 0, "index s": indexings.min() ?? 0,
            "s of processor time": processor.min() ?? 0, "resident bytes a region": Double(memory),
            "index bytes a region": Double(bytes),
        ]
        try report.write(measurement)
    }

    /// Measures what `watch --index` does before the first location, after the files are in the cache of the system.
    private func measureSaved(_ files: [String]) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "fencepost-load-\(UUID()).index").path
        defer { unlink(path) }
        do {
            let sources = files.compactMap { RegionSourceFile($0) }
            let set = RegionSet.load(paths: files)
            try SavedIndex.write(
                set, RegionIndex(set.catalog), sources: sources, options: RegionOptions(), to: OutputFile(path))
        }
        var (starts, opens, checks, processor): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        var count = 0
        for _ in 0..<max(3, runs) {
            let clock = ContinuousClock()
            let processorBefore = Self.processorTime
            let start = clock.now
            let saved = try SavedIndex(path: path)
            let opened = clock.now
            try saved.check(paths: files, options: RegionOptions())
            let checked = clock.now
            let rules = WatchRules(saved.index.catalog, MonitorSettings())
            starts.append((clock.now - start) / .seconds(1))
            opens.append((opened - start) / .seconds(1))
            checks.append((checked - opened) / .seconds(1))
            processor.append(Self.processorTime - processorBefore)
            count = rules.catalog.count
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        var measurement = Measurement(
            "load", "a saved index of \(count) regions, checked, with the files", ["regions": count], unit: "s", starts)
        measurement.details = [
            "open and check s": opens.min() ?? 0, "hash the region files s": checks.min() ?? 0,
            "s of processor time": processor.min() ?? 0, "bytes a region": Double(size / max(1, count)),
        ]
        try report.write(measurement)
    }

    /// Seconds of all threads.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Star-shaped polygons, scattered over the mid latitudes.
    static func write(regions: Int, vertices: Int, seed: UInt64, to file: URL) throws {
        var random = SplitMix64(seed: seed)
        var text = "{\"type\":\"FeatureCollection\",\"features\":[\n"
        for region in 0..<regions {
            let (x, y) = (random.unit() * 340 - 170, random.unit() * 130 - 60)
            let size = 0.001 + random.unit() * 0.02
            var ring: [String] = []
            for corner in 0..<vertices {
                let angle = 2 * Double.pi * Double(corner) / Double(vertices)
                let radius = size * (0.6 + 0.4 * random.unit())
                let (east, north) = (x + radius * cos(angle), y + radius * sin(angle))
                ring.append("[\((east * 1e6).rounded() / 1e6),\((north * 1e6).rounded() / 1e6)]")
            }
            ring.append(ring[0])
            text += region == 0 ? "" : ",\n"
            text += "{\"type\":\"Feature\",\"id\":\"region-\(region)\",\"properties\":{\"name\":\"Region \(region)\"},"
            text += "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[\(ring.joined(separator: ","))]]}}"
        }
        text += "\n]}\n"
        try Data(text.utf8).write(to: file)
    }

    /// The resident memory of the process in bytes, as Linux reports it.
    static func residentBytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii))?.split(separator: " ")
        return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}
