public import FencepostService
import GRDB

extension SQLiteStore: MapStore {
    /// What an administrator has chosen for the map; `nil` before the first choice, and for one of a newer version.
    public func mapChoice() async throws -> MapChoice? {
        try await read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT tiles, attribution FROM map_choice"),
                let tiles = MapTiles(try row[0] as String)
            else { return nil }
            return MapChoice(tiles: tiles, attribution: try row[1])
        }
    }

    /// Stores a choice in place of the former one.
    public func save(_ choice: MapChoice) async throws {
        try await write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO map_choice (id, tiles, attribution) VALUES (1, ?, ?)",
                arguments: [choice.tiles.text, choice.attribution])
        }
    }
}
