import ArgumentParser
import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import Foundation

struct LocateBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Compares the index of regions with GEOS itself, point by point; exit code 1 when they differ.",
        discussion: """
            GEOS is asked as one would without an index: a tree of envelopes (STRtree) over prepared polygons. First \
            come points that are drawn evenly from the envelopes of the regions; then points on vertices, on edges and \
            next to them, all over the world and on the antimeridian, which are there to be hard. The index is asked \
            about one point at a time, and about many at once.
            """)

    @Option(help: "How many points of each sort.") var points = 1_000_000
    @Option(help: "How often all points are gone through.") var repeats = 5
    @Option(help: "Region files, folders and patterns.") var regions: [String] = []
    @Option(help: "So many round polygons, beside what the other options give.") var round: Int?
    @Option(help: "How far the round ones are scattered, in degrees: 10 is a country, 0.3 a city.") var degrees = 10.0
    @Option(help: "So many polygons that tile a country, beside what the other options give.") var tiles: Int?
    @Option(help: "Vertices of each such polygon (16 of a round one, 200 of a tile).") var vertices: Int?
    @Option(help: "Where the random numbers start.") var seed: UInt64 = 1
    @Option(help: "Ask the index alone, in this way, and compare nothing: for profilers.") var only: Way?
    @Option(help: "A Python with shapely, to be timed over the same points.")
    var shapely: String?
    @OptionGroup var report: ReportOptions

    enum Way: String, CaseIterable, ExpressibleByArgument {
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
            all += MadeUpRegions.round(round, vertices: vertices ?? 16, degrees: degrees, seed: seed)
        }
        if let tiles { all += MadeUpRegions.tiles(tiles, vertices: vertices ?? 200, seed: seed) }
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
        for sort in ["even", "hard"] {
            let coordinates = (0..<points).map { _ in sort == "even" ? source.even() : source.hard() }
            var compared = try Report(sort: sort, coordinates, catalog, &query, &reference)
            try compared.time(coordinates, repeats, &query, &reference)
            mismatches += compared.mismatches
            var peers: [(name: String, times: [Double])] = []
            if let shapely, sort == "even" {
                do {
                    let peer = Shapely(shapely)
                    let times = try peer.times(catalog, coordinates, repeats: repeats, found: compared.found)
                    peers = [("shapely", times)]
                } catch {
                    // Where it sees the regions otherwise, as across the antimeridian, it is no peer.
                    FileHandle.standardError.write(Data("without shapely: \(error)\n".utf8))
                }
            }
            let conditions = ["seed": Int(seed), "regions": catalog.count, "points": points]
            for var measurement in compared.measurements(conditions, peers: peers) {
                measurement.details["bytes a region"] = Double(bytes)
                measurement.details["indexing s"] = building / .seconds(1)
                try report.tell(measurement)
            }
        }
        if mismatches > 0 { throw ExitCode(1) }
    }

    /// What one call of a service would hold.
    static func slices(of coordinates: [Coordinate]) -> [[Coordinate]] {
        stride(from: 0, to: coordinates.count, by: 10_000).map {
            Array(coordinates[$0..<min($0 + 10_000, coordinates.count)])
        }
    }

    /// - Returns: what keeps the work alive, and is the same for all ways.
    static func ask(_ query: inout RegionQuery, _ slices: [[Coordinate]], _ way: Way) throws -> Int {
        var sum = 0
        if way == .single {
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
