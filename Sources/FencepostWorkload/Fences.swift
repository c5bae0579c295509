import FencepostGeometry
public import FencepostModel
import Foundation

/// Made-up regions to measure with: the same for the same seed.
public enum Fences {
    /// Round polygons of 50 to 500 m, scattered over a square.
    ///
    /// - Parameters:
    ///   - degrees: how far the square reaches from 48 north, 2 east.
    ///   - vertices: of each polygon, at least 3.
    public static func round(
        _ count: Int, vertices: Int = 16, degrees: Double, crossing: CrossingMode? = nil, seed: UInt64
    ) -> RegionCatalog {
        var random = SplitMix(seed: seed)
        return RegionCatalog(
            (0..<count).map { number in
                let center = Coordinate(latitude: 48 + random.unit() * degrees, longitude: 2 + random.unit() * degrees)
                let radius = 50 * exp(random.unit() * log(10))
                return region("round-\(number)", around: center, vertices: vertices, crossing: crossing) { _ in radius }
            })
    }

    /// Ragged polygons side by side, as those of districts: each point lies in about one of them.
    ///
    /// - Parameter vertices: of each polygon, at least 3.
    public static func districts(_ count: Int, vertices: Int = 200, seed: UInt64) -> RegionCatalog {
        var random = SplitMix(seed: seed)
        let side = Int(Double(count).squareRoot().rounded(.up))
        return RegionCatalog(
            (0..<count).map { number in
                let center = Coordinate(
                    latitude: 48 + 0.02 * (Double(number / side) + 0.5),
                    longitude: 2 + 0.03 * (Double(number % side) + 0.5))
                return region("district-\(number)", around: center, vertices: vertices, crossing: nil) { _ in
                    1100 * (0.8 + 0.4 * random.unit())
                }
            })
    }

    private static func region(
        _ id: String, around center: Coordinate, vertices: Int, crossing: CrossingMode?, reach: (Int) -> Double
    ) -> Region {
        let plane = LocalPlane(origin: center)
        var ring = (0..<vertices).map { corner in
            let angle = 2 * Double.pi * (Double(corner) + 0.5) / Double(vertices)
            let meters = reach(corner)
            return plane.unproject(east: meters * cos(angle), north: meters * sin(angle))
        }
        ring.append(ring[0])
        var region = Region(
            id: RegionID(id), shape: .polygons(MultiPolygon([Polygon(exterior: LinearRing(ring))])))
        region.crossing = crossing
        return region
    }
}
