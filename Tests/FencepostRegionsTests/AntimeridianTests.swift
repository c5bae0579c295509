import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import Testing

@Suite("The antimeridian and the poles") struct AntimeridianTests {
    static func reading(_ geometry: String, properties: String = "{}", repair: Bool = false) -> RegionFile.Reading {
        let text = "{\"type\":\"Feature\",\"id\":\"r\",\"properties\":\(properties),\"geometry\":\(geometry)}"
        return RegionFile.read(Array(text.utf8), options: RegionOptions(repair: repair))
    }

    static func polygon(_ ring: [[Double]]) -> String { "{\"type\":\"Polygon\",\"coordinates\":[\(ring)]}" }

    private func query(_ reading: RegionFile.Reading) -> RegionQuery {
        RegionQuery(RegionIndex(RegionCatalog(reading.regions)))
    }

    static let boxes = [
        "wrapped": "{\"type\":\"Polygon\",\"coordinates\":[[[179,-10],[-178,-10],[-178,10],[179,10],[179,-10]]]}",
        "beyond 180": "{\"type\":\"Polygon\",\"coordinates\":[[[179,-10],[182,-10],[182,10],[179,10],[179,-10]]]}",
        "beyond -180":
            "{\"type\":\"Polygon\",\"coordinates\":[[[-181,-10],[-178,-10],[-178,10],[-181,10],[-181,-10]]]}",
        "a turn away":
            "{\"type\":\"Polygon\",\"coordinates\":[[[539,-10],[540,-10],[540,10],[539,10],[539,-10]],[]]}",
        "cut":
            "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[179,-10],[180,-10],[180,10],[179,10],[179,-10]]],[[[-180,-10],[-178,-10],[-178,10],[-180,10],[-180,-10]]]]}",
    ]

    @Test("read every notation of a box across 180° as the same area", arguments: boxes.keys.sorted())
    func box(form: String) throws {
        let reading = Self.reading(Self.boxes[form] ?? "")
        #expect(reading.diagnostics.map(\.description) == [])
        let region = try #require(reading.regions.first)
        guard case .polygons(let shape) = region.shape else { return }
        let longitudes = shape.polygons.flatMap { $0.exterior.coordinates.map(\.longitude) }
        #expect(longitudes.allSatisfy { abs($0) <= 180 })
        var query = query(reading)
        for (longitude, inside) in [(179.5, true), (180, true), (-180, true), (178.9, false), (0, false), (1, false)] {
            let coordinate = Coordinate(latitude: 3, longitude: longitude)
            #expect(try query.covering(coordinate).isEmpty != inside, "\(longitude)")
        }
        guard form != "a turn away" else { return }
        for (longitude, inside) in [(-179.5, true), (-178, true), (-177.9, false)] {
            let coordinate = Coordinate(latitude: 3, longitude: longitude)
            #expect(try query.covering(coordinate).isEmpty != inside, "\(longitude)")
        }
        // The antimeridian is no boundary: the nearest one is a degree away.
        var near: [Proximity] = []
        for longitude in [179.9999, 180, -180, -179.9999] {
            try query.near(Coordinate(latitude: 0, longitude: longitude), within: 1000, into: &near)
            #expect(near.map(\.signedDistance) == [-.infinity])
        }
    }

    @Test("keep a hole with its shell in any notation")
    func hole() throws {
        let shell = "[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]"
        for hole in [
            "[[-176,-1],[-174,-1],[-174,1],[-176,1],[-176,-1]]", "[[184,-1],[186,-1],[186,1],[184,1],[184,-1]]",
        ] {
            let reading = Self.reading("{\"type\":\"Polygon\",\"coordinates\":[\(shell),\(hole)]}")
            #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)")
            var query = query(reading)
            #expect(try query.covering(Coordinate(latitude: 0, longitude: -175)).isEmpty)
            #expect(try !query.covering(Coordinate(latitude: 0, longitude: -173)).isEmpty)
        }
    }

    @Test("preserve the vertices of a wrapped ring exactly")
    func vertices() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let west = Double.random(in: 100...179, using: &random)
            let east = Double.random(in: (-179)...(-100), using: &random)
            let (south, north) = (Double.random(in: -80...0, using: &random), Double.random(in: 1...80, using: &random))
            let ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
            let reading = Self.reading(Self.polygon(ring))
            var query = query(reading)
            for position in ring {
                let vertex = Coordinate(latitude: position[1], longitude: position[0])
                #expect(try !query.covering(vertex).isEmpty, "\(vertex)")
            }
        }
    }

    @Test("support the whole world and polar caps, with a ring along the pole")
    func poles() throws {
        let world = Self.reading(Self.polygon([[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]))
        #expect(world.diagnostics.isEmpty, "\(world.diagnostics)")
        var everywhere = query(world)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let coordinate = Coordinate(
                latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            #expect(try !everywhere.covering(coordinate).isEmpty)
        }
        let cap = Self.reading(
            Self.polygon([[-180, 60], [-60, 60], [60, 60], [180, 60], [180, 90], [-180, 90], [-180, 60]]))
        #expect(cap.diagnostics.isEmpty, "\(cap.diagnostics)")
        var inCap = query(cap)
        for longitude in [-180.0, -1, 90, 180] {
            #expect(try !inCap.covering(Coordinate(latitude: 90, longitude: longitude)).isEmpty)
            #expect(try inCap.covering(Coordinate(latitude: 59.9, longitude: longitude)).isEmpty)
        }
        var near: [Proximity] = []
        try inCap.near(Coordinate(latitude: 89.9, longitude: 180), within: 50_000, into: &near)
        #expect(near.map(\.signedDistance) == [-.infinity])
        try inCap.near(Coordinate(latitude: 60.1, longitude: -180), within: 50_000, into: &near)
        let parallel = Geodesic.distance(
            Coordinate(latitude: 60.1, longitude: 180), Coordinate(latitude: 60, longitude: 180))
        #expect(near.count == 1 && abs(near[0].signedDistance + parallel) < parallel * 0.005)
    }

    @Test(
        "reject a ring around a pole, naming the pole",
        arguments: [
            (60.0, "north"), (-60.0, "south"),
        ])
    func aroundPole(latitude: Double, pole: String) {
        let reading = Self.reading(
            Self.polygon([[-170, latitude], [-60, latitude], [60, latitude], [170, latitude], [-170, latitude]]))
        #expect(reading.regions.isEmpty)
        #expect(reading.diagnostics.map(\.code) == ["ring_around_pole"])
        #expect(reading.diagnostics.first?.message.contains("\(pole) pole") == true)
    }

    @Test("reject a belt around the world, and read it with positions in between")
    func belt() throws {
        let belt = Self.reading(Self.polygon([[-180, -85], [180, -85], [180, 85], [-180, 85], [-180, -85]]))
        #expect(belt.regions.isEmpty)
        #expect(belt.diagnostics.map(\.code) == ["antimeridian_ambiguous"])
        #expect(belt.diagnostics.first?.message.contains("antimeridian") == true)
        let corrected = Self.reading(
            Self.polygon([[-180, -85], [0, -85], [180, -85], [180, 85], [0, 85], [-180, 85], [-180, -85]]))
        #expect(corrected.diagnostics.isEmpty, "\(corrected.diagnostics)")
        let turned = Self.reading(
            Self.polygon([[0, -85], [180, -85], [360, -85], [360, 85], [180, 85], [0, 85], [0, -85]]))
        #expect(turned.diagnostics.isEmpty, "\(turned.diagnostics)")
        var first = query(corrected)
        var second = query(turned)
        for longitude in stride(from: -180.0, through: 180, by: 22.5) {
            for latitude in [-86.0, -85, 0, 84, 86] {
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
                #expect(try first.covering(coordinate).isEmpty == (abs(latitude) > 85))
                #expect(try second.covering(coordinate).isEmpty == (abs(latitude) > 85))
            }
        }
    }

    @Test("warn where the short way is almost as long as the other")
    func ambiguous() throws {
        let reading = Self.reading(Self.polygon([[-100, -50], [100, -50], [100, 50], [-100, 50], [-100, -50]]))
        #expect(reading.diagnostics.map(\.code) == ["ambiguous_edge", "ambiguous_edge"])
        var query = query(reading)
        #expect(try query.covering(Coordinate(latitude: 0, longitude: 0)).isEmpty)
        #expect(try !query.covering(Coordinate(latitude: 0, longitude: 150)).isEmpty)
    }

    @Test("reject a shape that covers the same area twice")
    func overlap() {
        let reading = Self.reading(
            "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[179,0],[182,0],[182,5],[179,0]]],[[[-179,0],[-177,0],[-177,5],[-179,0]]]]}"
        )
        #expect(reading.diagnostics.map(\.code) == ["overlap_after_cutting"])
        let wide = Self.reading(
            Self.polygon([
                [-300, 0], [-150, 0], [0, 0], [150, 0], [300, 0], [300, 9], [150, 9], [0, 9], [-150, 9], [-300, 9],
                [-300, 0],
            ]))
        #expect(wide.diagnostics.map(\.code) == ["too_wide"])
    }

    @Test("support corridors and circles")
    func linesAndCircles() throws {
        for line in ["[[179.9,0],[-179.9,0.1]]", "[[179.9,0],[180.1,0.1]]", "[[-180.1,0],[-179.9,0.1]]"] {
            let reading = Self.reading(
                "{\"type\":\"LineString\",\"coordinates\":\(line)}", properties: "{\"width\":200}")
            #expect(reading.diagnostics.isEmpty)
            guard case .corridor(let corridor)? = reading.regions.first?.shape else { return }
            #expect(corridor.lines.joined().allSatisfy { abs($0.longitude) <= 180 })
            var query = query(reading)
            for (latitude, longitude) in [(0.05, 180.0), (0.05, -180), (0.0251, 179.95), (0.0751, -179.95)] {
                #expect(try !query.covering(Coordinate(latitude: latitude, longitude: longitude)).isEmpty)
                #expect(try query.covering(Coordinate(latitude: latitude + 0.01, longitude: longitude)).isEmpty)
            }
        }
        let circle = Self.reading("{\"type\":\"Point\",\"coordinates\":[180,-16.85]}", properties: "{\"radius\":8000}")
        var query = query(circle)
        for longitude in [179.93, 180, -180, -179.93] {
            #expect(try !query.covering(Coordinate(latitude: -16.85, longitude: longitude)).isEmpty)
        }
        #expect(try query.covering(Coordinate(latitude: -16.85, longitude: -179.92)).isEmpty)
    }
}
