import FencepostJSON
import FencepostService
import FencepostStore
import FencepostTesting
import Foundation
import NIOHTTP1
import Testing

@testable import FencepostServer

@Suite("The choice of the map over HTTP") struct MapRouteTests {
    /// A server that stores files for the map in a folder, with the folder's path for other files.
    private static func withFiles(_ body: @escaping @Sendable (TestServer, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-map-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TestServer.run { dependencies in
            dependencies.mapFiles = folder.appending(path: "fencepost.sqlite").path
        } _: { server in
            try await body(server, folder)
        }
    }

    private static func policy(_ server: TestServer) async throws -> String {
        try #require(try await server.get("/")["Content-Security-Policy"])
    }

    private static func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("is open at first, and the page and its policy follow it") func choose() async throws {
        try await TestServer.run { server in
            let first = try await server.get("/v1/map").json
            #expect(first["tiles"]?.string == "none" && first["isChosen"]?.bool == false)
            #expect(try await server.get("/").text.contains(#"data-choice="open""#))
            #expect(try await Self.policy(server).contains("img-src 'self';"))

            let chosen = try await server.put("/v1/map", #"{"tiles":"openstreetmap"}"#)
            #expect(chosen.status == 200)
            #expect(try chosen.json["isChosen"]?.bool == true)
            #expect(try await Self.policy(server).contains("img-src 'self' data: https://tile.openstreetmap.org;"))
            let page = try await server.get("/").text
            #expect(page.contains(#"data-choice="made""#) && page.contains("© OpenStreetMap contributors"))
            #expect(try await server.store.mapChoice() == MapChoice(tiles: .openStreetMap))

            let other = #"{"tiles":"https://tiles.example.org/{z}/{x}/{y}.png","attribution":"© <Somebody>"}"#
            #expect(try await server.put("/v1/map", other).status == 200)
            #expect(try await Self.policy(server).contains("https://tiles.example.org;"))
            #expect(try await server.get("/").text.contains("© &lt;Somebody>"))
            #expect(try await server.get("/share").text.contains("tiles.example.org"))

            #expect(try await server.put("/v1/map", #"{"tiles":"none"}"#).status == 200)
            #expect(try await Self.policy(server).contains("img-src 'self';"))
            #expect(try await server.get("/").text.contains(#"data-choice="made""#))
        }
    }

    @Test(
        "is refused with the reason",
        arguments: [
            #"{}"#, #"{"tiles":7}"#, #"{"tiles":"map.pmtiles"}"#, #"{"tiles":"/etc/passwd.mbtiles"}"#,
            #"{"tiles":"file"}"#, #"{"tiles":"https://tiles.example.org/{z}/{x}/{y}.png"}"#,
            #"{"tiles":"https://*.example.org/{z}/{x}/{y}.png","attribution":"a"}"#,
            #"{"tiles":"https://t.example.org; script-src */{z}/{x}/{y}","attribution":"a"}"#,
        ])
    func refused(body: String) async throws {
        try await Self.withFiles { server, _ in
            let answer = try await server.put("/v1/map", body)
            #expect(answer.status == 422 && answer.code == "invalid_map")
            #expect(try await server.store.mapChoice() == nil)
            #expect(try await Self.policy(server).contains("img-src 'self';"))
        }
    }

    @Test("belongs to the configuration where that names the tiles") func configured() async throws {
        try await TestServer.run { dependencies in
            dependencies.settings.mapTiles = MapTiles.none
            dependencies.mapFiles = "/nowhere/fencepost.sqlite"
        } _: { server in
            #expect(try await server.get("/").text.contains(#"data-choice="configured""#))
            let tiles = try await server.put("/v1/map", #"{"tiles":"openstreetmap"}"#)
            let file = try await server.send(.PUT, "/v1/map/file?name=a.pmtiles", body: [1], type: "a/b")
            #expect(tiles.status == 409 && tiles.code == "map_is_configured")
            #expect(file.status == 409 && file.code == "map_is_configured")
            #expect(try await server.get("/v1/map").json["takesFile"]?.bool == false)
        }
    }

    @Test("is a file that comes in parts, as soon as it is complete") func parts() async throws {
        try await Self.withFiles { server, folder in
            let bytes = Array(SmallPMTiles([(0, [1, 2]), (1, [3])]).data)
            func send(_ range: Range<Int>, name: String = "Lisbon.PMTiles") async throws -> TestServer.Reply {
                try await server.send(
                    .PUT, "/v1/map/file?name=\(name)&offset=\(range.lowerBound)&total=\(bytes.count)",
                    body: Array(bytes[range]), type: "application/octet-stream")
            }
            #expect(try await server.get("/tiles/0/0/0").status == 404)
            let first = try await send(0..<50)
            #expect(first.status == 202)
            #expect(try first.json["received"]?.int == 50)
            // Part of another file, a part twice, and a hole.
            for wrong in [try await send(50..<60, name: "a.mbtiles"), try await send(20..<50), try await send(60..<70)]
            {
                #expect(wrong.status == 409 && wrong.code == "unexpected_offset")
                #expect(wrong.text.contains("begins at byte 50"))
            }
            #expect(try await server.get("/tiles/0/0/0").status == 404)
            #expect(try await send(50..<bytes.count).status == 200)
            let tile = try await server.get("/tiles/0/0/0")
            #expect(tile.status == 200 && Array(tile.text.utf8) == [1, 2])
            #expect(try Self.files(folder) == ["fencepost.sqlite.map.pmtiles"])
            let shown = try await server.get("/v1/map").json
            #expect(shown["tiles"]?.string == "file" && shown["file"]?["bytes"]?.int == bytes.count)
            #expect(try await server.get("/").text.contains("tiles/{z}/{x}/{y}"))

            // The file stays for later while other tiles are shown.
            #expect(try await server.put("/v1/map", #"{"tiles":"none"}"#).status == 200)
            #expect(try await server.get("/tiles/0/0/0").status == 404)
            #expect(try await server.put("/v1/map", #"{"tiles":"file"}"#).status == 200)
            #expect(try await server.get("/tiles/0/0/0").status == 200)

            #expect(try await server.send(.DELETE, "/v1/map/file").status == 204)
            #expect(try Self.files(folder) == [])
            #expect(try await server.get("/v1/map").json["tiles"]?.string == "none")
            #expect(try await server.get("/tiles/0/0/0").status == 404)
        }
    }

    @Test("keeps the former file when another one cannot be used") func damaged() async throws {
        try await Self.withFiles { server, folder in
            let good = Array(SmallPMTiles([(0, [1, 2])]).data)
            let path = "/v1/map/file?name=a.pmtiles"
            #expect(try await server.send(.PUT, path, body: good, type: "a/b").status == 200)
            for (name, bytes) in [
                ("b.pmtiles", Array("PMTiles".utf8)), ("b.mbtiles", Array("no database at all, but long enough".utf8)),
            ] {
                let answer = try await server.send(.PUT, "/v1/map/file?name=\(name)", body: bytes, type: "a/b")
                #expect(answer.status == 422 && answer.code == "invalid_map_file")
                #expect(!answer.text.contains(folder.path))
            }
            let named = try await server.send(.PUT, "/v1/map/file?name=..%2Fetc%2Fpasswd", body: good, type: "a/b")
            #expect(named.status == 400 && named.text.contains("has to end with .pmtiles or .mbtiles"))
            #expect(try Self.files(folder) == ["fencepost.sqlite.map.pmtiles"])
            #expect(try await server.get("/tiles/0/0/0").status == 200)
        }
    }

    @Test("is shown again after a restart, and the service starts without its file") func restart() async throws {
        try await Self.withFiles { server, folder in
            let bytes = Array(SmallPMTiles([(0, [1, 2])]).data)
            #expect(try await server.send(.PUT, "/v1/map/file?name=a.pmtiles", body: bytes, type: "a/b").status == 200)
            func restarted() async throws -> MapSource {
                let map = MapSource(
                    ServerSettings(), configured: nil,
                    files: MapFiles(besides: folder.appending(path: "fencepost.sqlite").path), geocoder: nil,
                    folder: nil)
                let choice = try #require(try await server.store.mapChoice())
                try? map.show(choice)
                return map
            }
            #expect(try await restarted().tiles != nil)
            try FileManager.default.removeItem(at: folder.appending(path: "fencepost.sqlite.map.pmtiles"))
            let map = try await restarted()
            #expect(map.tiles == nil && map.choice?.tiles == .file("map.pmtiles"))
        }
    }

    @Test("takes no file in a cluster") func cluster() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.PUT, "/v1/map/file?name=a.pmtiles", body: [1], type: "a/b")
            #expect(answer.status == 409 && answer.code == "no_map_file")
            #expect(try await server.send(.DELETE, "/v1/map/file").status == 204)
        }
    }
}
