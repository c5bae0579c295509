/// A safe region around a position: an envelope in which no answer about regions changes, in 16 bytes.
///
/// The concept is that of safe regions for moving objects (Hu, Xu and Lee, SIGMOD 2005): a client that caches one needs
/// no query for positions inside. `RegionQuery.safeRegion` defines the guarantee.
public struct SafeRegion: Hashable, Sendable {
    /// Degrees, each rounded towards the middle.
    public let west, south, east, north: Float

    /// The largest safe region within an envelope; `nil` if it would not contain a coordinate.
    ///
    /// - Parameters:
    ///   - envelope: within −180 to 180 and −90 to 90.
    ///   - coordinate: must be in the safe region, also after its edges were rounded.
    public init?(_ envelope: Envelope, holding coordinate: Coordinate) {
        west = Self.up(envelope.west)
        south = Self.up(envelope.south)
        east = -Self.up(-envelope.east)
        north = -Self.up(-envelope.north)
        guard contains(coordinate) else { return nil }
    }

    private static func up(_ value: Double) -> Float {
        let near = Float(value)
        return Double(near) < value ? near.nextUp : near
    }

    /// Whether a coordinate is inside, edges included; `false` for NaN.
    ///
    /// Longitudes are compared as they are: −180 is not in an envelope that ends at 180.
    @inlinable
    public func contains(_ coordinate: Coordinate) -> Bool {
        coordinate.longitude >= Double(west) && coordinate.longitude <= Double(east)
            && coordinate.latitude >= Double(south) && coordinate.latitude <= Double(north)
    }
}
