import Foundation
import GRDB

/// Tiles in an SQLite file (MBTiles 1.3).
///
/// Source: https://github.com/mapbox/mbtiles-spec/blob/master/1.3/spec.md.
struct MBTilesArchive: TileArchive {
    let info: TileInfo
    private let database: DatabaseQueue
    private let path: String

    init(_ path: String) throws {
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            info = try database.read { db in try Self.info(db, path) }
        } catch let error as TileError {
            throw error
        } catch {
            throw TileError("\(path) cannot be read as an MBTiles file: \(Self.reason(error)).")
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? DatabaseError)?.message ?? "it is no SQLite database"
    }

    private static func info(_ db: Database, _ path: String) throws -> TileInfo {
        let rows = try Row.fetchAll(db, sql: "SELECT name, value FROM metadata")
        // The columns of MBTiles take values of any type.
        let metadata = Dictionary(rows.map { (text($0, 0), text($0, 1)) }) { first, _ in first }
        let format: TileInfo.Format
        switch metadata["format"]?.lowercased() {
        case "png", nil: format = .png
        case "jpg", "jpeg", "image/jpeg": format = .jpeg
        case "webp", "image/webp": format = .webp
        case "image/png": format = .png
        case "pbf", "mvt", "application/vnd.mapbox-vector-tile": format = .vector
        case .some(let other): throw TileError("\(path) has tiles of the format \"\(other)\", which is not supported.")
        }
        let found = try Row.fetchOne(db, sql: "SELECT min(zoom_level), max(zoom_level) FROM tiles")
        guard let low = try? found?.decode(Int?.self, atIndex: 0), let high = try? found?.decode(Int?.self, atIndex: 1),
            low <= high,
            (0...TileFile.largestZoom).contains(low), (0...TileFile.largestZoom).contains(high)
        else { throw TileError("\(path) has no tiles.") }
        return TileInfo(format: format, zooms: low...high, attribution: metadata["attribution"] ?? "")
    }

    private static func text(_ row: Row, _ index: Int) -> String {
        (try? row.decode(String?.self, atIndex: index)) ?? ""
    }

    func tile(zoom: Int, column: Int, row: Int) async throws -> [UInt8]? {
        guard TileFile.exists(zoom: zoom, column: column, row: row) else { return nil }
        // Rows are counted from the south (TMS).
        let fromSouth = (1 << zoom) - 1 - row
        do {
            let bytes = try await database.read { db in
                try Data.fetchOne(
                    db.cachedStatement(
                        sql: """
                            SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?
                              AND length(tile_data) <= \(TileFile.largestTile)
                            """), arguments: [zoom, column, fromSouth]
                ).map { [UInt8]($0) }
            }
            // Vector tiles are compressed by the specification of MBTiles; some programs write plain ones.
            guard info.format == .vector, let bytes, bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
            guard let plain = Gzip.inflate(bytes, limit: TileFile.largestTile) else {
                throw TileError("\(path) is damaged: the tile \(zoom)/\(column)/\(row) cannot be inflated.")
            }
            return plain
        } catch let error as TileError {
            throw error
        } catch {
            throw TileError("\(path) cannot be read: \(Self.reason(error)).")
        }
    }
}
