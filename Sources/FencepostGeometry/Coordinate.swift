/// A position in EPSG:4326: degrees on the WGS 84 ellipsoid.
///
/// Any pair of numbers can be held; `isValid` says whether it is a position. The order longitude-latitude of
/// RFC 7946 stays inside the modules that read and write it.
public struct Coordinate: Hashable, Sendable, Codable {
    /// Degrees north, −90 to 90.
    public var latitude: Double
    /// Degrees east, −180 to 180; shapes on their way in may hold longitudes beyond.
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both numbers are finite and in range. (0, 0) is a position like any other.
    public var isValid: Bool {
        // NaN fails both comparisons.
        abs(latitude) <= 90 && abs(longitude) <= 180
    }
}
