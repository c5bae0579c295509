import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostTesting
import Testing

@Suite("An updated index") struct RegionChangeTests {
    private static let origin = Coordinate(latitude: 48.1, longitude: 11.5)

    private static func shape(_ adversary: inout Adversary) -> Shape {
        let plane = LocalPlane(origin: origin)
        let center = plane.unproject(east: adversary.number(-5000...5000), north: adversary.number(-5000...5000))
        let size = adversary.pick([20.0, 300, 3000])
        switch adversary.pick([0, 0, 1, 2]) {
        case 0:
            let corners = adversary.pick([3, 8, 40])
            var ring = (0..<corners).map { corner in
                Geodesic.destination(
                    from: center, azimuth: -360 * Double(corner) / Double(corners),
                    distance: size * adversary.number(0.6...1))
            }
            ring.append(ring[0])
            return .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))]))
        case 1: return .circle(Circle(center: center, radius: size))
        default:
            let end = Geodesic.destination(from: center, azimuth: adversary.number(0...360), distance: 4 * size)
            return .corridor(Corridor(lines: [[center, end]], width: size))
        }
    }

    private static func covers(_ shape: Shape, _ point: Coordinate, _ context: GEOSContext) throws -> Bool {
        switch shape {
        case .polygons(let shape):
            var polygons = try GEOSPolygons(shape, in: context)
            return try polygons.covers(point)
        case .circle(let circle): return circle.covers(point)
        case .corridor(let corridor): return corridor.covers(point)
        }
    }

    @Test(
        "answers like a new index, and like a linear scan",
        arguments: 1...12 as ClosedRange<UInt64>)
    func series(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let context = GEOSContext()
        // Both above and below the limit for a full build.
        let ids = adversary.pick([12, 60, 300])
        var catalog = RegionCatalog(
            (0..<ids / 2).map { Region(id: RegionID("\($0)"), shape: Self.shape(&adversary)) })
        var index = RegionIndex(catalog)
        let plane = LocalPlane(origin: Self.origin)
        var coverings = Coverings()
        for _ in 0..<15 {
            let pick = { (adversary: inout Adversary) in
                RegionID("\(Int.random(in: 0..<ids, using: &adversary.random))")
            }
            var changed: [RegionID: Region] = [:]
            for _ in 0..<adversary.pick([0, 1, 1, 3, 30]) {
                let id = pick(&adversary)
                changed[id] = Region(id: id, shape: Self.shape(&adversary))
            }
            let removed = (0..<adversary.pick([0, 1, 1, 10])).map { _ in pick(&adversary) }
                .filter { changed[$0] == nil }
            catalog.update(changed.values.sorted { $0.id < $1.id }, removing: removed)
            index = index.updated(
                to: catalog, changed: (changed.keys + removed).compactMap { catalog.handle(for: $0) })
            #expect(index.catalog.revision == catalog.revision)
            var updated = RegionQuery(index)
            var anew = RegionQuery(RegionIndex(catalog))
            var (near, nearAnew): ([Proximity], [Proximity]) = ([], [])
            for _ in 0..<6 {
                let point = plane.unproject(
                    east: adversary.number(-6000...6000), north: adversary.number(-6000...6000))
                let found = try updated.covering(point)
                #expect(try found == anew.covering(point))
                try updated.covering([point], into: &coverings)
                #expect(Array(coverings[0]) == found)
                let expected = try catalog.regions.filter { try Self.covers($0.region.shape, point, context) }
                #expect(found == expected.map(\.handle))
                try updated.near(point, within: 250, into: &near)
                try anew.near(point, within: 250, into: &nearAnew)
                #expect(near == nearAnew)
                let end = plane.unproject(
                    east: adversary.number(-6000...6000), north: adversary.number(-6000...6000))
                #expect(try updated.passThroughs(from: point, to: end) == anew.passThroughs(from: point, to: end))
                let box = Envelope(
                    west: point.longitude, south: point.latitude, east: point.longitude + 0.01,
                    north: point.latitude + 0.01)
                #expect(index.regions(intersecting: [box]) == anew.index.regions(intersecting: [box]))
                if let safe = updated.safeRegion(around: point, searchRadius: 20) {
                    let corner = Coordinate(latitude: Double(safe.north), longitude: Double(safe.west))
                    #expect(try anew.covering(corner) == found)
                    try anew.near(corner, within: 20, into: &nearAnew)
                    #expect(nearAnew.allSatisfy { $0.signedDistance == -.infinity })
                }
            }
        }
    }
}
