import FencepostGeometry

extension Outlines {
    /// Whether an edge is no boundary on the ground: it lies along 180° of longitude, where a region is cut, or in a
    /// pole.
    ///
    /// Where a region does end at 180° the index adds that stretch as an outline of its own.
    static func isSeam(_ a: Coordinate, _ b: Coordinate) -> Bool {
        (a.longitude == b.longitude && abs(a.longitude) == 180) || (a.latitude == b.latitude && abs(a.latitude) == 90)
    }

    /// Metres in the plane from its origin to the nearest edge; `.infinity` when that is beyond the limit.
    ///
    /// - Parameter longitude: the origin's, or 360 degrees from it to see what lies across the antimeridian.
    func distance(
        to outline: Int, in plane: LocalPlane, longitude: Double, limit: Double, seams: Bool
    ) -> Double {
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        let y = plane.origin.latitude
        var best = limit * limit
        var found = false
        forEachBlock(of: outline) { box in
            let dx = max(box.west - longitude, longitude - box.east, 0) * sx
            let dy = max(box.south - y, y - box.north, 0) * sy
            return dx * dx + dy * dy <= best
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                let squared = PlaneSegment.squaredDistanceFromOrigin(
                    (a.longitude - longitude) * sx, (a.latitude - y) * sy, (b.longitude - longitude) * sx,
                    (b.latitude - y) * sy)
                guard squared <= best, seams || !Self.isSeam(a, b) else { continue }
                best = squared
                found = true
            }
        }
        return found ? best.squareRoot() : .infinity
    }

    /// Metres in the plane from its origin to the nearest edge, also where that lies across the antimeridian.
    func distanceEitherWay(to outline: Int, in plane: LocalPlane, limit: Double) -> Double {
        let longitude = plane.origin.longitude
        let across = longitude > 0 ? longitude - 360 : longitude + 360
        return min(
            distance(to: outline, in: plane, longitude: longitude, limit: limit, seams: true),
            distance(to: outline, in: plane, longitude: across, limit: limit, seams: true))
    }

    /// Metres over the ground from a coordinate to the nearest edge; `.infinity` when that is beyond the limit.
    ///
    /// Slow, and right anywhere: for where the plane does not hold.
    func exactDistance(to outline: Int, from point: Coordinate, limit: Double, seams: Bool) -> Double {
        var best = limit.nextUp
        forEachBlock(of: outline) { box in
            // Along the meridian alone it is so far.
            let degrees = max(box.south - point.latitude, point.latitude - box.north, 0)
            return degrees * .pi / 180 * Geodesic.smallestRadius <= best
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                guard seams || !Self.isSeam(a, b) else { continue }
                best = min(best, StraightSegment(a, b).distance(from: point, limit: best))
            }
        }
        return best <= limit ? best : .infinity
    }

    /// Whether the geodesic distance from a coordinate to a line is at most so many metres, within a micrometre.
    func isWithin(_ meters: Double, of outline: Int, from point: Coordinate, in plane: LocalPlane) -> Bool {
        let error = plane.relativeError(within: meters)
        guard error.isFinite else {
            return exactDistance(to: outline, from: point, limit: meters, seams: true) <= meters
        }
        let reach = meters * (1 + error)
        let inPlane = distanceEitherWay(to: outline, in: plane, limit: reach)
        if inPlane == .infinity { return false }
        if inPlane * (1 + error) <= meters { return true }
        return exactDistance(to: outline, from: point, limit: meters, seams: true) <= meters
    }
}
