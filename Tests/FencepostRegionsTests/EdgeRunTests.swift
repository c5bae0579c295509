import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@testable import FencepostRegions

@Suite("Runs of edges") struct EdgeRunTests {
    @Test("have exactly the distance of their nearest edge", arguments: 1...16 as ClosedRange<Int>)
    func nearest(edges: Int) {
        var random = SeededGenerator(seed: UInt64(edges))
        func position() -> Coordinate {
            Coordinate(
                latitude: Double.random(in: 37...37.01, using: &random),
                longitude: Double.random(in: 126.99...127.01, using: &random))
        }
        for round in 0..<200 {
            var vertices = (0...edges).map { _ in position() }
            // An edge of length 0.
            if round % 5 == 0 { vertices[edges] = vertices[edges - 1] }
            let origin = round % 7 == 0 ? vertices[edges / 2] : position()
            let plane = LocalPlane(origin: origin)
            let points = vertices.map {
                (
                    ($0.longitude - origin.longitude) * plane.metersPerDegreeOfLongitude,
                    ($0.latitude - origin.latitude) * plane.metersPerDegreeOfLatitude
                )
            }
            let squared = zip(points, points.dropFirst()).map { a, b in
                PlaneSegment.squaredDistanceFromOrigin(a.0, a.1, b.0, b.1)
            }
            let least = squared.min() ?? .infinity
            let run = EdgeRun(first: 2, edges: UInt32(edges))
            let stored = PinnedArray([origin, origin] + vertices)
            for limit in [75.0, 400, 1e6] {
                let expected = least <= limit * limit ? least.squareRoot() : .infinity
                let found = run.distance(stored.start, in: plane, longitude: origin.longitude, limit: limit)
                #expect(found == expected)
            }
        }
    }

    @Test("are the regions of one short ring away from the antimeridian")
    func small() {
        func ring(_ corners: Int, longitude: Double = 10) -> [Coordinate] {
            let ring = (0..<corners).map {
                // On a parabola, so that the ring is simple.
                Coordinate(latitude: Double($0 * $0) * 1e-4, longitude: longitude + Double($0) * 1e-3)
            }
            return ring + ring.prefix(1)
        }
        func polygon(_ ring: [Coordinate]) -> Polygon { Polygon(exterior: LinearRing(ring)) }
        let atAntimeridian = [
            Coordinate(latitude: 0, longitude: 179), Coordinate(latitude: 0, longitude: 180),
            Coordinate(latitude: 1, longitude: 180), Coordinate(latitude: 0, longitude: 179),
        ]
        let shapes: [Shape] = [
            .polygons(MultiPolygon([polygon(ring(16))])),
            .polygons(MultiPolygon([polygon(ring(17))])),
            .polygons(MultiPolygon([polygon(ring(4)), polygon(ring(4, longitude: 20))])),
            .circle(Circle(center: Coordinate(latitude: 1, longitude: 1), radius: 100)),
            .polygons(MultiPolygon([polygon(atAntimeridian)])),
            .polygons(MultiPolygon([polygon(ring(3))])),
        ]
        let catalog = RegionCatalog(shapes.enumerated().map { Region(id: RegionID("r\($0)"), shape: $1) })
        let layer = RegionLayer(catalog)
        #expect((0..<shapes.count).map { layer.smallRegions[$0].run.edges } == [16, 0, 0, 0, 0, 3])
    }
}
