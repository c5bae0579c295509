#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A position on the ellipsoid in metres from the centre of the earth (EPSG:4978).
///
/// The chord between two positions bounds their geodesic distance from both sides. The bounds are tight for close
/// positions: over 10 km they are a millimetre apart.
public struct GeocentricPosition: Sendable {
    /// Metres along the axes through 0° north 0° east, 0° north 90° east, and the north pole.
    public let x, y, z: Double

    /// The position of a coordinate on the ellipsoid, at height 0.
    public init(_ coordinate: Coordinate) {
        let latitude = coordinate.latitude * .pi / 180
        let longitude = coordinate.longitude * .pi / 180
        let squaredEccentricity = Geodesic.flattening * (2 - Geodesic.flattening)
        let sine = sin(latitude)
        let primeVertical = Geodesic.semiMajorAxis / (1 - squaredEccentricity * sine * sine).squareRoot()
        let fromAxis = primeVertical * cos(latitude)
        x = fromAxis * cos(longitude)
        y = fromAxis * sin(longitude)
        z = primeVertical * (1 - squaredEccentricity) * sine
    }

    /// The length in metres of the straight line through the earth.
    public func chord(to other: GeocentricPosition) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    /// The largest rounding error of a chord and of Karney's distance in metres: ten times what was observed.
    static let roundingError = 1e-7

    /// Lower and upper bound of the geodesic distance in metres.
    ///
    /// No path is shorter than the chord. The curvature of a geodesic is at most that of the smallest radius, so by
    /// Schur's comparison theorem it is not longer than the arc of that radius over the same chord.
    public func bounds(ofDistanceTo other: GeocentricPosition) -> ClosedRange<Double> {
        let chord = chord(to: other)
        let lower = max(0, chord - Self.roundingError)
        // The theorem requires less than half a turn, which holds with certainty up to 60 degrees.
        guard chord < Geodesic.smallestRadius else { return lower...(.infinity) }
        let diameter = 2 * Geodesic.smallestRadius
        return lower...(diameter * asin(chord / diameter) + Self.roundingError)
    }
}
