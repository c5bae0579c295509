import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostTesting
import Foundation
import Testing

@Suite("Polygons in GEOS") struct GEOSPolygonsTests {
    static func ring(_ positions: [(Double, Double)]) -> LinearRing {
        LinearRing(positions.map { Coordinate(latitude: $0.1, longitude: $0.0) })
    }

    static let square = Polygon(
        exterior: ring([(0, 0), (9, 0), (9, 9), (0, 9), (0, 0)]),
        interiors: [ring([(3, 3), (3, 6), (6, 6), (6, 3), (3, 3)])])

    @Test(
        "cover interior and boundary, prepared or unprepared",
        arguments: [
            (1.0, 1.0, true), (0, 5, true), (9, 9, true), (4, 4, false), (3, 4, true), (10, 1, false), (0, 10, false),
        ])
    func covers(x: Double, y: Double, expected: Bool) throws {
        let context = GEOSContext()
        let shape = MultiPolygon([Self.square])
        let point = Coordinate(latitude: y, longitude: x)
        var polygons = try GEOSPolygons(shape, in: context)
        #expect(try polygons.covers(point) == expected)
        let prepared = try PreparedPolygons(shape, in: context)
        #expect(try prepared.covers(point) == expected)
        // A second time, because GEOS builds its index in the first query.
        #expect(try prepared.covers(point) == expected)
    }

    @Test("survive a round trip")
    func roundTrip() throws {
        let shape = MultiPolygon([
            Self.square, Polygon(exterior: Self.ring([(20, 0), (21, 0), (21, 1), (20, 0)])),
        ])
        var polygons = try GEOSPolygons(shape, in: GEOSContext())
        #expect(try polygons.multiPolygon() == shape)
    }

    @Test("report why and where they are invalid")
    func invalidity() throws {
        let bowTie = Polygon(exterior: Self.ring([(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)]))
        var polygons = try GEOSPolygons(MultiPolygon([bowTie]), in: GEOSContext())
        let invalidity = try #require(try polygons.invalidity())
        #expect(invalidity.reason == "Self-intersection")
        #expect(invalidity.location == Coordinate(latitude: 1, longitude: 1))
        var repaired = try polygons.madeValid()
        #expect(try repaired.invalidity() == nil)
        #expect(try repaired.multiPolygon().polygons.count == 2)
        var sound = try GEOSPolygons(MultiPolygon([Self.square]), in: GEOSContext())
        #expect(try sound.invalidity() == nil)
    }

    @Test("are clipped by an envelope and merged again")
    func cut() throws {
        let context = GEOSContext()
        var whole = try GEOSPolygons(MultiPolygon([Self.square]), in: context)
        var west = try whole.intersection(Envelope(west: -1, south: -1, east: 4, north: 10))
        var east = try whole.intersection(Envelope(west: 4, south: -1, east: 10, north: 10))
        let parts = try west.multiPolygon().polygons + east.multiPolygon().polygons
        #expect(parts.count == 2)
        var both = try GEOSPolygons(MultiPolygon(parts), in: context)
        #expect(try both.invalidity() != nil, "they share an edge")
        var merged = try both.union()
        let result = try merged.multiPolygon()
        #expect(result.polygons.count == 1 && result.polygons[0].interiors.count == 1)
    }

    @Test("throw the error of GEOS for an invalid ring")
    func errors() {
        let open = Polygon(exterior: Self.ring([(0, 0), (1, 0), (1, 1), (0, 1)]))
        let error = #expect(throws: GEOSError.self) {
            _ = try GEOSPolygons(MultiPolygon([Self.square, open]), in: GEOSContext())
        }
        #expect(error?.function == "GEOSGeom_createLinearRing_r")
        #expect(error?.message.isEmpty == false)
        let openHole = Polygon(exterior: Self.square.exterior, interiors: [Self.square.interiors[0], open.exterior])
        #expect(throws: GEOSError.self) {
            _ = try GEOSPolygons(MultiPolygon([openHole]), in: GEOSContext())
        }
    }

    @Test("keep their context alive")
    func lifetime() throws {
        var prepared: [PreparedPolygons] = []
        for _ in 0..<3 {
            // The context goes out of scope here; the polygons retain it.
            let context = GEOSContext()
            prepared.append(try PreparedPolygons(MultiPolygon([Self.square]), in: context))
        }
        for polygons in prepared { #expect(try polygons.covers(Coordinate(latitude: 1, longitude: 1))) }
    }
}
