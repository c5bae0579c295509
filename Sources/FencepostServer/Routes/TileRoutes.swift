import FencepostHTTP
import FencepostService
import FencepostTiles
import HTTPTypes
import Logging

/// The route of map tiles from a file. The request names numbers, never a path.
extension API {
    var tileRoutes: [Route] {
        [
            Route(
                method: .get, path: "/tiles/{z}/{x}/{y}", name: "getTile",
                summary: "A map tile of the file in map.tiles", tag: "System", access: .open, traffic: .exempt,
                parameters: [.number("z", "zoom level"), .number("x", "column"), .number("y", "row, from the north")],
                rejectsOtherParameters: false,
                successes: TileInfo.Format.allCases.map {
                    Route.Success(status: .ok, type: $0.mediaType, schema: Schema.string, text: "The tile.")
                } + [.noContent("The file has no such tile.")],
                failures: [.notFound],
                partition: .configuration,
                handle: { call in
                    let numbers = ["z", "x", "y"].map { Int(call.parameter($0)) }
                    guard let tiles = map.tiles, let zoom = numbers[0], let column = numbers[1], let row = numbers[2]
                    else {
                        throw Problem.notFound("tile")
                    }
                    do {
                        // An error would be one line in the browser's log for each tile outside the map of the file.
                        guard let bytes = try await tiles.tile(zoom: zoom, column: column, row: row) else {
                            return .noContent
                        }
                        var response = RouteResponse(type: tiles.info.format.mediaType, bytes: bytes).tagged()
                        // Tiles show nobody's position, and the file rarely changes.
                        response.headers[.cacheControl] = "public, max-age=86400"
                        return response
                    } catch let error as TileError {
                        logger.error("a map tile cannot be read", metadata: ["error": "\(error)"])
                        throw Problem.notFound("tile")
                    }
                })
        ]
    }
}

extension Route.Parameter {
    fileprivate static func number(_ name: String, _ text: String) -> Route.Parameter {
        Route.Parameter(
            name: name, source: .path, isRequired: true, schema: #"{"type":"integer","minimum":0}"#,
            text: "The \(text).")
    }
}

/// The tiles that the page shows: their address, attribution and largest zoom level.
struct PageTiles {
    /// An address relative to the page, or of another server; empty without tiles.
    let pattern: String
    let attribution: String
    /// The origin of another server, for the page's content security policy.
    let origin: String?
    let zooms: ClosedRange<Int>
    /// The address of the terms of OpenStreetMap; empty for other tiles.
    let terms: String
    /// `vector` for tiles that the page draws, `raster` for images.
    let kind: String

    /// - Parameters:
    ///   - tiles: the tiles.
    ///   - own: the attribution that people gave; empty for none.
    ///   - info: what the file has, if the tiles are in a file that can be read.
    init(_ tiles: MapTiles, attribution own: String, _ info: TileInfo?) {
        kind = info?.format == .vector ? "vector" : "raster"
        terms = tiles == .openStreetMap ? "https://www.openstreetmap.org/copyright" : ""
        switch tiles {
        case .none: (pattern, attribution, origin, zooms) = ("", "", nil, 0...0)
        case .openStreetMap:
            pattern = MapTiles.openStreetMapPattern
            attribution = MapTiles.openStreetMapAttribution
            origin = "https://tile.openstreetmap.org"
            zooms = 0...19
        case .address(let address):
            (pattern, attribution, origin, zooms) = (address.pattern, own, address.origin, 0...19)
        case .file:
            pattern = info == nil ? "" : "tiles/{z}/{x}/{y}"
            attribution = own.isEmpty ? Self.text(of: info?.attribution ?? "") : own
            origin = nil
            zooms = info?.zooms ?? 0...0
        }
    }

    /// The text of an attribution that may be HTML: the page shows text only.
    private static func text(of html: String) -> String {
        html.replacing(/<[^>]*>/, with: "").replacing("&copy;", with: "©").replacing("&amp;", with: "&")
    }
}
