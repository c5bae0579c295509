import FencepostGeometry

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension CellBuilder {
    /// Whether a circle or corridor covers all of a box or nothing of it; `nil` where neither is certain.
    func covers(_ piece: Piece, all box: Envelope) -> Bool? {
        switch piece.kind {
        case .circle(let circle) where flatCircles[circle].isFlat:
            return flatCircles[circle].covers(all: box.widened, turn: piece.turn)
        case .circle(let circle):
            let middle = box.middle
            let reach = box.reach
            let bounds = circles[circle].bounds(ofDistanceTo: GeocentricPosition(middle))
            let radius = circles[circle].circle.radius
            return bounds.upperBound + reach <= radius ? true : bounds.lowerBound - reach > radius ? false : nil
        case .corridor(let outline, let width):
            // Every coordinate of the box is at most `reach` metres from its middle.
            let reach = box.reach
            let plane = LocalPlane(origin: box.middle)
            let limit = width + reach
            let error = plane.relativeError(within: limit)
            guard error.isFinite else { return nil }
            let distance = outlines.distance(
                to: outline, in: plane, longitude: box.middle.longitude - piece.turn, limit: limit * (1 + error),
                seams: true)
            if distance * (1 + error) + reach + 1e-3 <= width { return true }
            // Infinite where it is beyond the limit.
            return distance == .infinity ? false : nil
        case .polygon, .seamBoundary: return nil
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

    /// Metres within which all of it lies around its middle; more than enough.
    ///
    /// First along the meridian, then along the parallel, neither of which can be longer than it is for the largest
    /// radius; the shortest way is not longer than that.
    var reach: Double {
        let widest = south <= 0 && north >= 0 ? 0 : min(abs(south), abs(north))
        let radians = Double.pi / 180
        let parallel = Geodesic.largestRadius * cos(widest * radians)
        let (x, y) = ((east - west) / 2 * radians * parallel, (north - south) / 2 * radians * Geodesic.largestRadius)
        return (x + y) * (1 + 1e-9) + 1e-3
    }
}

extension Outlines {
    func edgeCount(of outline: Int) -> Int {
        blocks[outlines[outline].blocks].reduce(0) { $0 + Int($1.edges) }
    }

    /// Calls `body` with the first vertex of each edge, in their order.
    func forEachEdge(of outline: Int, _ body: (Int) -> Void) {
        for block in blocks[outlines[outline].blocks] {
            for edge in Int(block.first)..<Int(block.first) + Int(block.edges) { body(edge) }
        }
    }

    /// Whether an edge could touch a box that is widened by a margin; `false` is certain.
    func touches(_ edge: Int, _ box: Envelope, margin: Double) -> Bool {
        let (a, b) = (vertices[edge], vertices[edge + 1])
        guard max(a.longitude, b.longitude) >= box.west - margin, min(a.longitude, b.longitude) <= box.east + margin,
            max(a.latitude, b.latitude) >= box.south - margin, min(a.latitude, b.latitude) <= box.north + margin
        else { return false }
        // Is the box on one side of the line? That is so where its middle is farther from it than its corners reach.
        let (dx, dy) = (b.longitude - a.longitude, b.latitude - a.latitude)
        let (x, y) = (box.middle.longitude - a.longitude, box.middle.latitude - a.latitude)
        let (left, right) = (dx * y, dy * x)
        let corner =
            abs(dx) * ((box.north - box.south) / 2 + margin) + abs(dy) * ((box.east - box.west) / 2 + margin)
        // Twenty times what rounding of the differences and products can come to.
        let rounding = 4e-15 * (abs(left) + abs(right) + corner) + 1e-13 * margin
        return abs(left - right) <= corner + rounding
    }
}
