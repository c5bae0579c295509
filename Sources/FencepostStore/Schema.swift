import Foundation
import GRDB

/// The schemas that a program knows: how to make each of the one before.
struct Schema: Sendable {
    /// In the order of their versions, which count from 1.
    let steps: [Migration]

    /// That of this program.
    static let current: Schema = {
        #if DEBUG
            // Tests of upgrades start the same program as that of the version after it.
            if ProcessInfo.processInfo.environment["FENCEPOST_NEXT_SCHEMA"] == "1" { return next }
        #endif
        return released
    }()

    /// That of this version.
    static let released = Schema(steps: Migrations.all)

    #if DEBUG
        /// That of a version that does not exist, for tests: with one more step, which makes data of other rows.
        static let next = Schema(
            steps: Migrations.all + [Migration(version: released.latest + 1, sql: Migrations.madeUp)])
    #endif

    /// The newest version.
    var latest: Int { steps.last?.version ?? 0 }

    /// The number of the file's last step; 0 for an empty file, and for a copy of a cluster that has applied nothing yet.
    ///
    /// - Throws: `newerSchema` (rule D4), or `corrupt` for another program's database.
    func version(_ db: Database, path: String) throws -> Int {
        let version = try Self.version(db)
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard application == Migrations.applicationID || (application == 0 && version == 0 && tables == 0) else {
            throw StoreError(.corrupt, "\(path) is no database of Fencepost.")
        }
        guard version <= latest else {
            throw StoreError(
                .newerSchema,
                "\(path) was written by a newer Fencepost (schema \(version), this one knows \(latest)). "
                    + "Install that version.")
        }
        return version
    }

    /// The number of the file's last step, whatever this program knows.
    static func version(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 }

    /// Runs the missing steps in one transaction.
    func migrate(_ db: Database, path: String) throws {
        let version = try version(db, path: path)
        guard version < latest else { return }
        // Else the removal of a table that others refer to would remove their rows.
        let enforced = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? db.execute(sql: "PRAGMA foreign_keys = \(enforced ? "ON" : "OFF")") }
        try db.inTransaction(.immediate) {
            try run(db, from: version, through: latest)
            return .commit
        }
    }

    /// Runs steps within a transaction, without enforced foreign keys.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - version: that of the file.
    ///   - last: the last step to run, which this program knows.
    /// - Throws: SQLite's error.
    func run(_ db: Database, from version: Int, through last: Int) throws {
        try db.execute(sql: "PRAGMA application_id = \(Migrations.applicationID)")
        for migration in steps where migration.version > version && migration.version <= last {
            try db.execute(sql: migration.sql)
            try db.execute(sql: "PRAGMA user_version = \(migration.version)")
        }
    }
}

#if DEBUG
    extension Migrations {
        /// A column and a table with data of other rows, as a step of a later version may add them.
        fileprivate static let madeUp = """
            ALTER TABLE event ADD COLUMN body_length INTEGER;
            UPDATE event SET body_length = length(body);
            CREATE TABLE device_events (
              number INTEGER PRIMARY KEY AUTOINCREMENT,
              device_id TEXT NOT NULL UNIQUE,
              count INTEGER NOT NULL
            ) STRICT;
            INSERT INTO device_events (device_id, count)
              SELECT device_id, count(*) FROM event WHERE device_id IS NOT NULL GROUP BY device_id ORDER BY device_id;
            """
    }
#endif
