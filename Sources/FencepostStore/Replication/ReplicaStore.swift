public import FencepostCluster
import FencepostFiles
public import FencepostService
import Foundation
import GRDB

/// A copy of a cluster's database that follows the log: what a node has open while another one leads.
public final class ReplicaStore {
    /// The parts of a commit whose last one has not been read yet.
    private struct Transfer {
        var id: RecordID
        var count: Int
        var bytes: [UInt8]
        var next: Int
    }

    private let lock: LockFile
    private let queue: DatabaseQueue
    private let path: String
    private let eraser: PageEraser
    /// Whether a note was applied, and the unused parts of pages are not overwritten since.
    private var mustErase: Bool
    private var transfer: Transfer?
    /// What is stored.
    private var stored: ReplicaMark
    /// The newest record that was read, which is ahead of the stored mark while parts of a commit are missing.
    public private(set) var mark: ReplicaMark

    /// Opens or creates a copy, and migrates its schema.
    ///
    /// - Parameters:
    ///   - settings: the settings of the database.
    ///   - cluster: the id of the cluster.
    /// - Throws: a `StoreError`, or a `ReplicaError` when the database is not one of this cluster.
    public init(_ settings: StorageSettings, cluster: String) throws {
        path = settings.path
        let path = path
        eraser = PageEraser(path)
        mustErase = access(path + Self.erasing, F_OK) == 0
        lock = try LockFile(nextTo: path, creates: true)
        do {
            try SQLiteStore.refuseNewer(path)
            var configuration = SQLiteStore.configuration(settings)
            // A row that a foreign key removes is in the changes itself.
            configuration.foreignKeysEnabled = false
            configuration.journalMode = .wal
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            self.queue = queue
            stored = try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = \(settings.durability == .full ? "FULL" : "NORMAL")")
                try Migrations.run(db, path: path)
                return try Self.mark(db, cluster: cluster)
            }
            mark = stored
        } catch let error as ReplicaError {
            throw error
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private static func mark(_ db: Database, cluster: String) throws -> ReplicaMark {
        if let mark = try ReplicaMark.read(db) {
            guard mark.cluster == cluster else { throw ReplicaError.otherCluster }
            return mark
        }
        for table in ["device", "log", "event", "region", "app", "endpoint", "token", "user"] {
            guard try Row.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1") == nil else {
                throw ReplicaError.notEmpty
            }
        }
        let mark = ReplicaMark(cluster: cluster)
        try mark.create(db)
        return mark
    }

    /// Checks that its disk has room for a large commit, and can be written.
    ///
    /// - Throws: a `StoreError`, such as `full`.
    public func checkDisk() throws(StoreError) { try SQLiteStore.probe(nextTo: path) }

    /// Applies the next records of the log in one transaction.
    ///
    /// - Parameter records: records in order, from the successor of the mark.
    /// - Throws: a `ReplicaError` when they do not fit, or a `StoreError`; nothing of them is applied then.
    public func apply(_ records: [LoggedRecord]) throws {
        guard !records.isEmpty else { return }
        if !mustErase, records.contains(where: { $0.record.content == .note }) {
            // Before the note is applied, so that a crash does not make it forgotten.
            try mark(mustErase: true)
        }
        var (mark, transfer, stored) = (mark, transfer, stored)
        do {
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    for record in records {
                        try Self.apply(record, to: db, &mark, &transfer)
                        if transfer == nil { stored = mark }
                    }
                    try stored.write(db)
                    return .commit
                }
            }
        } catch let error as ReplicaError {
            throw error
        } catch {
            throw StoreError(error, path: path)
        }
        (self.mark, self.transfer, self.stored) = (mark, transfer, stored)
    }

    /// The end of the name of a file that is there while unused parts of pages have to be overwritten.
    private static let erasing = ".erasing"

    private func mark(mustErase: Bool) throws(StoreError) {
        let file = path + Self.erasing
        if mustErase {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw StoreError(.inputOutput, "\(file) cannot be created: \(String(cString: strerror(errno))).")
            }
            fsync(descriptor)
            Foundation.close(descriptor)
        } else {
            unlink(file)
        }
        self.mustErase = mustErase
    }

    /// Overwrites the unused parts of the database's pages when a note asked for it: they may have bytes of erased rows.
    ///
    /// - Returns: false when a reader prevents it, after which it has to be called again.
    /// - Throws: a `StoreError`.
    public func eraseUnused() throws(StoreError) -> Bool {
        guard mustErase else { return true }
        let eraser = eraser
        do {
            let isDone = try queue.writeWithoutTransaction { db in try eraser.scrub(db) }
            guard isDone else { return false }
        } catch {
            throw StoreError(error, path: path)
        }
        try mark(mustErase: false)
        return true
    }

    private static func apply(
        _ logged: LoggedRecord, to db: Database, _ mark: inout ReplicaMark, _ transfer: inout Transfer?
    ) throws {
        let record = logged.record
        guard record.position == mark.position + 1, record.epoch >= mark.epoch, logged.sequence > mark.sequence else {
            throw ReplicaError.outOfOrder(sequence: logged.sequence)
        }
        switch record.content {
        case .commit(let bytes):
            transfer = nil
            try ReplicatedTransaction(decoding: bytes).apply(to: db)
        case .part(let part):
            transfer = try next(transfer, part)
            if let whole = transfer, whole.next == whole.count {
                transfer = nil
                try ReplicatedTransaction(decoding: whole.bytes).apply(to: db)
            }
        case .lead, .note:
            transfer = nil
        }
        (mark.sequence, mark.position, mark.epoch) = (logged.sequence, record.position, record.epoch)
    }

    /// A commit with one more part. Parts that another record interrupts belong to a transaction that was rolled back.
    private static func next(_ transfer: Transfer?, _ part: LogRecord.Part) throws -> Transfer {
        if part.index == 0 { return Transfer(id: part.transfer, count: part.count, bytes: part.bytes, next: 1) }
        guard var transfer, transfer.id == part.transfer, transfer.count == part.count, transfer.next == part.index
        else { throw ReplicaError.unreadable }
        transfer.bytes += part.bytes
        transfer.next += 1
        return transfer
    }

    /// Closes the copy.
    ///
    /// - Throws: a `StoreError`.
    public func close() throws(StoreError) {
        do {
            try queue.close()
            lock.release()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Makes the database of a single node the first copy of a new cluster, from which the other nodes fetch theirs.
    ///
    /// - Parameters:
    ///   - path: the path of the database, which no service has open.
    ///   - cluster: the id of the new cluster.
    /// - Returns: the id of the cluster: that of an earlier call if it was not used yet.
    /// - Throws: a `StoreError`, or `ReplicaError.otherCluster` when it is a copy that has applied records.
    public static func found(_ path: String, cluster: String) throws -> String {
        let lock = try LockFile(nextTo: path)
        defer { withExtendedLifetime(lock) {} }
        do {
            try SQLiteStore.refuseNewer(path)
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { db in
                try Migrations.run(db, path: path)
                if let mark = try ReplicaMark.read(db) {
                    guard mark.position == 0 else { throw ReplicaError.otherCluster }
                    return mark.cluster
                }
                try db.inTransaction {
                    try ReplicaMark(cluster: cluster).create(db)
                    return .commit
                }
                return cluster
            }
        } catch let error as ReplicaError {
            throw error
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The mark of a database file.
    ///
    /// - Parameter path: the path.
    /// - Returns: `nil` when there is no file, or it is of a single node.
    /// - Throws: a `StoreError` when it cannot be read.
    public static func mark(of path: String) throws(StoreError) -> ReplicaMark? {
        guard FileIdentity(path: path) != nil else { return nil }
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in try ReplicaMark.read(db) }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
