#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Geodesics on the WGS 84 ellipsoid in Swift alone, for builds without PROJ.
///
/// The shortest path is found as in C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013): a path on the
/// auxiliary sphere, and a search for its azimuth. In place of his series the integrals of distance and longitude,
/// equations 7 and 8, are computed by Gauss's quadrature, and a bracket in place of a special start for antipodes.
/// It agrees with PROJ within 20 nm, which SwiftGeodesicTests show.
package enum SwiftGeodesic {
    static let f = Geodesic.flattening
    static let oneMinusF = 1 - f
    /// The polar radius in metres.
    static let b = Geodesic.semiMajorAxis * oneMinusF
    /// The square of the second eccentricity.
    static let secondEccentricitySquared = f * (2 - f) / (oneMinusF * oneMinusF)
    /// Stands for the cosine at a pole, so that a direction exists there.
    static let tiny = 1e-150

    /// The shortest path between two positions.
    package struct Path {
        /// Metres.
        package var distance: Double
        /// Where the path starts and arrives, in degrees clockwise from true north, −180 to 180.
        package var departure, arrival: Double
    }

    /// The shortest path between two positions.
    package static func inverse(from: Coordinate, to: Coordinate) -> Path {
        var longitude = difference(from.longitude, to.longitude)
        var eastward = longitude.sign == .minus ? -1.0 : 1.0
        longitude = longitude.magnitude
        var (latitude1, latitude2) = (settled(from.latitude), settled(to.latitude))
        // Canonical: the first latitude is south, and no nearer to the equator than the second.
        let isSwapped = latitude1.magnitude < latitude2.magnitude
        if isSwapped {
            eastward = -eastward
            swap(&latitude1, &latitude2)
        }
        let northward = latitude1 < 0 ? 1.0 : -1.0
        latitude1 *= northward
        latitude2 *= northward

        let problem = InverseProblem(
            start: .reduced(latitude1), end: .reduced(latitude2), longitude: Direction(degrees: longitude),
            radians: longitude * .pi / 180)
        var (distance, departure, arrival) = problem.solve()
        if isSwapped { swap(&departure, &arrival) }
        let turn = isSwapped ? -1.0 : 1.0
        for direction in [\Direction.sine, \Direction.cosine] {
            let sign = turn * (direction == \Direction.sine ? eastward : northward)
            departure[keyPath: direction] *= sign
            arrival[keyPath: direction] *= sign
        }
        return Path(distance: distance, departure: departure.degrees, arrival: arrival.degrees)
    }

    /// The destination at a distance in metres in a direction in degrees.
    package static func direct(from start: Coordinate, azimuth: Double, distance: Double) -> Coordinate {
        let direction = Direction(degrees: remainder(azimuth, 360))
        var latitude = Direction.reduced(settled(start.latitude))
        latitude.cosine = max(tiny, latitude.cosine)
        let line = Line(latitude: latitude, azimuth: direction)
        let sigma1 = Direction(
            line.first.sine, latitude.sine != 0 || direction.cosine != 0 ? line.first.cosine : 1
        ).normalized
        let arc = line.arc(from: sigma1, distance: distance / b)
        let (sine, cosine) = (sin(arc.rest), cos(arc.rest)) as (Double, Double)
        let turn = arc.halfTurns.truncatingRemainder(dividingBy: 2) == 0 ? 1.0 : -1.0
        let sigma2 = Direction(
            turn * (sigma1.sine * cosine + sigma1.cosine * sine), turn * (sigma1.cosine * cosine - sigma1.sine * sine))
        let end = Direction(line.cosine0 * sigma2.sine, hypot(line.sine0, line.cosine0 * sigma2.cosine))
        // A path across a pole follows one meridian; its longitude on the sphere jumps there.
        let omega = Direction(line.sine0 * sigma2.sine, sigma2.cosine)
            .relative(to: Direction(line.sine0 * sigma1.sine, sigma1.cosine)).radians
        let integral =
            line.integrals(from: sigma1.radians, over: arc.rest).longitude
            + arc.halfTurns * line.integrals(from: 0, over: .pi).longitude
        let lambda = omega - f * line.sine0 * integral
        let longitude = remainder(remainder(start.longitude, 360) + lambda * 180 / .pi, 360)
        return Coordinate(
            latitude: Direction(end.sine, oneMinusF * max(tiny, end.cosine)).degrees, longitude: longitude)
    }

    /// A latitude whose last digit is at most as fine near the equator as at 1/16°, so that no product of two underflows.
    private static func settled(_ latitude: Double) -> Double {
        let limit = 1.0 / 16
        guard latitude.magnitude < limit else { return latitude }
        let magnitude = limit - (limit - latitude.magnitude)
        return latitude < 0 ? -magnitude : magnitude
    }

    /// The difference of two longitudes, from −180 to 180.
    private static func difference(_ from: Double, _ to: Double) -> Double {
        let (a, b) = (-remainder(from, 360), remainder(to, 360))
        let sum = a + b
        // What the sum rounds away, to come back after whole turns are taken off.
        let added = sum - a
        let lost = (a - (sum - added)) + (b - added)
        let rounded = remainder(sum, 360)
        let result = rounded + lost
        return result.magnitude > 180 ? rounded : result
    }
}
