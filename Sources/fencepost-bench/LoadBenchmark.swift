import ArgumentParser
import FencepostModel
import FencepostRegions
import Foundation

struct LoadBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Reads, checks and indexes made-up regions.")

    @Option(help: "How many polygons.") var regions = 100_000
    @Option(help: "Vertices of each.") var vertices = 20
    @Option(help: "Where the random numbers start.") var seed: UInt64 = 1
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
        let clock = ContinuousClock()
        let memoryBefore = Self.residentBytes()
        var set = RegionSet()
        let reading = clock.measure { set = RegionSet.load(paths: files) }
        var catalog = RegionCatalog()
        let cataloging = clock.measure { catalog = set.catalog }
        var index: RegionIndex?
        let indexing = clock.measure { index = RegionIndex(catalog) }
        let errors = set.diagnostics.count { $0.severity == .error }
        let memory = Self.residentBytes() - memoryBefore
        print(
            "seed \(seed), \(set.regions.count) regions, \(errors) errors, \(index == nil ? 0 : catalog.count) indexed")
        print("read and check \(reading), catalog \(cataloging), index \(indexing)")
        print("total \(reading + cataloging + indexing), \(memory / max(1, catalog.count)) bytes a region")
    }

    /// Stars of many corners, scattered over the mid latitudes.
    static func write(regions: Int, vertices: Int, seed: UInt64, to file: URL) throws {
        var random = SplitMix(state: seed)
        var text = "{\"type\":\"FeatureCollection\",\"features\":[\n"
        for region in 0..<regions {
            let (x, y) = (random.unit() * 340 - 170, random.unit() * 130 - 60)
            let size = 0.001 + random.unit() * 0.02
            var ring: [String] = []
            for corner in 0..<vertices {
                let angle = 2 * Double.pi * Double(corner) / Double(vertices)
                let reach = size * (0.6 + 0.4 * random.unit())
                let (east, north) = (x + reach * cos(angle), y + reach * sin(angle))
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

    /// What the process holds in memory now, as Linux counts it.
    static func residentBytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii))?.split(separator: " ")
        return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}

/// SplitMix64 (Steele et al. 2014): the same numbers on every run with the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// From 0 up to and without 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
