import FencepostGeometry

/// A few consecutive edges that are a whole outline, without an edge along 180° of longitude or in a pole.
///
/// Most regions of a city are such a run. Its distance needs no boxes: one lookup leads to its vertices.
struct EdgeRun: Sendable {
    /// The index of the first vertex; edge `n` joins vertex `first + n` to the next one.
    var first: UInt32
    /// The number of edges; 0 if the outline is not such a run.
    var edges: UInt32

    static let none = EdgeRun(first: 0, edges: 0)

    /// Metres in the plane from its origin to the nearest edge; `.infinity` beyond the limit.
    ///
    /// `vertices` are those of the outlines, and `longitude` is that of the origin, or 360° from it for edges across the
    /// antimeridian. Two edges at a time and without branches, whose outcome would be unpredictable; the arithmetic is
    /// that of `PlaneSegment`.
    @inline(__always)
    func distance(
        _ vertices: UnsafePointer<Coordinate>, in plane: LocalPlane, longitude: Double, limit: Double
    ) -> Double {
        let (sx, sy) = (plane.metersPerDegreeOfLongitude, plane.metersPerDegreeOfLatitude)
        let latitude = plane.origin.latitude
        let start = vertices + Int(first)
        let count = Int(edges)
        let zero = SIMD2<Double>(repeating: 0)
        let one = SIMD2<Double>(repeating: 1)
        var best = SIMD2<Double>(repeating: .infinity)
        var (lastX, lastY) = ((start[0].longitude - longitude) * sx, (start[0].latitude - latitude) * sy)
        var edge = 0
        while edge &+ 2 <= count {
            let (b, c) = (start[edge &+ 1], start[edge &+ 2])
            let endX = (SIMD2(b.longitude, c.longitude) - SIMD2(repeating: longitude)) * SIMD2(repeating: sx)
            let endY = (SIMD2(b.latitude, c.latitude) - SIMD2(repeating: latitude)) * SIMD2(repeating: sy)
            let (startX, startY) = (SIMD2(lastX, endX[0]), SIMD2(lastY, endY[0]))
            (lastX, lastY) = (endX[1], endY[1])
            let (dx, dy) = (endX - startX, endY - startY)
            let length = dx * dx + dy * dy
            let along = zero - (startX * dx + startY * dy)
            // From 0 to 1, and 1 for an edge of length 0. In this form the compiler needs no branches; from two calls of
            // `replacing` it makes one for each edge.
            let quotient = along / length
            let limited = one.replacing(with: quotient, where: quotient .< one)
            let isPositive = unsafeBitCast(limited .> zero, to: SIMD2<Int64>.self)
            let fraction = unsafeBitCast(
                unsafeBitCast(limited, to: SIMD2<Int64>.self) & isPositive, to: SIMD2<Double>.self)
            let (x, y) = (startX + fraction * dx, startY + fraction * dy)
            let squared = x * x + y * y
            best.replace(with: squared, where: squared .< best)
            edge &+= 2
        }
        var least = min(best[0], best[1])
        if edge < count {
            let end = start[edge &+ 1]
            let (x, y) = ((end.longitude - longitude) * sx, (end.latitude - latitude) * sy)
            least = min(least, PlaneSegment.squaredDistanceFromOrigin(lastX, lastY, x, y))
        }
        return least <= limit * limit ? least.squareRoot() : .infinity
    }
}
