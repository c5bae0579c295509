#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif
#if NativeLibraries && os(Linux)
    internal import CGeodesic
#endif

/// Distances over the ground on the WGS 84 ellipsoid, by Karney's algorithms in PROJ's `geodesic.h`; without PROJ, by
/// `SwiftGeodesic`.
///
/// Source: C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013); accurate to about 15 nanometres.
public enum Geodesic {
    /// Equatorial radius in metres.
    public static let semiMajorAxis = 6_378_137.0
    /// Flattening, `(a − b) / a` for the equatorial radius `a` and the polar radius `b`.
    public static let flattening = 1 / 298.257223563
    /// The smallest radius of curvature of the ellipsoid in any direction, in metres: along the meridian at the
    /// equator.
    public static let smallestRadius = semiMajorAxis * (1 - flattening) * (1 - flattening)
    /// The largest radius of curvature of the ellipsoid in any direction, in metres: at the poles.
    public static let largestRadius = semiMajorAxis / (1 - flattening)

    /// The length in metres of the shortest path between two positions.
    public static func distance(_ from: Coordinate, _ to: Coordinate) -> Double {
        #if NativeLibraries && os(Linux)
            var ellipsoid = wgs84
            var meters = 0.0
            geod_inverse(&ellipsoid, from.latitude, from.longitude, to.latitude, to.longitude, &meters, nil, nil)
            return meters
        #else
            return SwiftGeodesic.inverse(from: from, to: to).distance
        #endif
    }

    /// At least the length in metres of the shortest path between two positions, and about 1 % more at most where they are close.
    ///
    /// Where it decides already, `distance` with its series need not be computed: it is the length of the line that is
    /// straight in degrees, on a sphere that is nowhere curved more than the ellipsoid.
    public static func distanceBound(_ from: Coordinate, _ to: Coordinate) -> Double {
        let crossesEquator = from.latitude.sign != to.latitude.sign
        let nearest = crossesEquator ? 0 : min(from.latitude.magnitude, to.latitude.magnitude)
        let turn = (to.longitude - from.longitude).magnitude
        let (north, east) = (to.latitude - from.latitude, min(turn, 360 - turn) * cos(nearest * .pi / 180))
        return largestRadius * .pi / 180 * (north * north + east * east).squareRoot()
    }

    /// The destination at a distance in a direction.
    ///
    /// - Parameters:
    ///   - start: where the geodesic begins.
    ///   - azimuth: degrees clockwise from true north.
    ///   - distance: metres over the ground.
    /// - Returns: a coordinate with a longitude from −180 to 180.
    public static func destination(from start: Coordinate, azimuth: Double, distance: Double) -> Coordinate {
        #if NativeLibraries && os(Linux)
            var ellipsoid = wgs84
            var (latitude, longitude) = (0.0, 0.0)
            geod_direct(&ellipsoid, start.latitude, start.longitude, azimuth, distance, &latitude, &longitude, nil)
            return Coordinate(latitude: latitude, longitude: longitude)
        #else
            return SwiftGeodesic.direct(from: start, azimuth: azimuth, distance: distance)
        #endif
    }

    /// The direction in which the shortest path starts, in degrees clockwise from true north, −180 to 180.
    public static func azimuth(from: Coordinate, to: Coordinate) -> Double {
        #if NativeLibraries && os(Linux)
            var ellipsoid = wgs84
            var degrees = 0.0
            geod_inverse(&ellipsoid, from.latitude, from.longitude, to.latitude, to.longitude, nil, &degrees, nil)
            return degrees
        #else
            return SwiftGeodesic.inverse(from: from, to: to).departure
        #endif
    }

    /// The length in metres of the shortest path, and the direction in which it arrives, in degrees from true north.
    static func arrival(from: Coordinate, at to: Coordinate) -> (distance: Double, azimuth: Double) {
        #if NativeLibraries && os(Linux)
            var ellipsoid = wgs84
            var (meters, degrees) = (0.0, 0.0)
            geod_inverse(&ellipsoid, from.latitude, from.longitude, to.latitude, to.longitude, &meters, nil, &degrees)
            return (meters, degrees)
        #else
            let path = SwiftGeodesic.inverse(from: from, to: to)
            return (path.distance, path.arrival)
        #endif
    }

    #if NativeLibraries && os(Linux)
        private static let wgs84: geod_geodesic = {
            var ellipsoid = geod_geodesic()
            geod_init(&ellipsoid, semiMajorAxis, flattening)
            return ellipsoid
        }()
    #endif
}
