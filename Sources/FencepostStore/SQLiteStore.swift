import FencepostModel
public import FencepostService
import Foundation
import GRDB
import Synchronization

/// Everything that Fencepost must not lose, in one SQLite file.
///
/// One process opens it, and in it one connection writes and moves the write-ahead log into the file (rule D3); others
/// only read. What each method writes is there as a whole when it returns, and not at all when it throws a
/// `StoreError`. `docs/storage.md` has the layout.
public final class SQLiteStore: Sendable {
    public let path: String
    let settings: StorageSettings
    let pool: DatabasePool
    let tail = LogTail()
    let gate = Gate()
    let upkeep: Upkeep
    let scrubber: PageScrubber
    /// Whether there may be rows of regions that count no more.
    let hasOldRegions = Atomic(true)
    private let lock: LockFile
    /// With an external checkpointer a connection that only reads is held open to the last, because the last one to be
    /// closed would otherwise empty the write-ahead log.
    private let keeper: DatabaseQueue?

    /// Opens or makes the database, and brings its schema up to date.
    ///
    /// - Throws: `locked` when a process has it open, `newerSchema` (rule D4), `cannotOpen`, `corrupt`, `full`.
    public convenience init(_ settings: StorageSettings) throws(StoreError) {
        try self.init(settings, upkeep: Upkeep())
    }

    init(_ settings: StorageSettings, upkeep: Upkeep) throws(StoreError) {
        path = settings.path
        self.upkeep = upkeep
        scrubber = PageScrubber(settings.path)
        self.settings = settings
        let path = settings.path
        lock = try LockFile(beside: path)
        do {
            try Self.refuseNewer(path)
            pool = try DatabasePool(path: path, configuration: Self.configuration(settings))
            try pool.writeWithoutTransaction { db in
                // The pool has just set NORMAL, with which the last commits are lost in a power cut (rule D1).
                try db.execute(sql: "PRAGMA synchronous = \(settings.durability == .full ? "FULL" : "NORMAL")")
                try Migrations.run(db, path: path)
                // Whoever made these requests has had no answer, and asks again.
                try db.execute(sql: "DELETE FROM idempotency WHERE status IS NULL")
            }
            if settings.checkpoint == .external {
                var configuration = GRDB.Configuration()
                configuration.readonly = true
                keeper = try DatabaseQueue(path: path, configuration: configuration)
                try keeper?.read { db in _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM store") }
            } else {
                keeper = nil
            }
            try pool.read { [tail] db in try tail.load(db) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    public convenience init(path: String) throws(StoreError) {
        var settings = StorageSettings()
        settings.path = path
        try self.init(settings)
    }

    /// The sizes of pieces in which the log is sorted.
    struct Upkeep: Sendable {
        /// How many fixes wait in the log before they are sorted, so that each device gets several at once.
        var batch = 600_000
        /// How long they wait at most.
        var patience = Duration.seconds(300)
        /// Of how many devices, and of about how many fixes, segments are written in one transaction.
        var sliceDevices = 100
        var sliceFixes = 5000
        /// From so many batches on nobody is spared any more.
        var urgency = 8
        /// How many small segments of a device are put together.
        var mergeCount = 8
    }

    /// Writes the log into the database file and gives everything back; what is asked for later throws `closed`.
    public func close() throws(StoreError) {
        do {
            if settings.checkpoint == .automatic {
                // Somebody still reading keeps it from emptying the log; then the next start does.
                _ = try? pool.writeWithoutTransaction { db in try Self.checkpoint(db) }
            }
            try pool.close()
            try keeper?.close()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Which version of the schema this program writes.
    public static var schemaVersion: Int { Migrations.latest }

    private static func configuration(_ settings: StorageSettings) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "fencepost"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.qos = .userInitiated
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA mmap_size = 0")
            guard !db.configuration.readonly else {
                try db.execute(sql: "PRAGMA cache_size = -8192")
                return
            }
            // A block of the disk and of the kernel's cache: a commit of one fix changes two pages, and each goes into
            // the log whole. Counts only for a new file.
            try db.execute(sql: "PRAGMA page_size = 4096")
            // Holds the ends of the indexes that are written to, so that a commit reads nothing; in KiB.
            try db.execute(sql: "PRAGMA cache_size = -32768")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // Pages after which the commit that wrote the last one moves the log into the file; Litestream does it
            // itself.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(settings.checkpoint == .external ? 0 : 1000)")
            // What a long reader made the log grow to is given back.
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    /// Looks at the file before anything is written to it.
    private static func refuseNewer(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        _ = try queue.read { db in try Migrations.version(db, path: path) }
        try queue.close()
    }

    /// Moves the whole log into the file and empties it.
    ///
    /// - Returns: whether nobody was reading it.
    @discardableResult
    static func checkpoint(_ db: Database) throws -> Bool {
        // The writer waits for readers here and everybody for the writer: better to try again.
        try db.execute(sql: "PRAGMA busy_timeout = 20")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = 10000") }
        let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        return row?[0] == 0
    }
}

extension SQLiteStore {
    /// Runs on the one connection that writes, in a transaction; commits when the body returns.
    ///
    /// It is not given up when the task is cancelled: the caller would not know what became of it.
    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        try await writeWithoutTransaction { db in
            var result: T?
            try db.inTransaction(.immediate) {
                result = try body(db)
                return .commit
            }
            guard let result else { throw StoreError(.invalid, "A transaction ended without a result.") }
            return result
        }
    }

    func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        let path = path
        let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { db in
                do {
                    continuation.resume(returning: .success(try body(db)))
                } catch {
                    continuation.resume(returning: .failure(StoreError(error, path: path)))
                }
            }
        }
        return try result.get()
    }

    /// Runs on a connection that sees the database as it is at the start, whatever is written meanwhile.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(StoreError) -> T {
        do {
            return try await pool.read(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }
}

extension LogTail {
    /// Reads what there is of the log, without its fixes.
    func load(_ db: Database) throws {
        let archive = try ArchiveState(db)
        for row in try Row.fetchAll(db, sql: "SELECT id, position FROM device") { note(DeviceID(row[0]), at: row[1]) }
        raiseFloor(to: try LogPosition.fetchOne(db, sql: "SELECT replay_floor FROM store") ?? 0)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT position, count, received_at, devices FROM log ORDER BY position")
        while let row = try rows.next() {
            let position: LogPosition = row[0]
            let isArchived = position <= archive.through
            append(
                position, devices: isArchived ? [] : try DeviceList.decode([UInt8](row[3] as Data? ?? Data())),
                count: row[1], receivedAt: Timestamp(milliseconds: row[2]), isArchived: isArchived)
        }
    }
}

/// Lets one in at a time; others wait for their turn.
///
/// What is done in slices, between which commits go on, is done by one of its kind at a time: no one else then changes
/// the rows that it read before.
actor Gate {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if !isTaken {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
