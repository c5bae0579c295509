/// A file with the tiles of a map.
public protocol TileArchive: Sendable {
    /// What the tiles are.
    var info: TileInfo { get }

    /// A tile by its zoom level, column and row, the rows counted from the north.
    ///
    /// - Returns: `nil` when the file has no such tile.
    /// - Throws: a `TileError` when the file cannot be read.
    func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]?
}

/// Format, zoom levels and attribution of the tiles in a file.
public struct TileInfo: Hashable, Sendable {
    /// The format of tiles.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        case png, jpeg, webp, avif
        /// Mapbox Vector Tiles: shapes and names, which the page draws.
        case vector

        /// The media type.
        public var mediaType: String {
            switch self {
            case .png, .jpeg, .webp, .avif: "image/\(rawValue)"
            case .vector: "application/vnd.mapbox-vector-tile"
            }
        }
    }

    /// The format of all tiles.
    public var format: Format
    /// The zoom levels with tiles.
    public var zooms: ClosedRange<Int>
    /// The attribution that the file asks for, as text or HTML; empty without one.
    public var attribution: String
}

/// Why the tiles of a file cannot be used.
public struct TileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence for people.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Opens files with tiles.
public enum TileFile {
    /// The largest zoom level.
    static let largestZoom = 26
    /// The most bytes of a tile.
    static let largestTile = 8 << 20

    /// Opens a file by the extension of its name, `.mbtiles` or `.pmtiles`.
    ///
    /// - Parameter path: the path of the file. It is opened for reading only.
    /// - Returns: the tiles.
    /// - Throws: a `TileError` that says why the file cannot be used.
    public static func open(_ path: String) throws -> any TileArchive {
        if path.lowercased().hasSuffix(".pmtiles") { return try PMTilesArchive(path) }
        return try MBTilesArchive(path)
    }

    /// Whether a tile with these numbers can exist.
    static func exists(zoom: Int, column: Int, row: Int) -> Bool {
        (0...largestZoom).contains(zoom) && (0..<1 << zoom).contains(column) && (0..<1 << zoom).contains(row)
    }
}
