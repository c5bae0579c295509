/// Distances to segments in a plane, in the plane's own unit.
public enum PlaneSegment {
    /// The square of the distance from the origin to the segment from (`ax`, `ay`) to (`bx`, `by`).
    ///
    /// A segment of length 0 is a point.
    @inlinable
    public static func squaredDistanceFromOrigin(_ ax: Double, _ ay: Double, _ bx: Double, _ by: Double) -> Double {
        let (dx, dy) = (bx - ax, by - ay)
        let length = dx * dx + dy * dy
        let along = -(ax * dx + ay * dy)
        // Beyond either end no division is needed; the results are the same.
        if along <= 0 { return ax * ax + ay * ay }
        let fraction = along < length ? along / length : 1
        let (x, y) = (ax + fraction * dx, ay + fraction * dy)
        return x * x + y * y
    }
}
