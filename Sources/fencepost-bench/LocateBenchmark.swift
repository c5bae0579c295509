import ArgumentParser
import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions

struct LocateBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Compares the index of regions with GEOS itself, point by point; exit code 1 when they differ.")

    @Option(help: "How many points.") var points = 1_000_000
    @Option(help: "Region files, folders and patterns.") var regions: [String]
    @Option(help: "Where the random numbers start.") var seed: UInt64 = 1

    func run() throws {
        let set = RegionSet.load(paths: regions)
        for diagnostic in set.diagnostics where diagnostic.severity == .error { print(diagnostic) }
        let catalog = set.catalog
        guard catalog.count > 0 else { throw ValidationError("there is no region") }
        var reference = try Reference(catalog)
        var source = PointSource(catalog, seed: seed)
        let batch = 100_000
        var query = RegionQuery(RegionIndex(catalog))
        let clock = ContinuousClock()
        var (indexTime, geosTime) = (Duration.zero, Duration.zero)
        var (found, mismatches, done) = (0, 0, 0)
        var answer: [RegionHandle] = []
        while done < points {
            let coordinates = (0..<min(batch, points - done)).map { _ in source.next() }
            done += coordinates.count
            // One after the other in one list: a list of lists would cost more than the answers.
            var answers: [RegionHandle] = []
            var ends: [Int] = []
            indexTime += try clock.measure {
                for coordinate in coordinates {
                    try query.covering(coordinate, into: &answer)
                    answers += answer
                    ends.append(answers.count)
                }
            }
            var expected: [[RegionHandle]] = []
            expected.reserveCapacity(coordinates.count)
            geosTime += try clock.measure {
                for coordinate in coordinates { expected.append(try reference.covering(coordinate)) }
            }
            var start = 0
            for (coordinate, (end, wanted)) in zip(coordinates, zip(ends, expected)) {
                let answer = Array(answers[start..<end])
                start = end
                found += answer.count
                guard answer != wanted else { continue }
                mismatches += 1
                if mismatches <= 10 {
                    let names = { (handles: [RegionHandle]) in handles.compactMap { catalog[$0]?.id.rawValue } }
                    print("\(coordinate): index \(names(answer)), GEOS \(names(wanted))")
                }
            }
        }
        func perPoint(_ time: Duration) -> Int64 { Int64(time / .nanoseconds(1)) / Int64(max(1, done)) }
        print("seed \(seed), \(catalog.count) regions, \(done) points, \(found) times inside, \(mismatches) mismatches")
        print("index \(perPoint(indexTime)) ns a point, GEOS behind a grid \(perPoint(geosTime)) ns a point")
        if mismatches > 0 { throw ExitCode(1) }
    }

    /// Points all over the world, near regions, and exactly on their vertices and the middles of their edges.
    private struct PointSource {
        private var random: SplitMix
        private var edges: [(Coordinate, Coordinate)] = []
        private var envelopes: [Envelope] = []

        init(_ catalog: RegionCatalog, seed: UInt64) {
            random = SplitMix(state: seed)
            for (_, region) in catalog.regions {
                switch region.shape {
                case .polygons(let shape):
                    for polygon in shape.polygons {
                        if let envelope = Envelope(of: polygon.exterior.coordinates) { envelopes.append(envelope) }
                        for ring in polygon.rings {
                            edges += zip(ring.coordinates, ring.coordinates.dropFirst()).map { ($0, $1) }
                        }
                    }
                case .circle(let circle):
                    let north = Geodesic.destination(from: circle.center, azimuth: 0, distance: circle.radius)
                    let east = Geodesic.destination(from: circle.center, azimuth: 90, distance: circle.radius)
                    edges.append((north, east))
                case .corridor(let corridor):
                    for line in corridor.lines { edges += zip(line, line.dropFirst()).map { ($0, $1) } }
                }
            }
        }

        mutating func next() -> Coordinate {
            switch random.next() % 8 {
            case 0, 1:
                return Coordinate(latitude: random.unit() * 180 - 90, longitude: random.unit() * 360 - 180)
            case 2...5 where !envelopes.isEmpty:
                let box = envelopes[Int(random.next() % UInt64(envelopes.count))]
                return Coordinate(
                    latitude: box.south + (box.north - box.south) * random.unit(),
                    longitude: box.west + (box.east - box.west) * random.unit())
            case let choice:
                let (a, b) = edges[Int(random.next() % UInt64(edges.count))]
                if choice == 6 { return a }
                return Coordinate(
                    latitude: (a.latitude + b.latitude) / 2, longitude: (a.longitude + b.longitude) / 2)
            }
        }
    }

    /// GEOS asked about every polygon in whose cell of one degree, and envelope, a point lies.
    private struct Reference: ~Copyable {
        private let context = GEOSContext()
        private var areas: [(handle: RegionHandle, envelope: Envelope, prepared: PreparedPolygons)] = []
        private var cells: [[Int32]] = Array(repeating: [], count: 360 * 180)
        private var others: [(RegionHandle, Shape)] = []

        init(_ catalog: RegionCatalog) throws {
            for (handle, region) in catalog.regions {
                guard case .polygons(let shape) = region.shape else {
                    others.append((handle, region.shape))
                    continue
                }
                let prepared = try PreparedPolygons(shape, in: context)
                for polygon in shape.polygons {
                    guard let envelope = Envelope(of: polygon.exterior.coordinates) else { continue }
                    for y in Self.cell(envelope.south + 90, 180)...Self.cell(envelope.north + 90, 180) {
                        for x in Self.cell(envelope.west + 180, 360)...Self.cell(envelope.east + 180, 360) {
                            cells[y * 360 + x].append(Int32(areas.count))
                        }
                    }
                    areas.append((handle, envelope, prepared))
                }
            }
        }

        private static func cell(_ degrees: Double, _ count: Int) -> Int { min(max(Int(degrees), 0), count - 1) }

        mutating func covering(_ coordinate: Coordinate) throws -> [RegionHandle] {
            var found: Set<RegionHandle> = []
            let opposite = Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude)
            for side in abs(coordinate.longitude) == 180 ? [coordinate, opposite] : [coordinate] {
                let cell = Self.cell(side.latitude + 90, 180) * 360 + Self.cell(side.longitude + 180, 360)
                for area in cells[cell] {
                    let (handle, envelope, prepared) = areas[Int(area)]
                    if envelope.contains(side), try prepared.covers(side) { found.insert(handle) }
                }
            }
            for (handle, shape) in others {
                switch shape {
                case .circle(let circle):
                    // A degree of latitude is at least 110 km long.
                    if abs(circle.center.latitude - coordinate.latitude) * 110_000 <= circle.radius,
                        Geodesic.distance(circle.center, coordinate) <= circle.radius
                    {
                        found.insert(handle)
                    }
                case .corridor(let corridor):
                    if corridor.covers(coordinate) { found.insert(handle) }
                case .polygons: break
                }
            }
            return found.sorted()
        }
    }
}
