import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// Generates difficult polygons and points.
struct Adversary {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int.random(in: choices.indices, using: &random)]
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    /// A star-shaped polygon, optionally on a coarse grid, as a sliver, or with a hole.
    mutating func polygon() -> Polygon {
        let center = Coordinate(latitude: number(-80...80), longitude: number(-175...175))
        let isOnGrid = Bool.random(using: &random)
        let flattening = pick([1.0, 1.0, 1e-6, 1e-12])
        let size = pick([1e-4, 0.01, 3])
        let corners = pick([3, 4, 7, 20, 300])
        func ring(_ radii: ClosedRange<Double>, reversed: Bool) -> LinearRing {
            var coordinates: [Coordinate] = []
            for corner in 0..<corners {
                let angle = 2 * Double.pi * Double(reversed ? corners - corner : corner) / Double(corners)
                let r = size * number(radii)
                var coordinate = Coordinate(
                    latitude: center.latitude + r * sin(angle) * flattening,
                    longitude: center.longitude + r * cos(angle))
                if isOnGrid && flattening == 1 {
                    coordinate.latitude = (coordinate.latitude * 1024).rounded() / 1024
                    coordinate.longitude = (coordinate.longitude * 1024).rounded() / 1024
                }
                coordinates.append(coordinate)
            }
            return LinearRing(coordinates + [coordinates[0]])
        }
        let exterior = ring(0.7...1, reversed: false)
        return Polygon(exterior: exterior, interiors: corners > 4 ? [ring(0.2...0.5, reversed: true)] : [])
    }

    /// Points on vertices and edges, one bit off, in the envelope and on its sides.
    mutating func point(near shape: MultiPolygon) -> Coordinate {
        guard let polygon = shape.polygons.randomElement(using: &random),
            let ring = polygon.rings.randomElement(using: &random),
            let box = Envelope(of: polygon.exterior.coordinates)
        else { return Coordinate(latitude: 0, longitude: 0) }
        let index = Int.random(in: 0..<ring.coordinates.count - 1, using: &random)
        let (a, b) = (ring.coordinates[index], ring.coordinates[index + 1])
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return a
        case 1:
            return Coordinate(latitude: (a.latitude + b.latitude) / 2, longitude: (a.longitude + b.longitude) / 2)
        case 2:
            let t = number(0...1)
            let on = Coordinate(
                latitude: a.latitude + t * (b.latitude - a.latitude),
                longitude: a.longitude + t * (b.longitude - a.longitude))
            return Bool.random(using: &random)
                ? on : Coordinate(latitude: on.latitude.nextUp, longitude: on.longitude.nextDown)
        case 3: return Coordinate(latitude: a.latitude, longitude: number(box.west...box.east))
        case 4: return Coordinate(latitude: number(box.south...box.north), longitude: a.longitude)
        default: return Coordinate(latitude: number(box.south...box.north), longitude: number(box.west...box.east))
        }
    }
}

@Suite("The region index") struct RegionIndexTests {
    @Test(
        "agrees with GEOS and with exact arithmetic, bit by bit",
        arguments: SeedShare.of(1...40 as ClosedRange<UInt64>))
    func covers(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let context = GEOSContext()
        var regions: [Region] = []
        for number in 0..<12 {
            let shape = MultiPolygon([adversary.polygon()])
            var geometry = try GEOSPolygons(shape, in: context)
            // Invalid polygons never radii an index.
            guard try geometry.invalidity() == nil else { continue }
            regions.append(Region(id: RegionID("\(number)"), shape: .polygons(shape)))
        }
        let catalog = RegionCatalog(regions)
        var query = RegionQuery(RegionIndex(catalog))
        for (handle, region) in catalog.regions {
            guard case .polygons(let shape) = region.shape else { continue }
            let prepared = try PreparedPolygons(shape, in: context)
            var plain = try GEOSPolygons(shape, in: context)
            for _ in 0..<60 {
                let point = adversary.point(near: shape)
                let found = try query.covering(point).contains(handle)
                #expect(try found == prepared.covers(point), "\(point)")
                #expect(try found == plain.covers(point), "\(point)")
                #expect(found == ExactRayCast.covers(shape, point), "\(point)")
            }
        }
    }

    @Test("agrees with a linear scan over many regions", arguments: 1...5 as ClosedRange<UInt64>)
    func many(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        var regions: [Region] = []
        for number in 0..<300 {
            let center = Coordinate(latitude: adversary.number(-90...90), longitude: adversary.number(-180...180))
            let radius = pow(10, adversary.number(1...6))
            let shape: Shape =
                number % 3 == 0
                ? .corridor(
                    Corridor(
                        lines: [
                            [center, Coordinate(latitude: center.latitude / 2, longitude: center.longitude / 1.1)]
                        ],
                        width: radius))
                : .circle(Circle(center: center, radius: radius))
            regions.append(Region(id: RegionID("\(number)"), shape: shape))
        }
        let catalog = RegionCatalog(regions)
        var query = RegionQuery(RegionIndex(catalog))
        for _ in 0..<40 {
            let anywhere = adversary.number(-180...180)
            let special = adversary.pick([-180, 180, anywhere])
            let point = Coordinate(latitude: adversary.number(-90...90), longitude: special)
            let expected = catalog.regions.filter { _, region in
                switch region.shape {
                case .circle(let circle): circle.covers(point)
                case .corridor(let corridor): corridor.covers(point)
                case .polygons: false
                }
            }
            #expect(try query.covering(point) == expected.map(\.handle))
        }
    }

    @Test("measures the distance to the boundary, negative inside", arguments: 1...20 as ClosedRange<UInt64>)
    func distance(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let polygon = adversary.polygon()
        let shape = MultiPolygon([polygon])
        let catalog = RegionCatalog([Region(id: RegionID("a"), shape: .polygons(shape))])
        var query = RegionQuery(RegionIndex(catalog))
        var near: [Proximity] = []
        for _ in 0..<20 {
            let point = adversary.point(near: shape)
            var nearest = Double.infinity
            for ring in polygon.rings {
                for (a, b) in zip(ring.coordinates, ring.coordinates.dropFirst()) {
                    nearest = min(nearest, StraightSegment(a, b).distance(from: point, limit: nearest))
                }
            }
            let covers = try !query.covering(point).isEmpty
            for meters in [10.0, 1000, 50_000, 1e6] {
                try query.near(point, within: meters, into: &near)
                guard nearest < meters * 0.99 else {
                    if nearest > meters * 1.01 {
                        #expect(near.map(\.signedDistance) == (covers ? [-.infinity] : []))
                    }
                    continue
                }
                let found = try #require(near.first)
                #expect(found.covers == covers)
                #expect(abs(abs(found.signedDistance) - nearest) <= 0.005 * nearest + 1e-6, "\(point) \(meters)")
                #expect(found.signedDistance == 0 || (found.signedDistance < 0) == covers)
            }
        }
    }

    @Test("measures the width of regions")
    func widths() throws {
        func square(_ meters: Double, at latitude: Double) -> Shape {
            let plane = LocalPlane(origin: Coordinate(latitude: latitude, longitude: 24.9))
            let corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1), (-1, -1)]
            let ring = corners.map { plane.unproject(east: $0.0 * meters / 2, north: $0.1 * meters / 2) }
            return .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))]))
        }
        let line = [Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 1, longitude: 1)]
        let regions = [
            ("circle", Shape.circle(Circle(center: line[0], radius: 75)), 150.0),
            ("corridor", .corridor(Corridor(lines: [line], width: 40)), 40), ("square", square(300, at: 60), 300),
            ("large", square(20_000, at: 5), 20_000),
        ]
        let catalog = RegionCatalog(regions.map { Region(id: RegionID($0.0), shape: $0.1) })
        var query = RegionQuery(RegionIndex(catalog))
        for (name, _, width) in regions {
            let found = try query.width(of: #require(catalog.handle(for: RegionID(name))))
            #expect(found <= width * 1.01 && found >= width * 0.88, "\(name): \(found)")
        }
    }

    @Test("finds circles, corridors and polygons near a location, each region once")
    func nearEach() throws {
        let center = Coordinate(latitude: 60.17, longitude: 24.94)
        let plane = LocalPlane(origin: center)
        let east = plane.unproject(east: 500, north: 0)
        let regions = [
            Region(id: RegionID("around"), shape: .circle(Circle(center: center, radius: 100))),
            Region(id: RegionID("neighbour"), shape: .circle(Circle(center: east, radius: 100))),
            Region(
                id: RegionID("road"),
                shape: .corridor(
                    Corridor(
                        lines: [[plane.unproject(east: -900, north: 60), plane.unproject(east: 900, north: 60)]],
                        width: 40))),
            Region(
                id: RegionID("two"),
                shape: .polygons(
                    MultiPolygon(
                        [-200.0, 200].map { side in
                            Polygon(
                                exterior: LinearRing(
                                    [(-50.0, -50.0), (50, -50), (50, 50), (-50, 50), (-50, -50)].map {
                                        plane.unproject(east: side + $0.0, north: $0.1)
                                    }))
                        }))),
        ]
        let catalog = RegionCatalog(regions)
        var query = RegionQuery(RegionIndex(catalog))
        var near: [Proximity] = []
        try query.near(center, within: 200, into: &near)
        #expect(near.map(\.region.rawValue) == [0, 2, 3])
        #expect(abs(near[0].signedDistance + 100) < 0.01 && abs(near[1].signedDistance - 40) < 0.01)
        #expect(abs(near[2].signedDistance - 150) < 0.1)
        try query.near(center, within: 450, into: &near)
        #expect(near.map(\.region.rawValue) == [0, 1, 2, 3])
        #expect(abs(near[1].signedDistance - 400) < 0.01)
        try query.near(center, within: 50, into: &near)
        #expect(near.map(\.signedDistance.isFinite) == [false, true])
        #expect(near[0].covers && near[0].signedDistance == -.infinity)
    }
}
