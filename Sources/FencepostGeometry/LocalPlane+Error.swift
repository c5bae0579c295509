#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension LocalPlane {
    /// By how much, as a fraction, a distance from the origin in the plane and on the ellipsoid can differ; both ways.
    ///
    /// Rigorous: over the latitudes that a path of that length reaches, a degree of longitude changes its length by at
    /// most the tangent of the latitude, and a degree of latitude by the change of the meridional radius. Not finite
    /// where the path can reach a pole.
    ///
    /// - Parameter meters: the distance, in the plane or on the ellipsoid.
    public func relativeError(within meters: Double) -> Double {
        // 2 % for the path in the other metric, which may be longer.
        let reach = 1.02 * meters / Geodesic.smallestRadius
        let latitude = abs(origin.latitude) * .pi / 180 + reach
        guard latitude < 1.57 else { return .infinity }
        let error = exp(reach * (1.01 * tan(latitude) + 0.011)) - 1
        // Beyond 2 % the reach above would be too short.
        return error < 0.02 ? error : .infinity
    }
}
