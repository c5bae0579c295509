/// A position in EPSG:4326: degrees on the WGS 84 ellipsoid.
///
/// It can hold any pair of numbers; `isValid` tells whether they are a position. The order longitude-latitude of RFC
/// 7946 is confined to the modules that read and write it.
public struct Coordinate: Hashable, Sendable, Codable, BitwiseCopyable {
    /// Degrees north, −90 to 90.
    public var latitude: Double
    /// Degrees east, −180 to 180; shapes that are being read may exceed this range.
    public var longitude: Double

    /// A position in degrees north and east; neither is checked.
    @inlinable
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both numbers are finite and in range. (0, 0) is a position like any other.
    public var isValid: Bool {
        // NaN fails both comparisons.
        abs(latitude) <= 90 && abs(longitude) <= 180
    }

    /// The same position with a longitude from −180° to 180°.
    @inlinable
    public var wrapped: Coordinate {
        abs(longitude) <= 180
            ? self : Coordinate(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
    }

    /// The coordinate moved east by degrees of longitude; the result may leave the range −180° to 180°.
    @inlinable
    public func shifted(eastBy degrees: Double) -> Coordinate {
        Coordinate(latitude: latitude, longitude: longitude + degrees)
    }
}
