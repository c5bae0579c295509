import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import Testing

@Suite("Ways through regions") struct PassageTests {
    let plane = LocalPlane(origin: Coordinate(latitude: 52.5, longitude: 13.4))

    func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> Polygon {
        Polygon(
            exterior: LinearRing(
                [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
                    plane.unproject(east: $0.0, north: $0.1)
                }))
    }

    @Test("are found with where they enter, leave and how deep they are")
    func shapes() throws {
        let shapes: [(String, Shape)] = [
            ("box", .polygons(MultiPolygon([box(100, -30, 200, 50)]))),
            ("circle", .circle(Circle(center: plane.unproject(east: 500, north: 20), radius: 50))),
            (
                "road",
                .corridor(
                    Corridor(
                        lines: [[plane.unproject(east: 700, north: -500), plane.unproject(east: 700, north: 500)]],
                        width: 40))
            ),
            ("beside", .circle(Circle(center: plane.unproject(east: 500, north: 90), radius: 50))),
            ("at the start", .circle(Circle(center: plane.origin, radius: 50))),
            // Shallow first, then deep.
            ("twice", .polygons(MultiPolygon([box(250, -5, 300, 500), box(800, -60, 920, 60)]))),
        ]
        let catalog = RegionCatalog(shapes.map { Region(id: RegionID($0.0), shape: $0.1) })
        var query = RegionQuery(RegionIndex(catalog))
        let end = plane.unproject(east: 1000, north: 0)
        let expected: [String: (Double, Double, Double)] = [
            "box": (0.1, 0.2, 30), "circle": (0.454_17, 0.545_83, 30), "road": (0.68, 0.72, 20),
            "twice": (0.8, 0.92, 60),
        ]
        for isReversed in [false, true] {
            let passages =
                try isReversed
                ? query.passages(from: end, to: plane.origin) : query.passages(from: plane.origin, to: end)
            #expect(Set(passages.compactMap { catalog[$0.region]?.id.rawValue }) == Set(expected.keys))
            for passage in passages {
                let (entry, exit, depth) = try #require(expected[catalog[passage.region]?.id.rawValue ?? ""])
                #expect(abs(passage.entry - (isReversed ? 1 - exit : entry)) < 0.002)
                #expect(abs(passage.exit - (isReversed ? 1 - entry : exit)) < 0.002)
                #expect(abs(passage.depth - depth) < depth * 0.1)
            }
        }
    }

    @Test("lead across the antimeridian as one")
    func antimeridian() throws {
        let text = """
            {"type":"Feature","id":"r","properties":{},"geometry":{"type":"Polygon",\
            "coordinates":[[[179.99,-0.01],[-179.99,-0.01],[-179.99,0.01],[179.99,0.01],[179.99,-0.01]]]}}
            """
        let catalog = RegionCatalog(RegionFile.read(Array(text.utf8)).regions)
        var query = RegionQuery(RegionIndex(catalog))
        let passages = try query.passages(
            from: Coordinate(latitude: 0, longitude: 179.98), to: Coordinate(latitude: 0, longitude: -179.98))
        #expect(passages.count == 1)
        #expect(abs((passages.first?.entry ?? 0) - 0.25) < 1e-6 && abs((passages.first?.exit ?? 0) - 0.75) < 1e-6)
        #expect((passages.first?.depth ?? 0) > 1000)
    }

    @Test("agree with looking at many points of the way", arguments: 1...20 as ClosedRange<UInt64>)
    func sampled(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let shape = MultiPolygon([adversary.polygon()])
        let catalog = RegionCatalog([Region(id: RegionID("a"), shape: .polygons(shape))])
        var query = RegionQuery(RegionIndex(catalog))
        guard let box = Envelope(of: shape.polygons[0].exterior.coordinates), box.north - box.south > 1e-5 else {
            return
        }
        for _ in 0..<20 {
            let start = Coordinate(latitude: adversary.number(box.south...box.north), longitude: box.west - 1e-5)
            let end = Coordinate(latitude: adversary.number(box.south...box.north), longitude: box.east + 1e-5)
            let way = StraightSegment(start, end)
            let passages = try query.passages(from: start, to: end)
            var inside: [Double] = []
            for sample in 0...500 {
                let fraction = Double(sample) / 500
                if try !query.covering(way.point(at: fraction)).isEmpty { inside.append(fraction) }
            }
            #expect(inside.isEmpty || passages.count == 1)
            guard let passage = passages.first else { continue }
            #expect(passage.entry < passage.exit && passage.entry > 0 && passage.exit < 1)
            for fraction in inside.isEmpty ? [] : [passage.entry, passage.exit] {
                #expect(inside.contains { abs($0 - fraction) < 0.004 }, "\(fraction)")
            }
            let middle = way.point(at: (passage.entry + passage.exit) / 2)
            #expect(try !query.covering(middle).isEmpty)
        }
    }
}
