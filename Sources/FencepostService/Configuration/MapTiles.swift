/// Where the page gets the tiles of streets below its own layers.
public enum MapTiles: Hashable, Sendable {
    /// No tiles: the page makes no request to others.
    case none
    /// The tiles of OpenStreetMap's own server.
    case openStreetMap
    /// Another server.
    case address(TileAddress)
    /// A file, `.mbtiles` or `.pmtiles`, that Fencepost serves itself.
    case file(String)

    /// The address of OpenStreetMap's tiles, and the attribution that its license requires.
    public static let openStreetMapPattern = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
    /// The address of the rules for the use of OpenStreetMap's server.
    public static let openStreetMapPolicy = "https://operations.osmfoundation.org/policies/tiles/"
    /// The attribution that the license of OpenStreetMap's data requires.
    public static let openStreetMapAttribution = "© OpenStreetMap contributors"

    /// Parses the value of `map.tiles`; `nil` for a text that is none of them.
    ///
    /// - Parameter text: `none`, `openstreetmap`, a pattern with `{z}`, `{x}` and `{y}`, or the path of a file.
    public init?(_ text: String) {
        let lower = text.lowercased()
        if lower == "none" {
            self = .none
        } else if lower == "openstreetmap" {
            self = .openStreetMap
        } else if lower.hasPrefix("http:") || lower.hasPrefix("https:") {
            guard let address = TileAddress(text) else { return nil }
            self = .address(address)
        } else if lower.hasSuffix(".mbtiles") || lower.hasSuffix(".pmtiles") {
            self = .file(text)
        } else {
            return nil
        }
    }

    /// The value of `map.tiles`.
    public var text: String {
        switch self {
        case .none: "none"
        case .openStreetMap: "openstreetmap"
        case .address(let address): address.pattern
        case .file(let path): path
        }
    }
}
