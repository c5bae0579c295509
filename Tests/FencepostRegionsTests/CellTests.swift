import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// Compares the index with GEOS for polygons, and with a linear scan for circles and corridors.
private struct Comparison: ~Copyable {
    let catalog: RegionCatalog
    private var query: RegionQuery
    private let tree: PreparedPolygonTree
    private var handles: [RegionHandle] = []
    private var others: [(handle: RegionHandle, shape: Shape)] = []
    private var indices: [Int] = []
    private var coverings = Coverings()

    init(_ catalog: RegionCatalog) throws {
        self.catalog = catalog
        query = RegionQuery(RegionIndex(catalog))
        var shapes: [MultiPolygon] = []
        for (handle, region) in catalog.regions {
            if case .polygons(let shape) = region.shape {
                handles.append(handle)
                shapes.append(shape)
            } else {
                others.append((handle, region.shape))
            }
        }
        tree = try PreparedPolygonTree(shapes, in: GEOSContext())
    }

    mutating func expected(_ point: Coordinate) throws -> [RegionHandle] {
        var result: Set<RegionHandle> = []
        let opposite = Coordinate(latitude: point.latitude, longitude: -point.longitude)
        for side in abs(point.longitude) == 180 ? [point, opposite] : [point] {
            try tree.covering(side, into: &indices)
            result.formUnion(indices.map { handles[$0] })
        }
        for (handle, shape) in others {
            switch shape {
            case .circle(let circle): if circle.covers(point) { result.insert(handle) }
            case .corridor(let corridor): if corridor.covers(point) { result.insert(handle) }
            case .polygons: break
            }
        }
        return result.sorted()
    }

    /// The number of regions that cover the point.
    @discardableResult
    mutating func check(_ point: Coordinate) throws -> Int {
        let point = Coordinate(
            latitude: min(max(point.latitude, -90), 90), longitude: min(max(point.longitude, -180), 180))
        let found = try query.covering(point)
        let wanted = try expected(point)
        #expect(found == wanted, "\(point)")
        try query.covering([point], into: &coverings)
        #expect(Array(coverings[0]) == wanted, "\(point)")
        return found.count
    }

    /// The point and its representable neighbours.
    mutating func checkAround(_ point: Coordinate) throws {
        let latitudes = [point.latitude, point.latitude.nextUp, point.latitude.nextDown]
        let longitudes = [point.longitude, point.longitude.nextUp, point.longitude.nextDown]
        for latitude in latitudes {
            for longitude in longitudes { try check(Coordinate(latitude: latitude, longitude: longitude)) }
        }
    }
}

@Suite("The cell index") struct CellTests {
    private static func region(_ number: Int, _ shape: Shape) -> Region {
        Region(id: RegionID("\(number)"), shape: shape)
    }

    /// Valid polygons, because invalid ones never reach an index.
    private static func catalog(_ polygons: [Polygon]) throws -> RegionCatalog {
        let context = GEOSContext()
        let valid = try polygons.filter { polygon in
            var comparisond = try GEOSPolygons(MultiPolygon([polygon]), in: context)
            return try comparisond.invalidity() == nil
        }
        return RegionCatalog(valid.enumerated().map { region($0, .polygons(MultiPolygon([$1]))) })
    }

    private static func moved(_ polygon: Polygon, to center: Coordinate) -> Polygon {
        let old = polygon.exterior.coordinates[0]
        func moved(_ ring: LinearRing) -> LinearRing {
            LinearRing(
                ring.coordinates.map {
                    Coordinate(
                        latitude: $0.latitude - old.latitude + center.latitude,
                        longitude: $0.longitude - old.longitude + center.longitude)
                })
        }
        return Polygon(exterior: moved(polygon.exterior), interiors: polygon.interiors.map(moved))
    }

    @Test(
        "agrees with GEOS for overlapping polygons of all sizes",
        arguments: 1...30 as ClosedRange<UInt64>)
    func overlapping(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let count = adversary.pick([1, 2, 12, 120])
        let spread = adversary.pick([0.001, 0.05, 5])
        var polygons: [Polygon] = []
        for _ in 0..<count {
            let center = Coordinate(
                latitude: 60 + adversary.number(0...spread), longitude: adversary.number(0...spread))
            let polygon = Self.moved(adversary.polygon(), to: center)
            // Some of them twice.
            polygons += adversary.pick([[polygon], [polygon], [polygon, polygon]])
        }
        var comparison = try Comparison(try Self.catalog(polygons))
        for (_, region) in comparison.catalog.regions {
            guard case .polygons(let shape) = region.shape else { continue }
            for _ in 0..<(count > 12 ? 8 : 60) { try comparison.check(adversary.point(near: shape)) }
            for _ in 0..<3 { try comparison.checkAround(adversary.point(near: shape)) }
        }
    }

    @Test("agrees with GEOS for regions with common edges", arguments: 1...10 as ClosedRange<UInt64>)
    func sharing(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        // A grid of irregular squares: a vertex belongs to up to four of them, an edge to two.
        let size = 8
        let step = adversary.pick([1e-5, 0.01, 1])
        let corners = (0...size).map { row in
            (0...size).map { column in
                Coordinate(
                    latitude: (Double(row) + adversary.number(-0.3...0.3)) * step - 4 * step,
                    longitude: (Double(column) + adversary.number(-0.3...0.3)) * step - 4 * step)
            }
        }
        var polygons: [Polygon] = []
        for row in 0..<size {
            for column in 0..<size {
                let ring = [
                    corners[row][column], corners[row][column + 1], corners[row + 1][column + 1],
                    corners[row + 1][column],
                ]
                polygons.append(Polygon(exterior: LinearRing(ring + [ring[0]])))
            }
        }
        var comparison = try Comparison(try Self.catalog(polygons))
        for row in corners { for corner in row { try comparison.checkAround(corner) } }
        for (_, region) in comparison.catalog.regions {
            guard case .polygons(let shape) = region.shape else { continue }
            for _ in 0..<20 { try comparison.check(adversary.point(near: shape)) }
        }
    }

    @Test("agrees with GEOS at 180° and at the poles", arguments: 1...10 as ClosedRange<UInt64>)
    func ends(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        func ring(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> LinearRing {
            LinearRing(
                [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
                    Coordinate(latitude: $0.1, longitude: $0.0)
                })
        }
        let inner = adversary.number(1...20)
        let polygons = [
            Polygon(exterior: ring(180 - inner, -10, 180, 10), interiors: [ring(181 - inner, -5, 179.9, 5)]),
            Polygon(exterior: ring(-180, -10, -180 + inner, adversary.number(-9...10))),
            Polygon(exterior: ring(-180, -90, 180, -80)), Polygon(exterior: ring(-180, 80, 180, 90)),
            Polygon(exterior: ring(170, 89.999, 180, 90)), Polygon(exterior: ring(-180, -90, 180, 90)),
        ]
        var regions = polygons.enumerated().map { Self.region($0, .polygons(MultiPolygon([$1]))) }
        for number in 10..<30 {
            let center = Coordinate(
                latitude: adversary.pick([-90.0, -89.99, -60, 0, 70, 89.9999]),
                longitude: adversary.pick([-180.0, -179.999, 0, 179.99]))
            let radius = adversary.pick([0.0, 50, 3000, 200_000, 8_000_000])
            regions.append(Self.region(number, .circle(Circle(center: center, radius: radius))))
        }
        var comparison = try Comparison(RegionCatalog(regions))
        for _ in 0..<400 {
            let anywhere = adversary.number(-180...180)
            let longitude = adversary.pick([-180, 180, 179.95, -179.9999, anywhere])
            let latitude = adversary.pick([-90, 90, -80, 0, 5, 89.9995, anywhere / 2])
            try comparison.check(Coordinate(latitude: latitude, longitude: longitude))
        }
    }

    @Test("is exact at the boundaries of circles and corridors", arguments: 1...10 as ClosedRange<UInt64>)
    func round(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        var regions: [Region] = []
        var edge: [Coordinate] = []
        for number in 0..<40 {
            let center = Coordinate(latitude: 64 + adversary.number(0...1), longitude: 179 + adversary.number(0...1))
            let radius = adversary.pick([0.0, 0.5, 20, 150, 4000, 120_000])
            if number % 5 == 0 {
                let line = [center, Coordinate(latitude: center.latitude + 0.05, longitude: center.longitude - 0.1)]
                regions.append(
                    Self.region(number, .corridor(Corridor(lines: [line], width: min(2 * radius, 4000)))))
            } else {
                regions.append(Self.region(number, .circle(Circle(center: center, radius: radius))))
            }
            for _ in 0..<12 {
                let away = radius * adversary.pick([1.0, 1 - 1e-9, 1 + 1e-9, 0.9999, 1.0001, 0.5])
                edge.append(
                    Geodesic.destination(from: center, azimuth: adversary.number(-180...180), distance: away))
            }
        }
        var comparison = try Comparison(RegionCatalog(regions))
        for point in edge { try comparison.check(point) }
    }

    @Test("gives the same answers for batches and single queries", arguments: 1...12 as ClosedRange<UInt64>)
    func many(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let spread = adversary.pick([0.01, 2])
        // Many more lists of several regions than a batch can hold, or almost none.
        let polygons = (0..<adversary.pick([3, 40, 150])).map { _ in
            Self.moved(
                adversary.polygon(),
                to: Coordinate(latitude: 60 + adversary.number(0...spread), longitude: adversary.number(0...spread)))
        }
        let tiled = Self.moved(adversary.polygon(), to: Coordinate(latitude: 60, longitude: 0))
        let catalog = try Self.catalog(polygons + [tiled, tiled, tiled])
        var query = RegionQuery(RegionIndex(catalog))
        var points: [Coordinate] = []
        for (_, region) in catalog.regions {
            guard case .polygons(let shape) = region.shape else { continue }
            for _ in 0..<30 { points.append(adversary.point(near: shape)) }
        }
        points += [180, -180, 179, 0].map { Coordinate(latitude: 60, longitude: $0) }
        points += [Coordinate(latitude: -90, longitude: 0), Coordinate(latitude: .nan, longitude: 0)]
        points.shuffle(using: &adversary.random)
        var coverings = Coverings()
        // Twice, with fewer points the second time: nothing may remain of the first.
        for points in [points, Array(points.suffix(7))] {
            try query.covering(points, into: &coverings)
            #expect(coverings.count == points.count)
            var all: [RegionHandle] = []
            for (index, point) in points.enumerated() {
                let one = try query.covering(point)
                #expect(Array(coverings[index]) == one, "\(point)")
                all += one
            }
            #expect(Array(coverings.handles) == all)
        }
    }

    @Test("is empty without regions, and after all were removed")
    func empty() throws {
        var none = RegionQuery(RegionIndex(RegionCatalog()))
        #expect(try none.covering(Coordinate(latitude: 0, longitude: 0)) == [])
        #expect(try none.covering(Coordinate(latitude: 90, longitude: 180)) == [])
        let circle = Shape.circle(Circle(center: Coordinate(latitude: 1, longitude: 1), radius: 100))
        var catalog = RegionCatalog([Self.region(0, circle), Self.region(1, circle)])
        catalog.update([], removing: [RegionID("0")])
        var one = RegionQuery(RegionIndex(catalog))
        #expect(try one.covering(Coordinate(latitude: 1, longitude: 1)) == [RegionHandle(1)])
        #expect(try one.covering(Coordinate(latitude: -90, longitude: -180)) == [])
    }

    @Test("finds tiny regions among large ones")
    func sizes() throws {
        var adversary = Adversary(seed: 3)
        var regions: [Region] = []
        for number in 0..<200 {
            let center = Coordinate(latitude: adversary.number(40...41), longitude: adversary.number(-75 ... -74))
            let size = pow(10, adversary.number(-9...1))
            let ring = (0...6).map { corner in
                let angle = 2 * Double.pi * Double(corner % 6) / 6
                return Coordinate(
                    latitude: center.latitude + size * sin(angle), longitude: center.longitude + size * cos(angle))
            }
            regions.append(Self.region(number, .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))]))))
        }
        var comparison = try Comparison(RegionCatalog(regions))
        var inside = 0
        for (_, region) in comparison.catalog.regions {
            guard case .polygons(let shape) = region.shape else { continue }
            for _ in 0..<20 { inside += try comparison.check(adversary.point(near: shape)) }
        }
        #expect(inside > 10_000)
    }

    @Test("agrees with GEOS for the examples", arguments: ["antimeridian", "city"])
    func examples(name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        try checkFile(root.appending(path: "Regions/\(name).geojson").path, points: 100)
    }

    @Test(
        "agrees with GEOS for real regions", .enabled(if: SharedData.isPresent, "the shared data is missing"),
        arguments: SharedRegionsTests.counts.keys.sorted())
    func real(name: String) throws {
        try checkFile(SharedData.file("regions/\(name).geojson").path, points: 6)
    }

    private func checkFile(_ path: String, points: Int) throws {
        let set = RegionSet.load(paths: [path])
        #expect(set.regions.count > 0 && !set.hasErrors)
        var comparison = try Comparison(set.catalog)
        var adversary = Adversary(seed: 11)
        for region in set.regions {
            switch region.shape {
            case .polygons(let shape):
                for _ in 0..<points { try comparison.check(adversary.point(near: shape)) }
                try comparison.checkAround(adversary.point(near: shape))
            case .circle(let circle):
                for share in [0.3, 0.999, 1, 1.001] {
                    try comparison.check(
                        Geodesic.destination(
                            from: circle.center, azimuth: adversary.number(-180...180),
                            distance: circle.radius * share))
                }
            case .corridor(let corridor):
                for line in corridor.lines { try comparison.checkAround(line[0]) }
            }
        }
    }
}
