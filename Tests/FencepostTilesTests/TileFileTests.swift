import FencepostTesting
import FencepostTiles
import Foundation
import GRDB
import Testing

@Suite("Files with map tiles") struct TileFileTests {
    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-tiles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private static func makeMBTiles(_ path: String, format: String = "png", tiles: [[Int]] = [[0, 0, 0], [2, 1, 3]])
        throws
    {
        let database = try DatabaseQueue(path: path)
        try database.write { db in
            try db.execute(sql: "CREATE TABLE metadata (name TEXT, value TEXT)")
            try db.execute(
                sql: "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
            for (name, value) in [("format", format), ("attribution", "<a href=\"x\">Somebody</a>")] {
                try db.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
            for tile in tiles {
                try db.execute(
                    sql: "INSERT INTO tiles VALUES (?, ?, ?, ?)",
                    arguments: [tile[0], tile[1], tile[2], Data("\(tile)".utf8)])
            }
        }
        try database.close()
    }

    @Test("MBTiles count rows from the south, and the page from the north") func mbtiles() async throws {
        try await Self.withFolder { folder in
            let path = folder.appending(path: "map.mbtiles").path
            try Self.makeMBTiles(path)
            let archive = try TileFile.open(path)
            #expect(archive.info.format == .png && archive.info.zooms == 0...2)
            #expect(try await archive.tile(zoom: 0, column: 0, row: 0) == Array("[0, 0, 0]".utf8))
            #expect(try await archive.tile(zoom: 2, column: 1, row: 0) == Array("[2, 1, 3]".utf8))
            #expect(try await archive.tile(zoom: 2, column: 1, row: 3) == nil)
            for (zoom, column, row) in [(-1, 0, 0), (2, 4, 0), (2, 0, -1), (60, 1, 1), (27, 0, 0)] {
                #expect(try await archive.tile(zoom: zoom, column: column, row: row) == nil)
            }
        }
    }

    @Test("the file of an MBTiles map is never changed") func readOnly() async throws {
        try await Self.withFolder { folder in
            let url = folder.appending(path: "map.mbtiles")
            try Self.makeMBTiles(url.path)
            let before = try Data(contentsOf: url)
            let archive = try TileFile.open(url.path)
            _ = try await archive.tile(zoom: 0, column: 0, row: 0)
            #expect(try Data(contentsOf: url) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["map.mbtiles"])
        }
    }

    @Test("other formats and other files are refused with a sentence") func refused() async throws {
        try await Self.withFolder { folder in
            func reason(_ name: String, _ content: Data? = nil) -> String {
                let path = folder.appending(path: name).path
                if let content { try? content.write(to: URL(filePath: path)) }
                do {
                    _ = try TileFile.open(path)
                    return "none"
                } catch {
                    return "\(error)"
                }
            }
            try Self.makeMBTiles(folder.appending(path: "text.mbtiles").path, format: "txt")
            #expect(reason("text.mbtiles").contains("the format \"txt\", which is not supported"))
            try Self.makeMBTiles(folder.appending(path: "empty.mbtiles").path, tiles: [])
            #expect(reason("empty.mbtiles").contains("has no tiles"))
            #expect(reason("none.mbtiles").contains("cannot be read as an MBTiles file"))
            #expect(reason("other.mbtiles", Data("no database at all, but long enough".utf8)).contains("MBTiles"))
            #expect(reason("none.pmtiles").contains("cannot be opened"))
            #expect(reason("short.pmtiles", Data("PMTiles".utf8)).contains("ends too early"))
            #expect(reason("text.pmtiles", Data(repeating: 32, count: 200)).contains("is no PMTiles file"))
            var archive = SmallPMTiles([(0, [1])])
            archive.type = 9
            #expect(reason("unknown.pmtiles", archive.data).contains("does not say of which format"))
            archive.type = 2
            archive.compression = 3
            #expect(reason("brotli.pmtiles", archive.data).contains("brotli"))
            archive.compression = 1
            #expect(reason("good.pmtiles", archive.data) == "none")
        }
    }

    /// `printf '\1\2\3' | gzip -n`
    private static let compressed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 99, 100, 98, 6, 0, 29, 128, 188, 85, 3, 0, 0, 0,
    ]

    @Test("vector tiles are inflated, and plain ones are given as they are") func vector() async throws {
        try await Self.withFolder { folder in
            let path = folder.appending(path: "vector.mbtiles").path
            try Self.makeMBTiles(path, format: "pbf", tiles: [[0, 0, 0], [1, 0, 0], [1, 1, 0]])
            let database = try DatabaseQueue(path: path)
            try await database.write { db in
                try db.execute(
                    sql: "UPDATE tiles SET tile_data = ? WHERE tile_column = 0 AND zoom_level = 1",
                    arguments: [Data(Self.compressed)])
                try db.execute(
                    sql: "UPDATE tiles SET tile_data = ? WHERE tile_column = 1",
                    arguments: [Data(Self.compressed.prefix(15))])
            }
            try database.close()
            let archive = try TileFile.open(path)
            #expect(archive.info.format == .vector)
            #expect(archive.info.format.mediaType == "application/vnd.mapbox-vector-tile")
            #expect(try await archive.tile(zoom: 0, column: 0, row: 0) == Array("[0, 0, 0]".utf8))
            #expect(try await archive.tile(zoom: 1, column: 0, row: 1) == [1, 2, 3])
            await #expect(throws: TileError.self) { try await archive.tile(zoom: 1, column: 1, row: 1) }
            var tiles = SmallPMTiles([(0, [1, 2])])
            tiles.type = 1
            let other = folder.appending(path: "vector.pmtiles")
            try tiles.data.write(to: other)
            #expect(try TileFile.open(other.path).info.format == .vector)
        }
    }

    @Test("values of other types than MBTiles has are refused with a sentence") func types() async throws {
        try await Self.withFolder { folder in
            let path = folder.appending(path: "types.mbtiles").path
            for (index, change) in [
                "UPDATE metadata SET value = 7", "UPDATE metadata SET name = x'ff'",
                "UPDATE tiles SET zoom_level = 'a'",
                "UPDATE tiles SET zoom_level = 1e300", "UPDATE tiles SET tile_data = 7",
            ].enumerated() {
                let file = path.replacing("types", with: "types\(index)")
                try Self.makeMBTiles(file)
                let database = try DatabaseQueue(path: file)
                try await database.write { db in try db.execute(sql: change) }
                try database.close()
                do {
                    let archive = try TileFile.open(file)
                    _ = try await archive.tile(zoom: 0, column: 0, row: 0)
                } catch {
                    #expect(error is TileError, "\(change)")
                }
            }
        }
    }

    /// Examples of the specification (Hilbert curve) and the first tiles of the curve.
    @Test(
        "tiles of PMTiles have the numbers of the specification",
        arguments: [
            ([0, 0, 0], 0), ([1, 0, 0], 1), ([1, 0, 1], 2), ([1, 1, 1], 3), ([1, 1, 0], 4), ([2, 0, 0], 5),
            ([12, 3423, 1763], 19_078_479),
        ] as [([Int], UInt64)])
    func numbers(tile: [Int], number: UInt64) async throws {
        try await Self.withFolder { folder in
            let path = folder.appending(path: "map.pmtiles").path
            try SmallPMTiles([(number, [7, 8])]).data.write(to: URL(filePath: path))
            let archive = try TileFile.open(path)
            #expect(try await archive.tile(zoom: tile[0], column: tile[1], row: tile[2]) == [7, 8])
            #expect(try await archive.tile(zoom: 13, column: 0, row: 0) == nil)
        }
    }

    @Test("damaged PMTiles never read outside the file, whatever bytes they have") func damaged() async throws {
        try await Self.withFolder { folder in
            let good = SmallPMTiles([(0, [1, 2]), (1, [3]), (2, [4, 5, 6])]).data
            var generator = SystemRandomNumberGenerator()
            let path = folder.appending(path: "map.pmtiles").path
            for _ in 0..<400 {
                var bytes = good
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let index = Int.random(in: 8..<bytes.count, using: &generator)
                    bytes[index] = UInt8.random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) {
                    bytes = bytes.prefix(Int.random(in: 8...bytes.count, using: &generator))
                }
                try bytes.write(to: URL(filePath: path))
                guard let archive = try? TileFile.open(path) else { continue }
                for (zoom, column, row) in [(0, 0, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1)] {
                    if let tile = try? await archive.tile(zoom: zoom, column: column, row: row) {
                        #expect(tile.count <= bytes.count)
                    }
                }
            }
        }
    }
}
