import FencepostGeometry
import FencepostModel
import FencepostWorkload
import Foundation

/// Regions for benchmarks, drawn with a seed.
enum MadeUpRegions {
    /// Polygons of 50 to 500 m around places scattered over a square.
    ///
    /// - Parameter degrees: how far the square reaches from 45 north, 5 east.
    static func round(_ count: Int, vertices: Int, degrees: Double = 10, seed: UInt64) -> [Region] {
        var random = SplitMix(seed: seed &+ 1000)
        return (0..<count).map { number in
            let center = Coordinate(latitude: 45 + random.unit() * degrees, longitude: 5 + random.unit() * degrees)
            let radius = 50 * exp(random.unit() * log(10))
            return Region(
                id: RegionID("round-\(number)"), shape: around(center, radius: radius, vertices: vertices))
        }
    }

    static func around(_ center: Coordinate, radius: Double, vertices: Int) -> Shape {
        let plane = LocalPlane(origin: center)
        var ring = (0..<vertices).map { corner in
            let angle = 2 * Double.pi * (Double(corner) + 0.5) / Double(vertices)
            return plane.unproject(east: radius * cos(angle), north: radius * sin(angle))
        }
        ring.append(ring[0])
        return .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))]))
    }

    /// Polygons that tile 10 by 10 degrees without a gap, as districts do: neighbours share every vertex between them.
    ///
    /// - Parameter vertices: of each, about.
    static func tiles(_ count: Int, vertices: Int, seed: UInt64) -> [Region] {
        var random = SplitMix(seed: seed &+ 2000)
        let side = max(1, Int(Double(count).squareRoot().rounded()))
        let step = 10 / Double(side)
        let corners = (0...side).map { row in
            (0...side).map { column in
                Coordinate(
                    latitude: 45 + (Double(row) + 0.4 * (random.unit() - 0.5)) * step,
                    longitude: 5 + (Double(column) + 0.4 * (random.unit() - 0.5)) * step)
            }
        }
        /// From one corner to another without the last, straying to both sides on the way.
        func line(_ a: Coordinate, _ b: Coordinate) -> [Coordinate] {
            let pieces = max(1, vertices / 4)
            let (dx, dy) = (b.longitude - a.longitude, b.latitude - a.latitude)
            return (0..<pieces).map { piece in
                let t = Double(piece) / Double(pieces)
                let stray = piece == 0 ? 0 : 0.12 * (random.unit() - 0.5) * sin(Double.pi * t)
                return Coordinate(
                    latitude: a.latitude + t * dy + stray * dx, longitude: a.longitude + t * dx - stray * dy)
            }
        }
        let across = (0...side).map { row in
            (0..<side).map { line(corners[row][$0], corners[row][$0 + 1]) }
        }
        let up = (0..<side).map { row in
            (0...side).map { line(corners[row][$0], corners[row + 1][$0]) }
        }
        func back(_ line: [Coordinate], from end: Coordinate) -> [Coordinate] { [end] + line.dropFirst().reversed() }
        return (0..<side).flatMap { row in
            (0..<side).map { column in
                var ring = across[row][column] + up[row][column + 1]
                ring += back(across[row + 1][column], from: corners[row + 1][column + 1])
                ring += back(up[row][column], from: corners[row + 1][column])
                ring.append(ring[0])
                return Region(
                    id: RegionID("tile-\(row)-\(column)"),
                    shape: .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))])))
            }
        }
    }
}
