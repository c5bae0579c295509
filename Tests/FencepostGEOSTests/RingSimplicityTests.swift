import FencepostGEOS
import FencepostGeometry
import FencepostTesting
import Foundation
import Testing

@Suite("A ring that is certainly simple")
struct RingSimplicityTests {
    private static func isValid(_ shape: MultiPolygon) throws -> Bool {
        var polygons = try GEOSPolygons(shape, in: GEOSContext())
        return try polygons.invalidity() == nil
    }

    private static func shape(_ points: [(Double, Double)]) -> MultiPolygon {
        let ring = points.map { Coordinate(latitude: $0.1, longitude: $0.0) }
        return MultiPolygon([Polygon(exterior: LinearRing(ring + ring.prefix(1)))])
    }

    /// Points of a coarse grid touch, repeat and lie on one line often.
    @Test("is valid for GEOS, whatever its corners", arguments: [3, 4, 5, 6, 8, 12])
    func corners(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        var found = 0
        for trial in 0..<3000 {
            let steps: UInt64 = trial % 2 == 0 ? 5 : 1000
            let points = (0..<count).map { _ in
                (Double(random.next() % steps) / 10 + 0.1, Double(random.next() % steps) / 10 - 0.3)
            }
            let shape = Self.shape(points)
            guard shape.isCertainlyValid else { continue }
            found += 1
            #expect(try Self.isValid(shape), "\(points)")
        }
        // Twelve corners at random hardly ever make a simple ring.
        #expect(found > 0 || count > 8)
    }

    @Test("is every star around its middle, convex or not, in both directions")
    func stars() throws {
        var random = SeededGenerator(seed: 1)
        for corners in [3, 4, 16, 20, 200] {
            let points = (0..<corners).map { corner in
                let angle = 2 * Double.pi * Double(corner) / Double(corners)
                // Triangles and squares keep their middle in any case.
                let radius = 0.01 * (corners > 4 ? 0.7 + Double.random(in: 0..<0.3, using: &random) : 1)
                return (127 + radius * cos(angle), 37.5 + radius * sin(angle))
            }
            #expect(Self.shape(points).isCertainlyValid)
            #expect(Self.shape(points.reversed()).isCertainlyValid)
            #expect(try Self.isValid(Self.shape(points)))
        }
    }

    @Test("is also one that does not surround its middle")
    func otherShapes() throws {
        let shape = Self.shape([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)])
        #expect(shape.isCertainlyValid)
        #expect(try Self.isValid(shape))
    }

    @Test("does not cross, touch or repeat itself, and has no spike")
    func invalidRings() throws {
        for points: [(Double, Double)] in [
            [(0, 0), (2, 2), (2, 0), (0, 2)],
            [(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1)],
            [(0, 0), (2, 0), (2, 2), (3, 2), (2, 2), (0, 2)],
            [(0, 0), (1, 0), (2, 0)],
            [(0, 0), (0, 0), (0, 0)],
            // A star of five points that runs around its middle twice.
            (0..<5).map { (cos(Double($0) * 4 * .pi / 5), sin(Double($0) * 4 * .pi / 5)) },
        ] {
            #expect(!Self.shape(points).isCertainlyValid, "\(points)")
            #expect(try !Self.isValid(Self.shape(points)), "\(points)")
        }
    }

    @Test("says nothing of shapes with holes or of several polygons")
    func otherKinds() {
        let square = Self.shape([(0, 0), (3, 0), (3, 3), (0, 3)]).polygons[0]
        let hole = Self.shape([(1, 1), (2, 1), (2, 2)]).polygons[0].exterior
        #expect(!MultiPolygon([Polygon(exterior: square.exterior, interiors: [hole])]).isCertainlyValid)
        #expect(!MultiPolygon([square, square]).isCertainlyValid)
        #expect(!MultiPolygon([]).isCertainlyValid)
    }
}
