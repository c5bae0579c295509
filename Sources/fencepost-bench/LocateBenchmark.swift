import ArgumentParser
import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions
import Foundation

struct LocateBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Compares the index of regions with GEOS itself, point by point; exit code 1 when they differ.",
        discussion: """
            GEOS is asked as one would without an index: a tree of envelopes (STRtree) over prepared polygons. First \
            come points that are drawn evenly from the envelopes of the regions, which are what is timed; then points \
            on vertices, on edges and next to them, all over the world and on the antimeridian, which are there to be hard.
            """)

    @Option(help: "How many points of each sort.") var points = 1_000_000
    @Option(help: "Region files, folders and patterns.") var regions: [String] = []
    @Option(help: "So many round polygons instead, over a country.") var round: Int?
    @Option(help: "Vertices of each round polygon.") var vertices = 16
    @Option(help: "Where the random numbers start.") var seed: UInt64 = 1

    func validate() throws {
        guard regions.isEmpty != (round == nil) else { throw ValidationError("give either --regions or --round") }
        guard vertices >= 3 && round ?? 1 > 0 else { throw ValidationError("too few regions or vertices") }
    }

    func run() throws {
        let set = RegionSet.load(paths: regions)
        for diagnostic in set.diagnostics where diagnostic.severity == .error { print(diagnostic) }
        let catalog = round.map { Self.roundRegions($0, vertices: vertices, seed: seed) } ?? set.catalog
        guard catalog.count > 0 else { throw ValidationError("there is no region") }
        let clock = ContinuousClock()
        var index = RegionIndex(RegionCatalog())
        let building = clock.measure { index = RegionIndex(catalog) }
        let bytes = index.byteCount / catalog.count
        print(
            "seed \(seed), \(catalog.count) regions indexed in \(building), \(bytes) bytes a region beside the catalog")
        var query = RegionQuery(index)
        var reference = try Reference(catalog)
        var source = PointSource(catalog, seed: seed)
        let mismatches =
            try compare("evenly in envelopes", &query, &reference, catalog) { source.even() }
            + compare("hard ones", &query, &reference, catalog) { source.hard() }
        if mismatches > 0 { throw ExitCode(1) }
    }

    /// Asks both about the same points, batch by batch in turns, and says how long each took.
    ///
    /// - Returns: about how many points they did not agree.
    private func compare(
        _ name: String, _ query: inout RegionQuery, _ reference: inout Reference, _ catalog: RegionCatalog,
        _ next: () -> Coordinate
    ) throws -> Int {
        var times: (index: [Double], geos: [Double]) = ([], [])
        var (found, mismatches, done) = (0, 0, 0)
        var answer: [RegionHandle] = []
        var wanted: [RegionHandle] = []
        while done < points {
            let coordinates = (0..<min(200_000, points - done)).map { _ in next() }
            done += coordinates.count
            let batches = stride(from: 0, to: coordinates.count, by: 10_000).map {
                coordinates[$0..<min($0 + 10_000, coordinates.count)]
            }
            // What keeps the work alive, and is the same for both.
            var (sum, wantedSum) = (0, 0)
            for batch in batches {
                let start = Self.nanoseconds()
                for coordinate in batch {
                    try query.covering(coordinate, into: &answer)
                    for handle in answer { sum &+= Int(handle.rawValue) &+ 1 }
                }
                times.index.append((Self.nanoseconds() - start) / Double(batch.count))
            }
            for batch in batches {
                let start = Self.nanoseconds()
                for coordinate in batch {
                    try reference.covering(coordinate, into: &wanted)
                    for handle in wanted { wantedSum &+= Int(handle.rawValue) &+ 1 }
                }
                times.geos.append((Self.nanoseconds() - start) / Double(batch.count))
            }
            for coordinate in coordinates {
                try query.covering(coordinate, into: &answer)
                try reference.covering(coordinate, into: &wanted)
                wanted.sort()
                found += answer.count
                guard answer != wanted else { continue }
                mismatches += 1
                if mismatches <= 10 {
                    let names = { (handles: [RegionHandle]) in handles.compactMap { catalog[$0]?.id.rawValue } }
                    print("\(coordinate): index \(names(answer)), GEOS \(names(wanted))")
                }
            }
            // Never true where the lists are equal.
            if sum != wantedSum && mismatches == 0 { print("the timed answers differ: \(sum), \(wantedSum)") }
        }
        func told(_ times: [Double]) -> String {
            let sorted = times.sorted()
            return [sorted[0], sorted[sorted.count / 2], sorted[sorted.count - 1]].map { String(Int($0)) }
                .joined(separator: "/")
        }
        let ratio = times.geos.sorted()[times.geos.count / 2] / times.index.sorted()[times.index.count / 2]
        print(
            "\(name): \(done) points, \(found) times inside, \(mismatches) mismatches; ns of processor time a point "
                + "(min/median/max of batches of 10 000) index \(told(times.index)), GEOS \(told(times.geos)), ratio of medians "
                + String(format: "%.1f", ratio))
        return mismatches
    }

    /// Processor time of this thread: what else the machine does counts little.
    private static func nanoseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Polygons of 50 to 500 m around places scattered over 10 by 10 degrees.
    private static func roundRegions(_ count: Int, vertices: Int, seed: UInt64) -> RegionCatalog {
        var random = SplitMix(state: seed &+ 1000)
        return RegionCatalog(
            (0..<count).map { number in
                let center = Coordinate(latitude: 45 + random.unit() * 10, longitude: 5 + random.unit() * 10)
                let radius = 50 * exp(random.unit() * log(10))
                let plane = LocalPlane(origin: center)
                var ring = (0..<vertices).map { corner in
                    let angle = 2 * Double.pi * (Double(corner) + 0.5) / Double(vertices)
                    return plane.unproject(east: radius * cos(angle), north: radius * sin(angle))
                }
                ring.append(ring[0])
                return Region(
                    id: RegionID("round-\(number)"),
                    shape: .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))])))
            })
    }

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
                    let sides = [0.0, 90, 180, -90].map {
                        Geodesic.destination(from: circle.center, azimuth: $0, distance: circle.radius)
                    }
                    edges.append((sides[0], sides[1]))
                    if let envelope = Envelope(of: sides), envelope.east - envelope.west < 180 {
                        envelopes.append(envelope)
                    }
                case .corridor(let corridor):
                    for line in corridor.lines { edges += zip(line, line.dropFirst()).map { ($0, $1) } }
                }
            }
        }

        /// Evenly in the envelope of one region, a third larger so that some are outside.
        mutating func even() -> Coordinate {
            guard !envelopes.isEmpty else { return anywhere() }
            let box = envelopes[Int(random.next() % UInt64(envelopes.count))]
            let (x, y) = (random.unit() * 4 / 3 - 1.0 / 6, random.unit() * 4 / 3 - 1.0 / 6)
            return Coordinate(
                latitude: min(max(box.south + (box.north - box.south) * y, -90), 90),
                longitude: min(max(box.west + (box.east - box.west) * x, -180), 180))
        }

        private mutating func anywhere() -> Coordinate {
            Coordinate(latitude: random.unit() * 180 - 90, longitude: random.unit() * 360 - 180)
        }

        mutating func hard() -> Coordinate {
            guard !edges.isEmpty else { return anywhere() }
            let (a, b) = edges[Int(random.next() % UInt64(edges.count))]
            var point = a
            switch random.next() % 8 {
            case 0: return anywhere()
            case 1: return Coordinate(latitude: a.latitude, longitude: a.longitude < 0 ? -180 : 180)
            case 2: point.longitude = b.longitude + (random.unit() - 0.5) * 1e-3
            case 3, 4: break
            case 5:
                (point.latitude, point.longitude) = (a.latitude.midpoint(b.latitude), a.longitude.midpoint(b.longitude))
            default:
                let t = random.unit()
                point.latitude += t * (b.latitude - a.latitude)
                point.longitude += t * (b.longitude - a.longitude)
            }
            switch random.next() % 4 {
            case 0: point.latitude = min(point.latitude.nextUp, 90)
            case 1: point.longitude = point.longitude.nextDown
            default: break
            }
            point.longitude = min(max(point.longitude, -180), 180)
            return point
        }
    }

    /// GEOS for polygons; for circles and corridors, which it does not know, every one of them in reach.
    private struct Reference: ~Copyable {
        private let tree: PreparedPolygonTree
        private var handles: [RegionHandle] = []
        private var others: [(RegionHandle, Shape)] = []
        private var places: [Int] = []

        init(_ catalog: RegionCatalog) throws {
            var shapes: [MultiPolygon] = []
            for (handle, region) in catalog.regions {
                if case .polygons(let shape) = region.shape {
                    shapes.append(shape)
                    handles.append(handle)
                } else {
                    others.append((handle, region.shape))
                }
            }
            tree = try PreparedPolygonTree(shapes, in: GEOSContext())
        }

        /// Each once, in no order.
        mutating func covering(_ coordinate: Coordinate, into found: inout [RegionHandle]) throws {
            found.removeAll(keepingCapacity: true)
            try tree.covering(coordinate, into: &places)
            for place in places { found.append(handles[place]) }
            if abs(coordinate.longitude) == 180 {
                let opposite = Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude)
                try tree.covering(opposite, into: &places)
                for place in places where !found.contains(handles[place]) { found.append(handles[place]) }
            }
            for (handle, shape) in others {
                switch shape {
                case .circle(let circle):
                    // A degree of latitude is at least 110 km long.
                    if abs(circle.center.latitude - coordinate.latitude) * 110_000 <= circle.radius,
                        Geodesic.distance(circle.center, coordinate) <= circle.radius
                    {
                        found.append(handle)
                    }
                case .corridor(let corridor):
                    if corridor.covers(coordinate) { found.append(handle) }
                case .polygons: break
                }
            }
        }
    }
}

extension Double {
    fileprivate func midpoint(_ other: Double) -> Double { (self + other) / 2 }
}
