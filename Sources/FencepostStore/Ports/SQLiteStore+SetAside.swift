import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: SetAsideStore {
    public func setAside() async throws -> [SetAside] {
        try await read { db in try Self.setAside(db) }
    }

    static func setAside(_ db: Database) throws -> [SetAside] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT kind, id, work, ends, since, is_released FROM set_aside ORDER BY kind, id")
        ).compactMap { row in
            // Another version may have more kinds.
            guard let kind = try SetAside.Kind(rawValue: row[0]),
                let work = try WorkJournal.Work(rawValue: UInt32(clamping: row[2] as Int64))
            else { return nil }
            var item = try SetAside(
                kind, row[1], work: work, ends: row[3], since: Timestamp(milliseconds: row[4]))
            item.isReleased = try row[5]
            return item
        }
    }

    public func setAside(_ items: [SetAside]) async throws {
        try await write { db in
            for item in items {
                try db.execute(
                    sql: """
                        INSERT INTO set_aside (kind, id, work, ends, since, is_released) VALUES (?, ?, ?, ?, ?, 0)
                        ON CONFLICT (kind, id) DO UPDATE SET work = excluded.work, ends = ends + excluded.ends,
                          since = excluded.since, is_released = 0
                        """,
                    arguments: [item.kind.rawValue, item.id, item.work.rawValue, item.ends, item.since.milliseconds])
            }
        }
    }

    public func releaseImport(_ id: String) async throws -> Bool {
        try await write { db in
            try db.execute(sql: "DELETE FROM set_aside WHERE kind = 'import' AND id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }
}

extension Migrations {
    /// A condition: a device or an import is set aside, and was not released.
    static func isSetAside(_ kind: SetAside.Kind, _ column: String) -> String {
        """
        EXISTS (SELECT 1 FROM set_aside WHERE kind = '\(kind.rawValue)' AND set_aside.id = \(column) AND is_released = 0)
        """
    }
}
