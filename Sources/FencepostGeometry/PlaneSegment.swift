/// Distances to segments in a plane, in the plane's own unit.
public enum PlaneSegment {
    /// The square of the distance from the origin to the segment from (`ax`, `ay`) to (`bx`, `by`).
    ///
    /// A segment of length 0 is a point.
    @inlinable
    public static func squaredDistanceFromOrigin(_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> Double {
        let (dx, dy) = (bx - ax, by - ay)
        let length = dx * dx + dy * dy
        let fraction = length > 0 ? min(max(-(ax * dx + ay * dy) / length, 0), 1) : 0
        let (x, y) = (ax + fraction * dx, ay + fraction * dy)
        return x * x + y * y
    }
}
