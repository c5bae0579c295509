#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A flat picture of the ground near one position: metres east and north.
///
/// Scales a degree by the ellipsoid's radii of curvature at the origin's latitude. Within 10 km of the origin and
/// 70° of the equator a distance from the origin is off by less than 0.2 %; it is meant for what lies near a fix,
/// where the fix itself is off by metres.
public struct LocalPlane: Sendable {
    public let origin: Coordinate
    /// Metres a degree of longitude and of latitude is long at the origin.
    public let metersPerDegreeOfLongitude, metersPerDegreeOfLatitude: Double

    public init(origin: Coordinate) {
        self.origin = origin
        let latitude = origin.latitude * .pi / 180
        let squaredEccentricity = Geodesic.flattening * (2 - Geodesic.flattening)
        let w = 1 - squaredEccentricity * sin(latitude) * sin(latitude)
        let primeVertical = Geodesic.semiMajorAxis / w.squareRoot()
        let meridional = primeVertical * (1 - squaredEccentricity) / w
        metersPerDegreeOfLongitude = max(primeVertical * cos(latitude), 1e-6) * .pi / 180
        metersPerDegreeOfLatitude = meridional * .pi / 180
    }

    /// Metres east and north of the origin, the short way round the antimeridian.
    public func project(_ coordinate: Coordinate) -> (east: Double, north: Double) {
        var degrees = coordinate.longitude - origin.longitude
        if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
        return (
            degrees * metersPerDegreeOfLongitude, (coordinate.latitude - origin.latitude) * metersPerDegreeOfLatitude
        )
    }

    /// The position so many metres east and north of the origin, with a longitude from −180 to 180.
    public func unproject(east: Double, north: Double) -> Coordinate {
        var longitude = origin.longitude + east / metersPerDegreeOfLongitude
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        return Coordinate(latitude: origin.latitude + north / metersPerDegreeOfLatitude, longitude: longitude)
    }

    /// Metres between two positions near the origin.
    public func distance(to coordinate: Coordinate) -> Double {
        let (east, north) = project(coordinate)
        return (east * east + north * north).squareRoot()
    }
}
