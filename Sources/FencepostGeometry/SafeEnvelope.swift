/// An envelope around a position in which nothing about the regions changes, in 16 bytes.
///
/// What the literature on moving objects calls a safe region (Hu, Xu and Lee, SIGMOD 2005): whoever remembers it need
/// not ask about a position inside. `RegionQuery.safeEnvelope` says what exactly it guarantees.
public struct SafeEnvelope: Hashable, Sendable {
    /// Degrees, each rounded towards the middle.
    public let west, south, east, north: Float

    /// The largest that lies in an envelope; `nil` when it would not hold a coordinate.
    ///
    /// - Parameter envelope: within −180 to 180 and −90 to 90.
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

    /// Whether a coordinate is inside, edges included; `false` for one that is not a number.
    ///
    /// Compares longitudes as they are: −180 is not in an envelope that ends at 180.
    @inlinable
    public func contains(_ coordinate: Coordinate) -> Bool {
        coordinate.longitude >= Double(west) && coordinate.longitude <= Double(east)
            && coordinate.latitude >= Double(south) && coordinate.latitude <= Double(north)
    }
}
