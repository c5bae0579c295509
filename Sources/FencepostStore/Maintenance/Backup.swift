public import FencepostFiles
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
    /// - Parameters:
    ///   - database: the path of the database.
    ///   - file: the file to write; not one of the database's own files.
    /// - Throws: a `StoreError`: `cannotOpen` when the database does not exist, `corrupt`, `newerSchema`; or an
    ///   `OutputFileError`, which names the target: a full disk there leaves nothing behind.
    public static func make(of database: String, to file: OutputFile) throws {
        if let size = try? FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int, size > 0 {
            // SQLite would apply it to the copy.
            throw OutputFileError(
                .inUse, "\(file.path) is a database with a write-ahead log, \(file.path)-wal. Choose another file.")
        }
        // The copy contains secrets and positions, so only the owner may read it.
        try file.write(permissions: 0o600) { partial in try copy(database, to: partial, for: file.path) }
    }

    /// The steps of `restore` after which tests end it.
    enum RestoreStep: CaseIterable {
        case copied, kept, merged, unlogged
    }

    /// Replaces a database by a copy. The old database gets another name.
    ///
    /// The name of the database always has a whole one: the old one until the copy takes its place in one step. Before that the
    /// write-ahead log is merged into the old one, since SQLite would apply it to the copy.
    ///
    /// - Parameters:
    ///   - file: the copy.
    ///   - database: the path of the database.
    ///   - now: part of the old database's new name.
    /// - Returns: the old database's new path; `nil` when there was none.
    /// - Throws: a `StoreError`: `locked` while a server has the database open, `corrupt` when the copy is damaged; or an
    ///   `OutputFileError`. Nothing is changed then.
    @discardableResult
    public static func restore(_ file: String, to database: String, at now: Timestamp) throws -> String? {
        try restore(file, to: database, at: now) { _ in }
    }

    /// As above; `reached` is called after each step.
    static func restore(
        _ file: String, to database: String, at now: Timestamp, reached: (RestoreStep) throws -> Void
    ) throws -> String? {
        // SQLite keeps the write-ahead log next to the file itself, not next to a link.
        let database = FileName.canonical(database)
        var own = FilesInUse()
        own.add(database: database)
        if let purpose = own.purpose(of: file) {
            throw StoreError(.locked, "\(file) is \(purpose) itself. Choose a backup.")
        }
        let lock = try LockFile(nextTo: database)
        defer { withExtendedLifetime(lock) {} }
        let made = database + ".restoring"
        unlink(made)
        try OutputFile(made).write(permissions: 0o600) { partial in try copy(file, to: partial, for: made) }
        try reached(.copied)
        var aside: String?
        if access(database, F_OK) == 0 {
            let kept = unusedName("\(database).before-restore-\(now.milliseconds / 1000)")
            // The write-ahead log belongs to the old database. SQLite finds it by its name, and may remove one that it cannot read.
            for suffix in ["-wal", ""] where access(database + suffix, F_OK) == 0 {
                try keep(database + suffix, as: kept + suffix)
            }
            try reached(.kept)
            mergeLog(of: database)
            let size = try? FileManager.default.attributesOfItem(atPath: kept + "-wal")[.size] as? Int
            if size == 0 { unlink(kept + "-wal") }
            try synchronize(FileName.folder(of: database))
            try reached(.merged)
            aside = kept
        }
        // SQLite would apply a stray write-ahead log to the new database. What is counted of the old one's work is over too.
        for suffix in ["-wal", "-shm", WorkJournalFile.suffix] { unlink(database + suffix) }
        try reached(.unlogged)
        try move(made, to: database)
        return aside
    }

    /// Merges the write-ahead log into a database, whose lock is held; not where that fails, for example with a damaged one.
    private static func mergeLog(of database: String) {
        guard access(database + "-wal", F_OK) == 0, let queue = try? DatabaseQueue(path: database) else { return }
        try? queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try? queue.close()
    }

    /// Gives a file a second name.
    private static func keep(_ file: String, as name: String) throws(StoreError) {
        guard link(file, name) == 0 else {
            throw StoreError(.cannotOpen, "\(name) cannot be created: \(String(cString: strerror(errno))).")
        }
    }

    /// A second restore within a second must not replace the database that the first one kept.
    private static func unusedName(_ name: String) -> String {
        var (candidate, number) = (name, 1)
        while access(candidate, F_OK) == 0 || access(candidate + "-wal", F_OK) == 0 {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    /// Copies a database into an empty file, and checks the copy. `target` is the name of the file for people.
    private static func copy(_ source: String, to partial: String, for target: String) throws {
        try read(source) { db in
            _ = try Schema.current.version(db, path: source)
            do {
                try db.execute(sql: "VACUUM INTO ?", arguments: [partial])
            } catch let error as DatabaseError where writeFailures.contains(error.resultCode) {
                // Only the copy is written, so this is not an error of the source.
                guard error.extendedResultCode != .SQLITE_IOERR_READ else { throw error }
                throw StoreError(error, path: target)
            }
        }
        try read(partial) { db in
            let found = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
            guard found == ["ok"] else {
                throw StoreError(.corrupt, "The copy of \(source) is damaged: \(found.first ?? "no answer").")
            }
        }
    }

    private static let writeFailures: [ResultCode] = [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN]

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
        try synchronize(FileName.folder(of: target))
    }

    private static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw StoreError(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
    }
}
