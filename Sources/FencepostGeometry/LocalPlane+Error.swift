#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension LocalPlane {
    /// The largest relative error of a distance from the origin, in either direction between the plane and the
    /// ellipsoid.
    ///
    /// The bound is rigorous: over the latitudes that a path of that length can touch, the length of a degree of
    /// longitude changes by at most the tangent of the latitude, and that of a degree of latitude by the change of the
    /// meridional radius.
    ///
    /// - Parameter meters: the distance, in the plane or on the ellipsoid.
    /// - Returns: a fraction of the distance; infinite where the path can touch a pole.
    public func relativeError(within meters: Double) -> Double {
        // Plus 2 % for the path in the other metric, which may be longer.
        let angle = 1.02 * meters / Geodesic.smallestRadius
        let latitude = abs(origin.latitude) * .pi / 180 + angle
        guard latitude < 1.57 else { return .infinity }
        let error = exp(angle * (1.01 * tan(latitude) + 0.011)) - 1
        // Beyond 2 % the angle above would be too small.
        return error < 0.02 ? error : .infinity
    }
}
