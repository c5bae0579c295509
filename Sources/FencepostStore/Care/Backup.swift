public import FencepostModel
import Foundation
import GRDB

/// Copies of a database, made while it is in use or not.
public enum Backup {
    /// Copies a database as it is at one moment into one file, also while a server has it open.
    ///
    /// The copy is made through a connection that only reads: it sees one state of the database from its start to its
    /// end, and it can neither write nor move the write-ahead log (rule D3), which therefore grows meanwhile. It has no
    /// free pages, so nothing that was erased. It is checked before it takes the place of an earlier file.
    ///
    /// - Throws: `cannotOpen` when there is no such database or no such folder, `corrupt`, `full`, `newerSchema`.
    public static func make(of database: String, to file: String) throws(StoreError) {
        try copy(database, to: file, suffix: ".partial")
    }

    /// Puts a copy in the place of a database.
    ///
    /// - Parameter now: names the old database, which is kept beside.
    /// - Returns: where the old database is now; `nil` when there was none.
    /// - Throws: `locked` while a server has the database open, `corrupt` when the copy is damaged; nothing is changed
    ///   then.
    @discardableResult
    public static func restore(_ file: String, to database: String, at now: Timestamp) throws(StoreError) -> String? {
        let lock = try LockFile(beside: database)
        defer { withExtendedLifetime(lock) {} }
        let made = database + ".restoring"
        try copy(file, to: made, suffix: ".partial")
        var aside: String?
        if access(database, F_OK) == 0 {
            let kept = "\(database).before-restore-\(now.milliseconds / 1000)"
            // What the old database has in its write-ahead log goes with it; SQLite finds it by its name.
            for suffix in ["-wal", ""] where access(database + suffix, F_OK) == 0 {
                try move(database + suffix, to: kept + suffix)
            }
            unlink(database + "-shm")
            aside = kept
        } else {
            // A log without its database would be taken for the new one's.
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
                // It holds tokens' hashes, secrets and positions: for its owner only, from the first byte.
                let descriptor = open(partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else {
                    throw StoreError(.cannotOpen, "\(partial) cannot be made: \(String(cString: strerror(errno))).")
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

    /// Runs on a connection of its own that only reads.
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
            throw StoreError(.cannotOpen, "\(target) cannot be made: \(String(cString: strerror(errno))).")
        }
        // The name has to outlive a power cut too.
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
