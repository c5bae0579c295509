import ArgumentParser
import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostWorkload
import Foundation

struct LocateBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Compares the region index with GEOS, point by point; exit code 1 when they differ.",
        discussion: """
            GEOS uses its R-tree of envelopes (STRtree) over prepared polygons. The first points are evenly distributed \
            in the envelopes of the regions; the second are difficult ones: on vertices, on edges and next to them, all \
            over the world and on the antimeridian. The index answers single queries and batches.
            """)

    @Option(help: "The number of points of each kind.") var points = 1_000_000
    @Option(help: "The number of repetitions over all points.") var repeats = 5
    @Option(help: "Region files, folders and patterns.") var regions: [String] = []
    @Option(help: "The number of round polygons, in addition to the other options.") var round: Int?
    @Option(help: "The side of the square of the round polygons, in degrees: 10 is a country, 0.3 a city.")
    var degrees = 10.0
    @Option(help: "The number of polygons that tile a country, in addition to the other options.") var tiles: Int?
    @Option(help: "Vertices of each such polygon (by default 16 of a round one, 200 of a tile).") var vertices: Int?
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "Measure this variant alone without comparison, for profilers.") var only: Variant?
    @Option(help: "A Python with shapely, for a comparison over the same points.")
    var shapely: String?
    @OptionGroup var report: ReportOptions

    enum Variant: String, CaseIterable, ExpressibleByArgument {
        case single, many, geos
    }

    func validate() throws {
        guard !regions.isEmpty || round != nil || tiles != nil else {
            throw ValidationError("give --regions, --round or --tiles, or several of them")
        }
        guard vertices ?? 3 >= 3 && min(round ?? 1, tiles ?? 1) > 0 && points > 0 && repeats > 0 && degrees > 0 else {
            throw ValidationError("too few regions, vertices, points or repeats")
        }
    }

    func run() throws {
        let set = RegionSet.load(paths: regions)
        for diagnostic in set.diagnostics where diagnostic.severity == .error { print(diagnostic) }
        var all = set.regions
        if let round {
            all += SyntheticRegions.round(
                round, vertices: vertices ?? 16,
                in: .init(southWest: SyntheticRegions.Square.country.southWest, degrees: degrees), seed: seed &+ 1000)
        }
        if let tiles { all += SyntheticRegions.tiles(tiles, vertices: vertices ?? 200, seed: seed &+ 2000) }
        let catalog = RegionCatalog(all)
        guard catalog.count > 0 else { throw ValidationError("there is no region") }
        var index = RegionIndex(RegionCatalog())
        let building = ContinuousClock().measure { index = RegionIndex(catalog) }
        let bytes = index.byteCount / catalog.count
        report.title("locate: seed \(seed), \(catalog.count) regions indexed in \(building), \(bytes) bytes a region")
        var query = RegionQuery(index)
        var source = LocatePoints(catalog, seed: seed)
        if let only {
            let slices = Self.slices(of: (0..<points).map { _ in source.even() })
            if only == .geos {
                var reference = try LocateReference(catalog)
                for _ in 0..<repeats { print("sum", try Self.ask(&reference, slices)) }
            } else {
                for _ in 0..<repeats { print("sum", try Self.ask(&query, slices, only)) }
            }
            return
        }
        var reference = try LocateReference(catalog)
        var mismatches = 0
        for kind in ["even", "hard"] {
            let coordinates = (0..<points).map { _ in kind == "even" ? source.even() : source.hard() }
            var compared = try Report(kind: kind, coordinates, catalog, &query, &reference)
            try compared.time(coordinates, repeats, &query, &reference)
            mismatches += compared.mismatches
            var peers: [(name: String, times: [Double])] = []
            if let shapely, kind == "even" {
                do {
                    let peer = Shapely(shapely)
                    let times = try peer.times(catalog, coordinates, repeats: repeats, found: compared.found)
                    peers = [("shapely", times)]
                } catch {
                    // A mismatch, for example across the antimeridian, excludes it from the comparison.
                    FileHandle.standardError.write(Data("without shapely: \(error)\n".utf8))
                }
            }
            let conditions = ["seed": Int(seed), "regions": catalog.count, "points": points]
            for var measurement in compared.measurements(conditions, peers: peers) {
                measurement.details["bytes a region"] = Double(bytes)
                measurement.details["indexing s"] = building / .seconds(1)
                try report.write(measurement)
            }
        }
        if mismatches > 0 { throw ExitCode(1) }
    }

    /// Slices of the size of a service request.
    static func slices(of coordinates: [Coordinate]) -> [[Coordinate]] {
        stride(from: 0, to: coordinates.count, by: 10_000).map {
            Array(coordinates[$0..<min($0 + 10_000, coordinates.count)])
        }
    }

    /// - Returns: a checksum, which keeps the work from being optimised away and is the same for all variants.
    static func ask(_ query: inout RegionQuery, _ slices: [[Coordinate]], _ variant: Variant) throws -> Int {
        var sum = 0
        if variant == .single {
            var answer: [RegionHandle] = []
            for slice in slices {
                for coordinate in slice {
                    try query.covering(coordinate, into: &answer)
                    for handle in answer { sum &+= Int(handle.rawValue) &+ 1 }
                }
            }
        } else {
            var answers = Coverings()
            for slice in slices {
                try query.covering(slice, into: &answers)
                for handle in answers.handles { sum &+= Int(handle.rawValue) &+ 1 }
            }
        }
        return sum
    }

    static func ask(_ reference: inout LocateReference, _ slices: [[Coordinate]]) throws -> Int {
        var sum = 0
        var answer: [RegionHandle] = []
        for slice in slices {
            for coordinate in slice {
                try reference.covering(coordinate, into: &answer)
                for handle in answer { sum &+= Int(handle.rawValue) &+ 1 }
            }
        }
        return sum
    }
}
