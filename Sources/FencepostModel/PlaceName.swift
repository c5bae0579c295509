/// How people speak of a region.
public struct PlaceName: Hashable, Sendable {
    /// The region's name, or its id if the name is missing or blank.
    public var text: String
    /// Whether the region is somebody's home: its id or name in any case, or one of its tags, is `home`. Homes with a name
    /// in another language have the tag.
    public var isHome: Bool

    /// The name of a region with this id, name and these tags.
    public init(id: RegionID, name: String?, tags: [String]) {
        text = name.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } ?? id.rawValue
        isHome = ([id.rawValue, name ?? ""] + tags).contains { $0.lowercased() == "home" }
    }
}

extension Region {
    /// How people speak of the region.
    public var placeName: PlaceName { PlaceName(id: id, name: name, tags: tags) }
}

extension RegionSummary {
    /// How people speak of the region.
    public var placeName: PlaceName { PlaceName(id: id, name: name, tags: tags) }
}
