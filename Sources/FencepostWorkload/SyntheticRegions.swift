public import FencepostGeometry
public import FencepostModel
import Foundation

/// Generates regions for tests and benchmarks; equal seeds give equal regions.
public enum SyntheticRegions {
    /// A square in degrees in which regions are placed.
    public struct Square: Sendable {
        /// The corner with the lowest latitude and longitude.
        public var southWest: Coordinate
        /// The length of a side in degrees of latitude and longitude.
        public var degrees: Double

        /// - Parameters:
        ///   - southWest: by default 48° north, 2° east, where `WalkingFleet` walks.
        ///   - degrees: the length of a side.
        public init(southWest: Coordinate = Coordinate(latitude: 48, longitude: 2), degrees: Double) {
            self.southWest = southWest
            self.degrees = degrees
        }

        /// The square of 10° from 45° north, 5° east.
        public static let country = Square(southWest: Coordinate(latitude: 45, longitude: 5), degrees: 10)

        func coordinate(using random: inout SplitMix64) -> Coordinate {
            Coordinate(
                latitude: southWest.latitude + random.unit() * degrees,
                longitude: southWest.longitude + random.unit() * degrees)
        }
    }

    /// Regular polygons with a radius of 50 to 500 m, scattered over a square.
    ///
    /// - Parameters:
    ///   - count: the number of regions.
    ///   - vertices: per polygon, at least 3.
    ///   - square: where their centres are.
    ///   - crossing: the crossing mode of all regions; `nil` for that of the settings.
    ///   - seed: the start of the random numbers.
    /// - Returns: regions `round-0`, `round-1` … in random positions.
    public static func round(
        _ count: Int, vertices: Int = 16, in square: Square, crossing: CrossingMode? = nil, seed: UInt64
    ) -> [Region] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { number in
            let center = square.coordinate(using: &random)
            let radius = 50 * exp(random.unit() * log(10))
            var region = Region(
                id: RegionID("round-\(number)"), shape: polygon(around: center, vertices: vertices) { _ in radius })
            region.crossing = crossing
            return region
        }
    }

    /// Irregular polygons in a grid, each of about the size of its cell, so a point lies in about one of them.
    ///
    /// - Parameters:
    ///   - count: the number of regions.
    ///   - vertices: per polygon, at least 3.
    ///   - seed: the start of the random numbers.
    /// - Returns: regions row by row, in cells of 0.02° by 0.03° from 48° north, 2° east.
    public static func districts(_ count: Int, vertices: Int = 200, seed: UInt64) -> [Region] {
        var random = SplitMix64(seed: seed)
        let side = Int(Double(count).squareRoot().rounded(.up))
        return (0..<count).map { number in
            let center = Coordinate(
                latitude: 48 + 0.02 * (Double(number / side) + 0.5),
                longitude: 2 + 0.03 * (Double(number % side) + 0.5))
            let shape = polygon(around: center, vertices: vertices) { _ in 1100 * (0.8 + 0.4 * random.unit()) }
            return Region(id: RegionID("district-\(number)"), shape: shape)
        }
    }

    /// Polygons that tile a square without gaps; neighbours share all vertices of their common edge.
    ///
    /// - Parameters:
    ///   - count: rounded to a square number.
    ///   - vertices: per polygon, approximately.
    ///   - square: the area that they tile; its edge is irregular.
    ///   - seed: the start of the random numbers.
    /// - Returns: regions row by row, from the south-west.
    public static func tiles(_ count: Int, vertices: Int, in square: Square = .country, seed: UInt64) -> [Region] {
        var random = SplitMix64(seed: seed)
        let side = max(1, Int(Double(count).squareRoot().rounded()))
        let step = square.degrees / Double(side)
        let corners = (0...side).map { row in
            (0...side).map { column in
                Coordinate(
                    latitude: square.southWest.latitude + (Double(row) + 0.4 * (random.unit() - 0.5)) * step,
                    longitude: square.southWest.longitude + (Double(column) + 0.4 * (random.unit() - 0.5)) * step)
            }
        }
        /// An irregular line from one corner to another, without its last point.
        func line(_ a: Coordinate, _ b: Coordinate) -> [Coordinate] {
            let edges = max(1, vertices / 4)
            let (dx, dy) = (b.longitude - a.longitude, b.latitude - a.latitude)
            return (0..<edges).map { edge in
                let t = Double(edge) / Double(edges)
                let offset = edge == 0 ? 0 : 0.12 * (random.unit() - 0.5) * sin(Double.pi * t)
                return Coordinate(
                    latitude: a.latitude + t * dy + offset * dx, longitude: a.longitude + t * dx - offset * dy)
            }
        }
        let horizontal = (0...side).map { row in
            (0..<side).map { line(corners[row][$0], corners[row][$0 + 1]) }
        }
        let vertical = (0..<side).map { row in
            (0...side).map { line(corners[row][$0], corners[row + 1][$0]) }
        }
        func reversed(_ line: [Coordinate], from end: Coordinate) -> [Coordinate] {
            [end] + line.dropFirst().reversed()
        }
        return (0..<side).flatMap { row in
            (0..<side).map { column in
                var ring = horizontal[row][column] + vertical[row][column + 1]
                ring += reversed(horizontal[row + 1][column], from: corners[row + 1][column + 1])
                ring += reversed(vertical[row][column], from: corners[row + 1][column])
                ring.append(ring[0])
                return Region(
                    id: RegionID("tile-\(row)-\(column)"),
                    shape: .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))])))
            }
        }
    }

    /// A polygon around a centre.
    ///
    /// - Parameters:
    ///   - center: the position that the radii start from.
    ///   - vertices: at least 3.
    ///   - radius: the distance in metres of the vertex at an index from the centre.
    /// - Returns: a shape of one polygon without holes.
    public static func polygon(around center: Coordinate, vertices: Int, radius: (Int) -> Double) -> Shape {
        let plane = LocalPlane(origin: center)
        var ring = (0..<vertices).map { vertex in
            let angle = 2 * Double.pi * (Double(vertex) + 0.5) / Double(vertices)
            let meters = radius(vertex)
            return plane.unproject(east: meters * cos(angle), north: meters * sin(angle))
        }
        ring.append(ring[0])
        return .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))]))
    }
}
