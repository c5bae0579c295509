import FencepostGeometry

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension CellBuilder {
    /// Whether a circle or corridor covers all of a box (`true`) or nothing of it (`false`); `nil` where neither is
    /// certain.
    func covers(_ primitive: Primitive, all box: Envelope) -> Bool? {
        switch primitive.kind {
        case .circle(let circle) where flatCircles[circle].isFlat:
            return flatCircles[circle].covers(all: box.widened, longitudeOffset: primitive.longitudeOffset)
        case .circle(let circle):
            let middle = box.middle
            let boxRadius = box.coveringRadius
            let bounds = circles[circle].bounds(ofDistanceTo: GeocentricPosition(middle))
            let radius = circles[circle].circle.radius
            return bounds.upperBound + boxRadius <= radius ? true : bounds.lowerBound - boxRadius > radius ? false : nil
        case .corridor(let outline, let halfWidth):
            // Every coordinate of the box is at most `boxRadius` metres from its middle.
            let boxRadius = box.coveringRadius
            let plane = LocalPlane(origin: box.middle)
            let limit = halfWidth + boxRadius
            let error = plane.relativeError(within: limit)
            guard error.isFinite else { return nil }
            let distance = outlines.distance(
                to: outline, in: plane, longitude: box.middle.longitude - primitive.longitudeOffset,
                limit: limit * (1 + error),
                includingAntimeridian: true)
            if distance * (1 + error) + boxRadius + 1e-3 <= halfWidth { return true }
            // The distance is infinite beyond the limit.
            return distance == .infinity ? false : nil
        case .polygon, .antimeridianBoundary: return nil
        }
    }
}

extension Envelope {
    var middle: Coordinate { Coordinate(latitude: (south + north) / 2, longitude: (west + east) / 2) }

    var widened: Envelope {
        Envelope(
            west: west - CellGrid.margin, south: south - CellGrid.margin, east: east + CellGrid.margin,
            north: north + CellGrid.margin)
    }

    /// An upper bound, in metres, of the distance from the middle of the box to any coordinate in it.
    ///
    /// The path that bounds it goes along the meridian first and along the parallel second. Neither leg is longer than
    /// on a sphere of the largest radius of curvature, and the geodesic is not longer than both legs.
    var coveringRadius: Double {
        let widest = south <= 0 && north >= 0 ? 0 : min(abs(south), abs(north))
        let radians = Double.pi / 180
        let parallel = Geodesic.largestRadius * cos(widest * radians)
        let (x, y) = ((east - west) / 2 * radians * parallel, (north - south) / 2 * radians * Geodesic.largestRadius)
        return (x + y) * (1 + 1e-9) + 1e-3
    }
}

extension Outlines {
    func edgeCount(of outline: Int) -> Int {
        outlines[outline].blocks.range.reduce(0) { $0 + Int(blocks[$1].edges) }
    }

    /// Calls `body` with the first vertex of each edge, in order.
    func forEachEdge(of outline: Int, _ body: (Int) -> Void) {
        for block in outlines[outline].blocks.range {
            let block = blocks[block]
            for edge in Int(block.first)..<Int(block.first) + Int(block.edges) { body(edge) }
        }
    }

    /// Whether an edge could touch a box that is widened by a margin in degrees; `false` is certain.
    func touches(_ edge: Int, _ box: Envelope, margin: Double) -> Bool {
        let (a, b) = (vertices[edge], vertices[edge + 1])
        guard max(a.longitude, b.longitude) >= box.west - margin, min(a.longitude, b.longitude) <= box.east + margin,
            max(a.latitude, b.latitude) >= box.south - margin, min(a.latitude, b.latitude) <= box.north + margin
        else { return false }
        // A separating axis test: the box lies on one side of the edge's line when its middle is farther from the line
        // than its corners extend.
        let (dx, dy) = (b.longitude - a.longitude, b.latitude - a.latitude)
        let (x, y) = (box.middle.longitude - a.longitude, box.middle.latitude - a.latitude)
        let (left, right) = (dx * y, dy * x)
        let corner =
            abs(dx) * ((box.north - box.south) / 2 + margin) + abs(dy) * ((box.east - box.west) / 2 + margin)
        // Twenty times the largest rounding error of the differences and products.
        let rounding = 4e-15 * (abs(left) + abs(right) + corner) + 1e-13 * margin
        return abs(left - right) <= corner + rounding
    }
}
