public import FencepostModel
import Foundation
import GRDB

/// Makes and restores copies of a database.
public enum Backup {
    /// Copies a snapshot of a database into one file, also while a server has it open.
    ///
    /// A read-only connection makes the copy. It cannot checkpoint the write-ahead log (rule D3), which therefore grows
    /// during the copy. The copy has no free pages, and so no erased data. It is checked before it replaces an earlier
    /// file.
    ///
    /// - Throws: a `StoreError`: `cannotOpen` when the database or the folder does not exist, `corrupt`, `full`,
    ///   `newerSchema`.
    public static func make(of database: String, to file: String) throws(StoreError) {
        try copy(database, to: file, suffix: ".partial")
    }

    /// Replaces a database by a copy. The old database is renamed.
    ///
    /// - Parameters:
    ///   - file: the copy.
    ///   - database: the path of the database.
    ///   - now: part of the old database's new name.
    /// - Returns: the old database's new path; `nil` when there was none.
    /// - Throws: a `StoreError`: `locked` while a server has the database open, `corrupt` when the copy is damaged. Nothing
    ///   is changed then.
    @discardableResult
    public static func restore(_ file: String, to database: String, at now: Timestamp) throws(StoreError) -> String? {
        let lock = try LockFile(nextTo: database)
        defer { withExtendedLifetime(lock) {} }
        let made = database + ".restoring"
        try copy(file, to: made, suffix: ".partial")
        var aside: String?
        if access(database, F_OK) == 0 {
            let kept = "\(database).before-restore-\(now.milliseconds / 1000)"
            // The write-ahead log belongs to the old database. SQLite finds it by its name.
            for suffix in ["-wal", ""] where access(database + suffix, F_OK) == 0 {
                try move(database + suffix, to: kept + suffix)
            }
            unlink(database + "-shm")
            aside = kept
        } else {
            // SQLite would apply a stray write-ahead log to the new database.
            unlink(database + "-wal")
            unlink(database + "-shm")
        }
        try move(made, to: database)
        return aside
    }

    private static func copy(_ source: String, to target: String, suffix: String) throws(StoreError) {
        let partial = target + suffix
        unlink(partial)
        do {
            try read(source) { db in
                _ = try Migrations.version(db, path: source)
                // The copy contains secrets and positions, so only the owner may read it.
                let descriptor = open(partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else {
                    throw StoreError(.cannotOpen, "\(partial) cannot be created: \(String(cString: strerror(errno))).")
                }
                close(descriptor)
                try db.execute(sql: "VACUUM INTO ?", arguments: [partial])
            }
            try read(partial) { db in
                let found = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
                guard found == ["ok"] else {
                    throw StoreError(.corrupt, "The copy of \(source) is damaged: \(found.first ?? "no answer").")
                }
            }
            try synchronize(partial)
        } catch {
            unlink(partial)
            throw StoreError(error, path: source)
        }
        try move(partial, to: target)
    }

    /// Runs on a new read-only connection.
    static func read<T>(_ path: String, _ body: (Database) throws -> T) throws(StoreError) -> T {
        do {
            guard access(path, F_OK) == 0 else { throw StoreError(.cannotOpen, "There is no database \(path).") }
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let result = try queue.inDatabase(body)
            try queue.close()
            return result
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func move(_ source: String, to target: String) throws(StoreError) {
        guard rename(source, target) == 0 else {
            throw StoreError(.cannotOpen, "\(target) cannot be created: \(String(cString: strerror(errno))).")
        }
        // The sync of the folder makes the new name durable.
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        try synchronize(folder)
    }

    private static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw StoreError(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }
}
