import FencepostGeometry

extension Outlines {
    /// Whether an edge is no boundary on the ground: it lies along 180° of longitude, where regions are split, or in a
    /// pole.
    ///
    /// Where a region does end at 180°, the layer adds that edge as an outline of its own.
    static func isOnAntimeridian(_ a: Coordinate, _ b: Coordinate) -> Bool {
        (a.longitude == b.longitude && abs(a.longitude) == 180) || (a.latitude == b.latitude && abs(a.latitude) == 90)
    }

    /// Metres in the plane from its origin to the nearest edge; `.infinity` beyond the limit.
    ///
    /// `longitude` is that of the origin, or 360° from it for edges across the antimeridian.
    func distance(
        to outline: Int, in plane: LocalPlane, longitude: Double, limit: Double, includingAntimeridian: Bool
    ) -> Double {
        let run = runs[unchecked: outline]
        if run.edges > 0 {
            return run.distance(vertices.start, in: plane, longitude: longitude, limit: limit)
        }
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        let y = plane.origin.latitude
        var best = limit * limit
        var found = false
        forEachBlock(of: outline) { box in
            let dx = max(box.west - longitude, longitude - box.east, 0) * sx
            let dy = max(box.south - y, y - box.north, 0) * sy
            return dx * dx + dy * dy <= best
        } _: { block in
            let first = vertices.start + Int(blocks[block].first)
            // The end of an edge is the start of the next one.
            var (ax, ay) = ((first[0].longitude - longitude) * sx, (first[0].latitude - y) * sy)
            for edge in 0..<Int(blocks[block].edges) {
                let next = first[edge &+ 1]
                let (bx, by) = ((next.longitude - longitude) * sx, (next.latitude - y) * sy)
                let squared = PlaneSegment.squaredDistanceFromOrigin(ax, ay, bx, by)
                (ax, ay) = (bx, by)
                guard squared <= best, includingAntimeridian || !Self.isOnAntimeridian(first[edge], next) else {
                    continue
                }
                best = squared
                found = true
            }
        }
        return found ? best.squareRoot() : .infinity
    }

    /// Metres in the plane from its origin to the nearest edge, on this side or across the antimeridian.
    func distanceEitherWay(to outline: Int, in plane: LocalPlane, limit: Double) -> Double {
        let longitude = plane.origin.longitude
        let across = longitude > 0 ? longitude - 360 : longitude + 360
        return min(
            distance(to: outline, in: plane, longitude: longitude, limit: limit, includingAntimeridian: true),
            distance(to: outline, in: plane, longitude: across, limit: limit, includingAntimeridian: true))
    }

    /// Metres over the ground from a coordinate to the nearest edge; `.infinity` beyond the limit.
    ///
    /// Slow and correct everywhere; used where the plane is not accurate enough.
    func exactDistance(to outline: Int, from point: Coordinate, limit: Double, includingAntimeridian: Bool) -> Double {
        var best = limit.nextUp
        forEachBlock(of: outline) { box in
            // The distance along the meridian is a lower bound.
            let degrees = max(box.south - point.latitude, point.latitude - box.north, 0)
            return degrees * .pi / 180 * Geodesic.smallestRadius <= best
        } _: { block in
            let first = Int(blocks[block].first)
            for edge in first..<first + Int(blocks[block].edges) {
                let (a, b) = (vertices[edge], vertices[edge + 1])
                guard includingAntimeridian || !Self.isOnAntimeridian(a, b) else { continue }
                best = min(best, StraightSegment(a, b).distance(from: point, limit: best))
            }
        }
        return best <= limit ? best : .infinity
    }

    /// Whether the geodesic distance from a coordinate to a line is at most this many metres, within a micrometre.
    func isWithin(_ meters: Double, of outline: Int, from point: Coordinate, in plane: LocalPlane) -> Bool {
        let error = plane.relativeError(within: meters)
        guard error.isFinite else {
            return exactDistance(to: outline, from: point, limit: meters, includingAntimeridian: true) <= meters
        }
        let planeLimit = meters * (1 + error)
        let inPlane = distanceEitherWay(to: outline, in: plane, limit: planeLimit)
        if inPlane == .infinity { return false }
        if inPlane * (1 + error) <= meters { return true }
        return exactDistance(to: outline, from: point, limit: meters, includingAntimeridian: true) <= meters
    }
}
