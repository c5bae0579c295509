import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import FencepostWorkload
import Testing

@Suite("Segments through regions") struct PassThroughTests {
    let plane = LocalPlane(origin: Coordinate(latitude: 52.5, longitude: 13.4))

    func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> Polygon {
        Polygon(
            exterior: LinearRing(
                [(west, south), (east, south), (east, north), (west, north), (west, south)].map {
                    plane.unproject(east: $0.0, north: $0.1)
                }))
    }

    @Test("are found with entry, exit and depth")
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
            ("next to it", .circle(Circle(center: plane.unproject(east: 500, north: 90), radius: 50))),
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
            let passThroughs =
                try isReversed
                ? query.passThroughs(from: end, to: plane.origin) : query.passThroughs(from: plane.origin, to: end)
            #expect(Set(passThroughs.compactMap { catalog[$0.region]?.id.rawValue }) == Set(expected.keys))
            for passThrough in passThroughs {
                let (entry, exit, depth) = try #require(expected[catalog[passThrough.region]?.id.rawValue ?? ""])
                #expect(abs(passThrough.entry - (isReversed ? 1 - exit : entry)) < 0.002)
                #expect(abs(passThrough.exit - (isReversed ? 1 - entry : exit)) < 0.002)
                #expect(abs(passThrough.depth - depth) < depth * 0.1)
            }
        }
    }

    @Test("that are deep enough do not depend on the least depth")
    func leastDepth() throws {
        let city = City(share: 0.003)
        let catalog = RegionCatalog(city.regions(300, seed: 4))
        var query = RegionQuery(RegionIndex(catalog))
        var fleet = CityFleet(city, devices: 200, seed: 5)
        var (all, deep) = (0, 0)
        for _ in 0..<2000 {
            let (start, end) = (fleet.fix().coordinate, fleet.fix().coordinate)
            let every = try query.passThroughs(from: start, to: end)
            let quick = try query.passThroughs(from: start, to: end, minimumDepth: 12)
            all += every.count
            deep += quick.count
            #expect(quick.filter { $0.depth >= 12 } == every.filter { $0.depth >= 12 })
        }
        #expect(deep > 100)
        #expect(all > deep, "the least depth leaves none out")
    }

    @Test("are one across the antimeridian")
    func antimeridian() throws {
        let text = """
            {"type":"Feature","id":"r","properties":{},"geometry":{"type":"Polygon",\
            "coordinates":[[[179.99,-0.01],[-179.99,-0.01],[-179.99,0.01],[179.99,0.01],[179.99,-0.01]]]}}
            """
        let catalog = RegionCatalog(RegionFile.read(Array(text.utf8)).regions)
        var query = RegionQuery(RegionIndex(catalog))
        let passThroughs = try query.passThroughs(
            from: Coordinate(latitude: 0, longitude: 179.98), to: Coordinate(latitude: 0, longitude: -179.98))
        #expect(passThroughs.count == 1)
        #expect(
            abs((passThroughs.first?.entry ?? 0) - 0.25) < 1e-6 && abs((passThroughs.first?.exit ?? 0) - 0.75) < 1e-6)
        #expect((passThroughs.first?.depth ?? 0) > 1000)
    }

    @Test("agree with many sample points", arguments: 1...20 as ClosedRange<UInt64>)
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
            let segment = StraightSegment(start, end)
            let passThroughs = try query.passThroughs(from: start, to: end)
            var inside: [Double] = []
            for sample in 0...500 {
                let fraction = Double(sample) / 500
                if try !query.covering(segment.point(at: fraction)).isEmpty { inside.append(fraction) }
            }
            #expect(inside.isEmpty || passThroughs.count == 1)
            guard let passThrough = passThroughs.first else { continue }
            #expect(passThrough.entry < passThrough.exit && passThrough.entry > 0 && passThrough.exit < 1)
            for fraction in inside.isEmpty ? [] : [passThrough.entry, passThrough.exit] {
                #expect(inside.contains { abs($0 - fraction) < 0.004 }, "\(fraction)")
            }
            let middle = segment.point(at: (passThrough.entry + passThrough.exit) / 2)
            #expect(try !query.covering(middle).isEmpty)
        }
    }
}
