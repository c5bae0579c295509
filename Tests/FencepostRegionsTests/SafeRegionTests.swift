import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// Regions of every kind around a position, with the exact distances of their boundaries.
private struct Neighbourhood {
    private(set) var regions: [Region] = []
    private var edges: [StraightSegment] = []
    private var rounds: [Shape] = []

    var catalog: RegionCatalog { RegionCatalog(regions) }

    mutating func add(_ shape: Shape, includingAntimeridian: Bool = false) {
        regions.append(Region(id: RegionID("\(regions.count)"), shape: shape))
        guard case .polygons(let polygons) = shape else {
            rounds.append(shape)
            return
        }
        for ring in polygons.polygons.flatMap(\.rings) {
            for (a, b) in zip(ring.coordinates, ring.coordinates.dropFirst()) {
                if includingAntimeridian, a.longitude == b.longitude, abs(a.longitude) == 180 { continue }
                edges.append(StraightSegment(a, b))
            }
        }
    }

    /// Metres to the nearest boundary of any region, by a linear scan.
    func distance(from coordinate: Coordinate) -> Double {
        var nearest = Double.infinity
        for edge in edges { nearest = min(nearest, edge.distance(from: coordinate, limit: nearest)) }
        for shape in rounds {
            switch shape {
            case .circle(let circle):
                nearest = min(nearest, abs(Geodesic.distance(circle.center, coordinate) - circle.radius))
            case .corridor(let corridor):
                nearest = min(nearest, abs(corridor.distanceToLine(from: coordinate) - corridor.width / 2))
            case .polygons: break
            }
        }
        return nearest
    }
}

@Suite("A safe region") struct SafeEnvelopeTests {
    /// A box with slightly irregular sides, split at 180°.
    private static func box(_ center: Coordinate, _ meters: Double, _ bend: Double) -> (MultiPolygon, isSplit: Bool) {
        let plane = LocalPlane(origin: center)
        let (x, y) = (meters / plane.metersPerDegreeOfLongitude, meters / plane.metersPerDegreeOfLatitude)
        func ring(_ west: Double, _ east: Double, bend: Double) -> Polygon {
            let (south, north) = (center.latitude - y, center.latitude + y)
            let corners = [
                (west, south), ((west + east) / 2, south + bend * y), (east, south), (east, north), (west, north),
                (west, south),
            ]
            return Polygon(
                exterior: LinearRing(corners.map { Coordinate(latitude: $0.1, longitude: $0.0) }))
        }
        let (west, east) = (center.longitude - x, center.longitude + x)
        if east > 180 { return (MultiPolygon([ring(west, 180, bend: 0), ring(-180, east - 360, bend: 0)]), true) }
        if west < -180 { return (MultiPolygon([ring(west + 360, 180, bend: 0), ring(-180, east, bend: 0)]), true) }
        return (MultiPolygon([ring(west, east, bend: bend)]), false)
    }

    private static func neighbourhood(_ adversary: inout Adversary, around center: Coordinate) -> Neighbourhood {
        var made = Neighbourhood()
        let plane = LocalPlane(origin: center)
        let spread = adversary.pick([300.0, 3000, 20_000])
        for number in 0..<adversary.pick([1, 5, 25]) {
            let corner = plane.unproject(
                east: adversary.number(-spread...spread), north: adversary.number(-spread...spread))
            let size = spread * pow(10, adversary.number(-2...0.5))
            switch number % 5 {
            case 0: made.add(.circle(Circle(center: corner, radius: adversary.pick([0.0, 1, 50]) * size)))
            case 1:
                let far = plane.unproject(east: adversary.number(-spread...spread), north: spread)
                var line = [corner, far]
                // A line is split at 180°, too.
                if abs(corner.longitude - far.longitude) > 180 { line[1].longitude = corner.longitude }
                made.add(.corridor(Corridor(lines: [line], width: size)))
            default:
                let (shape, isSplit) = box(corner, size, adversary.number(-1...0.9))
                made.add(.polygons(shape), includingAntimeridian: isSplit)
            }
        }
        return made
    }

    @Test("keeps its guarantee", arguments: 1...40 as ClosedRange<UInt64>)
    func promises(seed: UInt64) throws {
        var adversary = Adversary(seed: seed)
        let center = Coordinate(
            latitude: adversary.pick([0.0, 37.5, -60, 71, 84]),
            longitude: adversary.pick([127, -0.001, 179.9999, -179.98, 180]))
        let made = Self.neighbourhood(&adversary, around: center)
        var query = RegionQuery(RegionIndex(made.catalog))
        let plane = LocalPlane(origin: center)
        var near: [Proximity] = []
        for _ in 0..<20 {
            let spread = adversary.pick([200.0, 4000])
            let position = plane.unproject(
                east: adversary.number(-spread...spread), north: adversary.number(-spread...spread))
            let searchRadius = adversary.pick([0.0, 0, 15, 150, 1500])
            let room = made.distance(from: position)
            guard let safe = query.safeRegion(around: position, searchRadius: searchRadius) else {
                // Only near a boundary.
                #expect(room < searchRadius * 1.04 + 6, "\(position) \(searchRadius)")
                continue
            }
            #expect(safe.contains(position))
            let covering = try query.covering(position)
            let (west, east) = (Double(safe.west), Double(safe.east))
            let (south, north) = (Double(safe.south), Double(safe.north))
            var corners = [west, east].flatMap { x in
                [south, north].map { Coordinate(latitude: $0, longitude: x) }
            }
            for _ in 0..<6 {
                corners.append(
                    Coordinate(latitude: adversary.number(south...north), longitude: adversary.number(west...east)))
            }
            for corner in corners {
                #expect(corner.isValid && safe.contains(corner))
                #expect(try query.covering(corner) == covering, "\(corner) of \(position)")
                #expect(made.distance(from: corner) > searchRadius, "\(corner) of \(position)")
                try query.near(corner, within: searchRadius, into: &near)
                #expect(near.map(\.region) == covering && near.allSatisfy { $0.signedDistance == -.infinity })
            }
        }
    }

    @Test("has exact bounds")
    func ends() throws {
        let made = Neighbourhood()
        var query = RegionQuery(RegionIndex(made.catalog))
        let found = query.safeRegion(around: Coordinate(latitude: 0, longitude: 179.999))
        let safe = try #require(found)
        #expect(safe.east <= 180 && safe.contains(Coordinate(latitude: 0, longitude: 180)))
        #expect(!safe.contains(Coordinate(latitude: 0, longitude: -180)))
        #expect(!safe.contains(Coordinate(latitude: 0, longitude: Double(safe.west).nextDown)))
        #expect(!safe.contains(Coordinate(latitude: .nan, longitude: 179.999)))
        #expect(!safe.contains(Coordinate(latitude: Double(safe.north).nextUp, longitude: 179.999)))
        let atPole = query.safeRegion(around: Coordinate(latitude: 89.9999, longitude: 0))
        #expect(atPole == nil)
        let tooFar = query.safeRegion(around: Coordinate(latitude: 0, longitude: 0), searchRadius: 1e7)
        #expect(tooFar == nil)
    }
}
