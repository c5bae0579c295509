import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostService
import FencepostTiles
import HTTPTypes
import Logging

/// Routes of the tiles that administrators choose for the map (rule A26).
extension API {
    private static let tag = "Map"

    var mapRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/map", name: "getMap", summary: "Shows which tiles the map has", tag: Self.tag,
                access: .unbound(.admin), successes: [.json(Schema.named("Map"), "The tiles.")],
                partition: .configuration,
                handle: { _ in mapResponse() }),
            Route(
                method: .put, path: "/v1/map", name: "putMap", summary: "Chooses the tiles of the map", tag: Self.tag,
                access: .unbound(.admin),
                body: Route.Body(
                    types: ["application/json"], schema: Schema.named("NewMap"),
                    example: #"{"tiles":"openstreetmap"}"#),
                successes: [.json(Schema.named("Map"), "The tiles.")], failures: [.conflict],
                partition: .configuration,
                handle: { call in
                    try checkMayChoose()
                    try await choose(try mapChoice(try call.json().root), call)
                    return mapResponse()
                }),
            putMapFile,
            Route(
                method: .delete, path: "/v1/map/file", name: "deleteMapFile",
                summary: "Removes the file with map tiles",
                tag: Self.tag, access: .unbound(.admin), successes: [.noContent("There is no file any more.")],
                partition: .configuration,
                handle: { call in
                    guard let files = map.files else { return .noContent }
                    if case .file = map.choice?.tiles { try await choose(MapChoice(tiles: .none), call) }
                    try await importQueue.run(for: call.owner) { files.remove() }
                    return .noContent
                }),
        ]
    }

    private var putMapFile: Route {
        Route(
            method: .put, path: "/v1/map/file", name: "putMapFile",
            summary:
                "Takes a file with map tiles (PMTiles or MBTiles), whole or in parts, and chooses it when it is complete",
            tag: Self.tag, access: .unbound(.admin),
            parameters: [
                Route.Parameter(
                    name: "name", isRequired: true, schema: #"{"type":"string","minLength":1,"maxLength":1024}"#,
                    text: "The name of the file, which ends with .pmtiles or .mbtiles."),
                Route.Parameter(
                    name: "offset", schema: #"{"type":"integer","minimum":0,"default":0}"#,
                    text: "Where this part begins. 0 begins a file."),
                Route.Parameter(
                    name: "total", schema: #"{"type":"integer","minimum":1}"#,
                    text: "The bytes of the whole file; without it, the body is the file."),
            ],
            body: Route.Body(types: ["*/*"], schema: #"{"type":"string","format":"binary"}"#, isLarge: true),
            successes: [
                .json(Schema.named("Map"), "The file is complete and shown."),
                Route.Success(
                    status: .accepted, type: RouteResponse.json, schema: Schema.named("MapUpload"),
                    text: "The part is stored; received says where the next one begins."),
            ], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                try checkMayChoose()
                guard let files = map.files else {
                    throw Problem.conflict(
                        "no_map_file",
                        "This service stores no file for the map. In a cluster, name it in map.tiles of each node.")
                }
                let offset = Int(clamped: try call.number("offset", in: 0...Double(MapFiles.limit)) ?? 0)
                let total = try call.number("total", in: 1...Double(MapFiles.limit)).map { Int($0) } ?? call.body.count
                let (bytes, name) = (call.body, call.query["name"] ?? "")
                let outcome = try await importQueue.run(for: call.owner) {
                    try files.take(bytes, at: offset, of: total, named: name)
                }
                switch outcome {
                case .incomplete(let received):
                    return RouteResponse(.accepted) { writer in
                        writer.beginObject()
                        writer.member("received", received)
                        writer.endObject()
                    }
                case .complete(let name):
                    try await choose(MapChoice(tiles: .file(name)), call)
                    return mapResponse()
                }
            })
    }

    private func checkMayChoose() throws(Problem) {
        guard map.isConfigured else { return }
        throw .conflict(
            "map_is_configured", "The configuration names the tiles in map.tiles. Remove it to choose them here.")
    }

    /// The choice that a body describes.
    private func mapChoice(_ root: JSONElement) throws -> MapChoice {
        try root.checkMembers(["tiles", "attribution"])
        let text = root["tiles"]?.string ?? ""
        let attribution = root["attribution"]?.string ?? ""
        func fault(_ member: String, _ detail: String) -> Problem {
            .invalid("invalid_map", detail, [Problem.Fault(pointer: "/\(member)", code: "invalid_map", detail: detail)])
        }
        guard attribution.utf8.count <= 512 else { throw fault("attribution", "This may have at most 512 bytes.") }
        if text == "file" {
            guard let stored = map.files?.stored else {
                throw fault("tiles", "There is no file yet. Send one to /v1/map/file.")
            }
            return MapChoice(tiles: .file(stored.name), attribution: attribution)
        }
        switch MapTiles(text) {
        case .file, nil:
            throw fault(
                "tiles",
                "This has to be none, openstreetmap, file, or an address with {z}, {x} and {y}, such as "
                    + "https://tiles.example.org/{z}/{x}/{y}.png.")
        case .address(let address) where attribution.isEmpty:
            throw fault("attribution", "Name who made the map of \(address.origin): its license asks for that.")
        case .address(let address): return MapChoice(tiles: .address(address), attribution: attribution)
        case .some(let tiles): return MapChoice(tiles: tiles)
        }
    }

    private func choose(_ choice: MapChoice, _ call: Call) async throws {
        do {
            try await importQueue.run(for: call.owner) { [map] in try map.show(choice) }
        } catch let error as TileError {
            throw Problem.invalid("invalid_map_file", "\(error)")
        }
        try await store.save(choice)
        logger.notice(
            "the tiles of the map are chosen",
            metadata: ["tiles": "\(choice.tiles.text)", "by": "\(call.caller.ownerID ?? "local")"])
    }

    /// Shows what was chosen before this start.
    func restoreMap() async {
        do {
            if let choice = try await store.mapChoice() { try map.show(choice) }
        } catch {
            // The service works without.
            logger.error("the chosen tiles of the map cannot be shown", metadata: ["error": "\(error)"])
        }
    }

    private func mapResponse() -> RouteResponse {
        let choice = map.isConfigured ? MapChoice(tiles: settings.tiles) : map.choice
        let stored = map.files?.stored
        return RouteResponse { [map] writer in
            writer.beginObject()
            if case .file = choice?.tiles {
                writer.member("tiles", "file")
            } else {
                writer.member("tiles", choice?.tiles.text ?? "none")
            }
            writer.member("attribution", choice?.attribution ?? "")
            writer.member("isChosen", choice != nil)
            writer.member("isConfigured", map.isConfigured)
            writer.member("takesFile", map.files != nil && !map.isConfigured)
            if let stored {
                writer.name("file")
                writer.beginObject()
                writer.member("name", stored.name)
                writer.member("bytes", stored.size)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
