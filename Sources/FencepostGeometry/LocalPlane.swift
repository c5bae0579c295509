#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A local plane projection around one position: metres east and north.
///
/// It scales degrees by the ellipsoid's radii of curvature at the origin's latitude. Within 10 km of the origin and 70°
/// of the equator, a distance from the origin is off by less than 0.2 %. It is meant for shapes close to a location
/// whose own accuracy is some metres.
public struct LocalPlane: Sendable {
    /// The position at 0 m east and 0 m north.
    public let origin: Coordinate
    /// The length in metres of a degree of longitude and of a degree of latitude at the origin.
    public let metersPerDegreeOfLongitude, metersPerDegreeOfLatitude: Double

    /// The plane around a position; at a pole the length of a degree of longitude is nearly 0.
    public init(origin: Coordinate) {
        self.origin = origin
        let latitude = origin.latitude * .pi / 180
        let squaredEccentricity = Geodesic.flattening * (2 - Geodesic.flattening)
        let sine = sin(latitude)
        let w = 1 - squaredEccentricity * sine * sine
        let primeVertical = Geodesic.semiMajorAxis / w.squareRoot()
        let meridional = primeVertical * (1 - squaredEccentricity) / w
        // In place of the cosine, which nearly doubles the cost of a plane. At 89.9° it is off by 3 in 10¹¹; nearer to a pole a
        // degree of longitude is shorter than the errors of any position.
        let cosine = max((1 - sine) * (1 + sine), 0).squareRoot()
        metersPerDegreeOfLongitude = max(primeVertical * cosine, 1e-6) * .pi / 180
        metersPerDegreeOfLatitude = meridional * .pi / 180
    }

    /// Metres east and north of the origin, the short way across the antimeridian.
    public func project(_ coordinate: Coordinate) -> (east: Double, north: Double) {
        var degrees = coordinate.longitude - origin.longitude
        if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
        return (
            degrees * metersPerDegreeOfLongitude, (coordinate.latitude - origin.latitude) * metersPerDegreeOfLatitude
        )
    }

    /// The position at a distance in metres east and north of the origin, with a longitude from −180 to 180.
    public func unproject(east: Double, north: Double) -> Coordinate {
        var longitude = origin.longitude + east / metersPerDegreeOfLongitude
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        return Coordinate(latitude: origin.latitude + north / metersPerDegreeOfLatitude, longitude: longitude)
    }

    /// The distance in metres from the origin to a position near it.
    public func distance(to coordinate: Coordinate) -> Double {
        let (east, north) = project(coordinate)
        return (east * east + north * north).squareRoot()
    }
}
