import FencepostGEOS
import FencepostGeometry
import FencepostModel
import Foundation
import Testing

@testable import FencepostRegions

@Suite("Half-plane splits") struct SplitTests {
    @Test(
        "agree with GEOS near edges and near their extensions, at every distance",
        arguments: 1...24 as ClosedRange<UInt64>)
    func besideEdges(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let context = GEOSContext()
        let first = adversary.polygon()
        // Alone, and in cells of few grid units, because the others span the world.
        let shapes = try [first, adversary.polygon(), adversary.polygon()].prefix(adversary.pick([1, 3])).map {
            MultiPolygon([$0])
        }.filter { shape in
            var geometry = try GEOSPolygons(shape, in: context)
            return try geometry.invalidity() == nil
        }
        let catalog = RegionCatalog(
            shapes.enumerated().map { Region(id: RegionID("\($0)"), shape: .polygons($1)) })
        let tree = try PreparedPolygonTree(shapes, in: context)
        let handles = catalog.regions.map(\.handle)
        var query = RegionQuery(RegionIndex(catalog))
        var points: [Coordinate] = []
        for shape in shapes {
            for ring in shape.polygons.flatMap(\.rings) {
                for (a, b) in zip(ring.coordinates, ring.coordinates.dropFirst()).prefix(40) {
                    let (dx, dy) = (b.longitude - a.longitude, b.latitude - a.latitude)
                    // The uncertain band is at most 2⁻¹³ of a cell; distances range from larger ones down to the last digit.
                    let (along, aside) = (adversary.number(-0.5...1.5), pow(10, adversary.number(-16...0)))
                    let side = aside * adversary.pick([1.0, -1])
                    points.append(
                        Coordinate(
                            latitude: min(max(a.latitude + along * dy + side * dx, -90), 90),
                            longitude: min(max(a.longitude + along * dx - side * dy, -180), 180)))
                }
            }
        }
        var together = Coverings()
        try query.covering(points, into: &together)
        var indices: [Int] = []
        for (number, point) in points.enumerated() {
            try tree.covering(point, into: &indices)
            let wanted = indices.map { handles[$0] }.sorted()
            #expect(try query.covering(point) == wanted, "\(point)")
            #expect(Array(together[number]) == wanted, "\(point)")
        }
    }

    @Test("decide everything except near edges")
    func certain() throws {
        // Irregular, so that cells contain several edges in every direction.
        var adversary = Adversary(seed: 5)
        let ring = (0..<60).map { corner in
            let (angle, radius) = (2 * Double.pi * Double(corner) / 60, adversary.number(0.6...1))
            return Coordinate(latitude: 50 + 0.1 * radius * sin(angle), longitude: 7 + 0.1 * radius * cos(angle))
        }
        let shape = MultiPolygon([Polygon(exterior: LinearRing(ring + [ring[0]]))])
        let layer = RegionLayer(RegionCatalog([Region(id: RegionID("ragged"), shape: .polygons(shape))]))
        let reader = CellReader(layer)
        var (certain, inside) = (0, 0)
        for _ in 0..<20_000 {
            let point = Coordinate(
                latitude: adversary.number(49.89...50.11), longitude: adversary.number(6.89...7.11))
            let classification = reader.classification(of: point) ?? 0
            guard classification & 3 != 3 else { continue }
            certain += 1
            inside += classification == 0 ? 0 : 1
            #expect((classification != 0) == ExactRayCast.covers(shape, point), "\(point)")
        }
        #expect(certain > 19_900)
        #expect(inside > 5000)
    }

    @Test("Exact orientation agrees with unlimited precision", arguments: 1...8 as ClosedRange<UInt64>)
    func orientation(seed: UInt64) {
        var adversary = Adversary(seed: seed)
        var answered = 0
        for _ in 0..<5000 {
            let scale = adversary.pick([1e-9, 1e-3, 1, 40])
            let origin = Coordinate(latitude: adversary.number(-80...80), longitude: adversary.number(-170...170))
            func near(_ center: Coordinate, _ radius: Double) -> Coordinate {
                Coordinate(
                    latitude: center.latitude + adversary.number(-radius...radius),
                    longitude: center.longitude + adversary.number(-radius...radius))
            }
            let (a, b) = (origin, near(origin, scale))
            let t = adversary.pick([0.0, 0.5, 1, 2, adversary.number(-1...2)])
            var point = Coordinate(
                latitude: a.latitude + t * (b.latitude - a.latitude),
                longitude: a.longitude + t * (b.longitude - a.longitude))
            switch adversary.pick([0, 1, 2]) {
            case 0: point.latitude = point.latitude.nextUp
            case 1: point.longitude = point.longitude.nextDown
            default: break
            }
            let sign = ExactOrientation.sign(
                (a.longitude, a.latitude), (b.longitude, b.latitude), (point.longitude, point.latitude))
            guard let sign else { continue }
            answered += 1
            #expect(sign == ExactRayCast.orientation(a, b, point), "\(a) \(b) \(point)")
        }
        #expect(answered > 2500)
    }

    @Test("are the same on several processors", arguments: 1...6 as ClosedRange<UInt64>)
    func concurrent(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let spread = adversary.pick([0.05, 1])
        var regions: [Region] = []
        for number in 0..<300 {
            let center = Coordinate(
                latitude: 60 + adversary.number(0...spread), longitude: adversary.number(0...spread))
            let radius = adversary.number(100...3000)
            guard number % 7 > 0 else {
                let circle = Shape.circle(Circle(center: center, radius: radius))
                regions.append(Region(id: RegionID("\(number)"), shape: circle))
                continue
            }
            let ring = (0..<12).map { corner in
                Geodesic.destination(from: center, azimuth: Double(corner) * -30, distance: radius)
            }
            let shape = MultiPolygon([Polygon(exterior: LinearRing(ring + [ring[0]]))])
            regions.append(Region(id: RegionID("\(number)"), shape: .polygons(shape)))
        }
        let catalog = RegionCatalog(regions)
        let (alone, together) = (RegionLayer(catalog), RegionLayer(catalog, parallelThreshold: 1))
        // Verifies the partitioning: each partition starts at a cache line.
        #expect(together.cells.storage.count > alone.cells.storage.count)
        let most = max(alone.cells.maximumLeafCount, together.cells.maximumLeafCount)
        let (one, other) = (CellReader(alone), CellReader(together))
        let handles = UnsafeMutablePointer<RegionHandle>.allocate(capacity: 2 * most)
        handles.initialize(repeating: RegionHandle(0), count: 2 * most)
        defer { handles.deallocate() }
        var (covered, uncertain) = (0, 0)
        for _ in 0..<4000 {
            let point = Coordinate(
                latitude: 60 + adversary.number(-0.1...spread + 0.1), longitude: adversary.number(-0.1...spread + 0.1))
            let (found, wanted) = (other.covering(point, into: handles), one.covering(point, into: handles + most))
            // The storage limit may stop one of them earlier.
            guard found >= 0 && wanted >= 0 else {
                uncertain += 1
                continue
            }
            #expect(found == wanted, "\(point)")
            guard found > 0 && found == wanted else { continue }
            covered += 1
            for index in 0..<found { #expect(handles[index] == handles[most + index], "\(point)") }
        }
        #expect(covered > 100 && uncertain < 400)
    }
}
