/// The tiles that an administrator has chosen for the map, where the configuration names none.
public struct MapChoice: Hashable, Sendable {
    /// The tiles. A file is named by the end of its path, behind that of the database.
    public var tiles: MapTiles
    /// The attribution of another server's tiles; empty for those that have their own.
    public var attribution: String

    /// A choice.
    public init(tiles: MapTiles, attribution: String = "") {
        (self.tiles, self.attribution) = (tiles, attribution)
    }
}

/// Stores what administrators choose for the map.
public protocol MapStore: Sendable {
    /// The choice; `nil` before the first one.
    func mapChoice() async throws -> MapChoice?
    /// Stores a choice in place of the former one.
    func save(_ choice: MapChoice) async throws
}
