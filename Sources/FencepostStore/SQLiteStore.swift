import FencepostFiles
public import FencepostModel
public import FencepostService
import Foundation
import GRDB
import Synchronization

/// All stores in one SQLite database.
///
/// One process opens it. In that process, one connection writes and checkpoints the write-ahead log (rule D3); the others
/// only read. Each method is atomic: its writes are durable when it returns, except those of `settle` as it says, and none
/// of them happened when it throws a `StoreError`. `docs/storage.md` has the schema.
public final class SQLiteStore: Sendable {
    /// Path of the database file.
    public let path: String
    let settings: StorageSettings
    let schema: Schema
    let pool: DatabasePool
    /// Reads: the pool, or a snapshot that stays as it is.
    private let reader: any DatabaseReader
    let tail = LogTail()
    let eventTail = EventTail()
    let direct = DirectDeliveries()
    let maintenanceLock = MaintenanceLock()
    let limits: MaintenanceLimits
    let access: DatabaseAccess
    /// How often the writing connection was asked for, so that maintenance knows whether somebody else needs it.
    let writes = Atomic<Int>(0)
    let pageEraser: PageEraser
    /// What SQLite dropped from the write-ahead log at the opening, as a sentence for people; `nil` for a sound log.
    public let logProblem: String?
    /// A time that had certainly passed at the opening; `nil` in a store that never had a fix.
    public let trustedTimeAtOpening: Timestamp?
    /// `nil` for a store that only reads.
    private let lock: LockFile?
    let file: DatabaseFile
    /// The cluster's log, which each transaction is appended to; `nil` on a single node.
    let log: LeaderLog?
    private let recording = ChangeSession.Holder()
    /// With an external checkpointer, a read-only connection that is closed last. Otherwise the close of the last writing
    /// connection would empty the write-ahead log.
    private let idleReader: DatabaseQueue?

    /// Opens or creates the database of a single node, and migrates its schema.
    ///
    /// - Throws: a `StoreError`: `locked` when another process has it open, `newerSchema` (rule D4), `cannotOpen`, `corrupt`, `full`.
    public convenience init(_ settings: StorageSettings) throws(StoreError) {
        try self.init(settings, limits: MaintenanceLimits())
    }

    /// Opens the copy of a node that leads its cluster: each transaction is appended to the log before it is committed.
    ///
    /// - Parameters:
    ///   - settings: the settings of the database, which a `ReplicaStore` has created and has closed.
    ///   - log: the log, behind what the copy has applied.
    /// - Throws: as `init(_:)`.
    public convenience init(_ settings: StorageSettings, log: LeaderLog) throws(StoreError) {
        try self.init(settings, limits: MaintenanceLimits(), log: log)
    }

    /// `access`: other than `.concurrent` in simulations, which have one thread.
    package convenience init(
        _ settings: StorageSettings, limits: MaintenanceLimits, access: DatabaseAccess = .concurrent,
        log: LeaderLog? = nil
    ) throws(StoreError) {
        try self.init(settings, limits: limits, access: access, log: log, schema: .current)
    }

    /// `schema`: that of another version in tests.
    init(
        _ settings: StorageSettings, limits: MaintenanceLimits, access: DatabaseAccess = .concurrent,
        log: LeaderLog? = nil, schema: Schema
    ) throws(StoreError) {
        self.log = log
        self.schema = schema
        path = settings.path
        self.limits = limits
        self.access = access
        pageEraser = PageEraser(settings.path)
        self.settings = settings
        let path = settings.path
        let lock = try LockFile(nextTo: path, creates: true)
        self.lock = lock
        file = DatabaseFile(path, identity: lock.identity)
        // Before SQLite reads the log, because it empties it.
        logProblem = WriteAheadLog(of: FileName.canonical(path))?.problem
        do {
            try Self.refuseNewer(path, schema)
            pool = try DatabasePool(path: path, configuration: Self.configuration(settings))
            reader = pool
            try pool.writeWithoutTransaction { [recording] db in
                if log != nil {
                    let session = try ChangeSession(db)
                    recording.session.withLock { $0 = session }
                }
                // GRDB's pool sets NORMAL, which loses the last commits in a power cut (rule D1).
                try Self.setSynced(settings.durability == .full, db)
                // Before the schema: that of a copy changes with its cluster's log only.
                try Self.check(try ReplicaMark.read(db), log, path: path)
                if log == nil {
                    try schema.migrate(db, path: path)
                    // The copies of a cluster do it as its leader, in maintenance.
                    try Self.writeRunsOfOlderEvents(db, limits)
                    // In a cluster it is the leader's first transaction.
                    try Self.forgetUnfinishedRequests(db)
                } else if try schema.version(db, path: path) < schema.latest {
                    throw StoreError(.notLeading, "\(path) has not the schema of this version yet.")
                }
            }
            if settings.checkpoint == .external {
                var configuration = GRDB.Configuration()
                configuration.readonly = true
                idleReader = try DatabaseQueue(path: path, configuration: configuration)
                try idleReader?.read { db in _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM store") }
            } else {
                idleReader = nil
            }
            try pool.read { [tail, eventTail] db in
                try tail.load(db)
                try eventTail.load(db, filtersIDs: true)
            }
            trustedTimeAtOpening = try pool.read { db in try Self.trustedTime(db) }
            try file.check()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Opens or creates a database with default settings, as `init(_:)`.
    public convenience init(path: String) throws(StoreError) {
        var settings = StorageSettings()
        settings.path = path
        try self.init(settings)
    }

    /// Opens the database as it is now, for reading, also while a service has it open. Writes throw.
    ///
    /// The write-ahead log grows while it is open, because a snapshot needs its pages.
    ///
    /// - Throws: a `StoreError`: `cannotOpen` without a database, `newerSchema`, `corrupt`; `invalid` for the schema of an
    ///   older version, which only a start migrates.
    public init(reading settings: StorageSettings) throws(StoreError) {
        path = settings.path
        limits = MaintenanceLimits()
        access = .concurrent
        pageEraser = PageEraser(settings.path)
        self.settings = settings
        schema = .current
        lock = nil
        log = nil
        logProblem = nil
        idleReader = nil
        let path = settings.path
        file = DatabaseFile(path, identity: FileIdentity(path: path))
        do {
            guard file.problem() == nil, FileIdentity(path: path) != nil else {
                throw StoreError(.cannotOpen, "There is no database \(path).")
            }
            var configuration = Self.configuration(settings)
            configuration.readonly = true
            pool = try DatabasePool(path: path, configuration: configuration)
            let snapshot = try pool.makeSnapshot()
            reader = snapshot
            let schema = schema
            guard try snapshot.read({ db in try schema.version(db, path: path) }) == schema.latest else {
                throw StoreError(
                    .invalid, "\(path) is of an older version of Fencepost. Start the service of this version once.")
            }
            try snapshot.read { [tail, eventTail] db in
                try tail.load(db)
                try eventTail.load(db, filtersIDs: false)
            }
            trustedTimeAtOpening = try snapshot.read { db in try Self.trustedTime(db) }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Limits of the maintenance.
    package struct MaintenanceLimits: Sendable {
        /// Fixes of the log that are archived at a time, so that each device gets several in one segment.
        package var batch = 600_000
        /// Time after which fewer fixes are archived too.
        package var maximumWait = Duration.seconds(300)
        /// Devices, and about how many fixes, whose segments are written in one transaction.
        package var sliceDevices = 100
        package var sliceFixes = 5000
        /// Batches of backlog from which maintenance no longer pauses between transactions.
        package var backlogFactor = 8
        /// Small segments of a device from which they are merged.
        package var mergeCount = 8
        /// New events that get a run of their own.
        package var eventBatch = 20_000
        /// Small runs of events that become one.
        package var eventMerge = 16
        /// Pages of lists of events that are written in one transaction.
        package var eventPages = 250
        /// New events from which maintenance no longer pauses between transactions.
        package var eventBacklog = 300_000

        /// The limits of the service.
        package init() {}
    }

    /// Checkpoints the write-ahead log and closes the database. Later calls throw `closed`.
    public func close() throws(StoreError) {
        do {
            if settings.checkpoint == .automatic, lock != nil {
                // A reader may prevent it; then the next start checkpoints the log.
                _ = try? pool.writeWithoutTransaction { db in try Self.checkpoint(db) }
            }
            recording.session.withLock { $0 = nil }
            try pool.close()
            try idleReader?.close()
            lock?.release()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// What happened to the files of the database; `nil` while they are where the next start looks for them.
    public func misplacement() -> String? { file.problem() }

    /// Version of the newest schema that this program knows.
    public static var schemaVersion: Int { Schema.current.latest }

    static func configuration(_ settings: StorageSettings) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "fencepost"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.qos = .userInitiated
        configuration.prepareDatabase { db in
            db.add(function: EventColumns.sequence)
            db.add(function: EventColumns.alert)
            try db.execute(sql: "PRAGMA mmap_size = 0")
            guard !db.configuration.readonly else {
                try db.execute(sql: "PRAGMA cache_size = -8192")
                return
            }
            // The size of a disk block: a commit of one fix changes two pages, and the log contains whole pages. It takes
            // effect only for a new file.
            try db.execute(sql: "PRAGMA page_size = 4096")
            // In KiB; large enough for the ends of all indexes, so that a commit reads nothing.
            try db.execute(sql: "PRAGMA cache_size = -32768")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // Pages in the log after which a commit checkpoints it. An external checkpointer such as Litestream does it
            // instead.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = \(settings.checkpoint == .external ? 0 : 1000)")
            // Truncates a log that grew during a long read.
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    /// Checks the schema version before anything is written.
    static func refuseNewer(_ path: String, _ schema: Schema) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            _ = try queue.read { db in try schema.version(db, path: path) }
            try queue.close()
        } catch DatabaseError.SQLITE_READONLY {
            // An interrupted first start left a rollback journal, which this connection may not play back. The writing
            // one does, and checks the version before it writes anything of its own.
        }
    }

    /// Sets whether commits are synced.
    private static func setSynced(_ isSynced: Bool, _ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
    }

    /// Checkpoints the whole write-ahead log and truncates it.
    ///
    /// - Returns: false when a reader prevented it.
    @discardableResult
    static func checkpoint(_ db: Database) throws -> Bool {
        // A long wait for readers would block all commits, so the caller tries again instead.
        try db.execute(sql: "PRAGMA busy_timeout = 20")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = 10000") }
        let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        return try row?[0] == 0
    }
}

extension SQLiteStore {
    /// Runs a transaction on the writing connection.
    ///
    /// A cancellation of the task does not cancel it, because the caller could not know whether it was committed.
    ///
    /// `isSynced` is whether it has to survive a power cut alone, without a later commit, where `settings.durability` says
    /// so.
    ///
    /// - Returns: the result of the body.
    /// - Throws: a `StoreError`; nothing is written then.
    func write<T: Sendable>(
        isSynced: Bool = true, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        let isUnsynced = !isSynced && settings.durability == .full
        return try await writeWithoutTransaction { db in
            guard isUnsynced else { return try self.transaction(db, body) }
            try Self.setSynced(false, db)
            let result = Result { try self.transaction(db, body) }
            // It is refused only within a transaction, and there is none.
            try Self.setSynced(true, db)
            return try result.get()
        }
    }

    /// Runs a transaction on the writing connection, which is all that writes; in a cluster its changes go to the log first.
    ///
    /// - Throws: the body's error, or one of the database or the log; nothing is written then.
    func transaction<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        try eventTail.refresh(db)
        do {
            let result = try unnoticedTransaction(db, body)
            eventTail.publish()
            return result
        } catch {
            eventTail.fail(db)
            throw error
        }
    }

    private func unnoticedTransaction<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
        if let log { return try log.transaction(db, schema: schema.latest, body) }
        var result: T?
        try db.inTransaction(.immediate) {
            result = try body(db)
            return .commit
        }
        guard let result else { throw StoreError(.invalid, "A transaction ended without a result.") }
        return result
    }

    /// Runs on the writing connection.
    ///
    /// - Throws: `moved` also when the write succeeded, because the next start would not find it.
    func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(StoreError) -> T {
        let path = path
        writes.add(1, ordering: .relaxed)
        if case .inTurn(let turn) = access {
            await turn(.zero)
            return try writeNow(body)
        }
        let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { db in
                do {
                    continuation.resume(returning: .success(try body(db)))
                } catch {
                    continuation.resume(returning: .failure(StoreError(error, path: path)))
                }
            }
        }
        let value = try result.get()
        try file.check()
        return value
    }

    /// As `writeWithoutTransaction`, on the calling thread.
    private func writeNow<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        let value: T
        do {
            value = try pool.writeWithoutTransaction(body)
        } catch {
            throw StoreError(error, path: path)
        }
        try file.check()
        return value
    }

    private func readNow<T>(_ body: (Database) throws -> T) throws -> T { try reader.read(body) }

    /// Runs on a reading connection, with a snapshot of the database.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws(StoreError) -> T {
        do {
            if case .inTurn(let turn) = access {
                await turn(.zero)
                return try readNow(body)
            }
            return try await reader.read(body)
        } catch {
            throw StoreError(error, path: path)
        }
    }
}

extension LogTail {
    /// Loads the positions and devices of the log, without its fixes.
    func load(_ db: Database) throws {
        let archive = try ArchiveState(db)
        for row in try Row.fetchAll(db, sql: "SELECT id, position FROM device") {
            try note(DeviceID(row[0]), at: row[1])
        }
        raiseFloor(to: try LogPosition.fetchOne(db, sql: "SELECT replay_floor FROM store") ?? 0)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT position, count, received_at, devices FROM log ORDER BY position")
        while let row = try rows.next() {
            let position: LogPosition = try row[0]
            let isArchived = position <= archive.through
            try append(
                position, devices: isArchived ? [] : try DeviceList.decode([UInt8](row[3] as Data? ?? Data())),
                count: row[1], receivedAt: Timestamp(milliseconds: row[2]), isArchived: isArchived)
        }
    }
}

/// An asynchronous lock. Its holders proceed one at a time, in the order of their calls.
///
/// Maintenance, retention and erasure work in many small transactions, between which commits proceed. The lock prevents
/// that one of them changes rows that another has read.
actor MaintenanceLock {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func acquire() async {
        if !isTaken {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func release() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
