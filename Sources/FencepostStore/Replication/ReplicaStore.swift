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
    let queue: DatabaseQueue
    /// The path of the database.
    public let path: String
    let known: Schema
    private let eraser: PageEraser
    let journal: WorkJournal?
    /// What it has changed of the monitor's state.
    public let changes = ReplicaChanges()
    /// Whether a note was applied, and the unused parts of pages are not overwritten since.
    private var mustErase: Bool
    private var transfer: Transfer?
    /// What is stored.
    private var stored: ReplicaMark
    /// The newest record that was read, which is ahead of the stored mark while parts of a commit are missing.
    public private(set) var mark: ReplicaMark
    /// The version of its schema, which changes with the log only; 0 before the first record that has one.
    public private(set) var schema: Int

    /// Opens or creates a copy. Its schema stays as it is, whatever this program knows.
    ///
    /// - Parameters:
    ///   - settings: the settings of the database.
    ///   - cluster: the id of the cluster.
    ///   - journal: notes which record is being applied; it is opened when the database is locked. Without one a record that ends
    ///     the process does so each time.
    /// - Throws: a `StoreError`, or a `ReplicaError` when the database is not one of this cluster.
    public convenience init(
        _ settings: StorageSettings, cluster: String, journal: () -> WorkJournal? = { nil }
    ) throws {
        try self.init(settings, cluster: cluster, known: .current, journal: journal)
    }

    /// `known`: the schemas of another version in tests.
    init(
        _ settings: StorageSettings, cluster: String, known: Schema, journal: () -> WorkJournal? = { nil }
    ) throws {
        self.known = known
        path = settings.path
        let path = path
        eraser = PageEraser(path)
        mustErase = access(path + Self.erasing, F_OK) == 0
        lock = try LockFile(nextTo: path, creates: true)
        self.journal = journal()
        do {
            try SQLiteStore.refuseNewer(path, known)
            var configuration = SQLiteStore.configuration(settings)
            // A row that a foreign key removes is in the changes itself.
            configuration.foreignKeysEnabled = false
            configuration.journalMode = .wal
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            self.queue = queue
            (schema, stored) = try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = \(settings.durability == .full ? "FULL" : "NORMAL")")
                return (try known.version(db, path: path), try Self.mark(db, cluster: cluster))
            }
            mark = stored
        } catch let error as ReplicaError {
            throw error
        } catch {
            throw StoreError(error, path: path)
        }
        self.journal?.forgetRecords { [stored] id in
            // Of another cluster, or applied.
            guard let (position, other) = Self.record(ofWork: id) else { return false }
            return other != cluster || position <= stored.position
        }
    }

    /// The name of a record in the journal, which may outlive the copy and the cluster.
    static func work(at position: UInt64, of cluster: String) -> String { "\(position) \(cluster)" }

    private static func record(ofWork id: String) -> (position: UInt64, cluster: String)? {
        let parts = id.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let position = UInt64(parts[0]) else { return nil }
        return (position, String(parts[1]))
    }

    /// What the record at a position ended, where it is not to be applied; `nil` where it is.
    public func ends(ofRecordAt position: UInt64) -> WorkJournal.Ended? {
        journal?.excessiveRecord(Self.work(at: position, of: mark.cluster))
    }

    /// Lets a record be applied again.
    ///
    /// - Parameter position: the record's position in the log.
    public func forgetEnds(ofRecordAt position: UInt64) {
        let id = Self.work(at: position, of: mark.cluster)
        journal?.forgetRecords { $0 == id }
    }

    private static func mark(_ db: Database, cluster: String) throws -> ReplicaMark {
        if let mark = try ReplicaMark.read(db) {
            guard mark.cluster == cluster else { throw ReplicaError.otherCluster }
            return mark
        }
        for table in ["device", "log", "event", "region", "app", "endpoint", "token", "user"]
        where try db.tableExists(table) {
            guard try Row.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1") == nil else {
                throw ReplicaError.notEmpty
            }
        }
        let mark = ReplicaMark(cluster: cluster)
        try db.inTransaction(.immediate) {
            try db.execute(sql: "PRAGMA application_id = \(Migrations.applicationID)")
            try mark.create(db)
            return .commit
        }
        return mark
    }

    /// The record that a node which leads has to append before its service begins; `nil` when its copy has the newest schema that
    /// it knows.
    public var upgrade: LogRecord.Content? { schema < known.latest ? .upgrade(schema: known.latest) : nil }

    /// Checks that its disk has room for a large commit, and can be written.
    ///
    /// - Throws: a `StoreError`, such as `full`.
    public func checkDisk() throws(StoreError) { try SQLiteStore.probe(nextTo: path) }

    /// Whether it has applied a sealed record, behind which the log has none without a seal.
    public var isSealed: Bool { schema >= Migrations.firstSealed }

    /// Applies the next records of the log in one transaction, and skips what no node of the cluster wrote.
    ///
    /// - Parameter records: records in order, from the successor of the mark. Those from the first one that is set aside are left
    ///   out, which shows in the mark.
    /// - Throws: a `ReplicaError` when they do not fit, or the first one is set aside, or a `StoreError`; nothing of them is applied
    ///   then.
    public func apply(_ records: [LoggedRecord]) throws {
        let records = try applicable(records)
        guard !records.isEmpty else { return }
        if !mustErase, records.contains(where: { $0.record?.content == .note }) {
            // Before the note is applied, so that a crash does not make it forgotten.
            try mark(mustErase: true)
        }
        var (mark, transfer, stored, schema) = (mark, transfer, stored, schema)
        let (known, changes, journal) = (known, changes, journal)
        do {
            try queue.writeWithoutTransaction { db in
                defer { journal?.endRecords() }
                try db.inTransaction(.immediate) {
                    for record in records {
                        if let position = record.record?.position {
                            journal?.beginRecord(Self.work(at: position, of: mark.cluster))
                        }
                        try Self.apply(record, to: db, &mark, &transfer) { db, position, transaction in
                            try Self.bring(&schema, to: transaction.schema, known, db)
                            try changes.note(transaction.changes, at: position)
                        }
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
        (self.mark, self.transfer, self.stored, self.schema) = (mark, transfer, stored, schema)
    }

    /// The records before the first one that has ended the process too often.
    private func applicable(_ records: [LoggedRecord]) throws -> ArraySlice<LoggedRecord> {
        let deadly = records.firstIndex { record in
            record.record.map { ends(ofRecordAt: $0.position) != nil } ?? false
        }
        guard let deadly else { return records[...] }
        if deadly == 0 { throw ReplicaError.setAside(position: records[0].record?.position ?? 0) }
        return records[..<deadly]
    }

    /// As `apply(_:)`. A migration, which may take minutes, runs on a thread outside of the concurrency pool, so that the node
    /// renews its leases meanwhile.
    ///
    /// - Parameter records: as there.
    /// - Throws: as there.
    public func applyAside(_ records: [LoggedRecord]) async throws {
        let mayMigrate = records.contains { if case .upgrade = $0.record?.content { true } else { false } }
        guard mayMigrate else { return try apply(records) }
        nonisolated(unsafe) let store = self  // because its only user waits
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try store.apply(records) })
            }
        }
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

    /// Migrates the copy to the schema that the next record has, within the transaction that applies it.
    ///
    /// A new copy has no schema before its first such record. A commit of a newer schema without the record of an upgrade is one
    /// of the versions before there was that record: all nodes were stopped between two records, and migrated their copies.
    static func bring(_ schema: inout Int, to next: Int, _ known: Schema, _ db: Database) throws {
        guard next != schema else { return }
        guard next > schema else { throw ReplicaError.olderSchema(next, copy: schema) }
        guard next <= known.latest else { throw ReplicaError.newerSchema(next, known: known.latest) }
        try known.run(db, from: schema, through: next)
        schema = next
    }

    /// Notes that the copy was migrated by a record at a mark.
    func didUpgrade(_ mark: ReplicaMark, schema: Int) {
        (self.mark, stored, transfer, self.schema) = (mark, mark, nil, schema)
    }

    /// Applies a record. `prepare` brings the copy to the schema of the transaction at a position, and notes what it is about to
    /// change.
    private static func apply(
        _ logged: LoggedRecord, to db: Database, _ mark: inout ReplicaMark, _ transfer: inout Transfer?,
        prepare: (Database, _ position: UInt64, ReplicatedTransaction) throws -> Void
    ) throws {
        guard logged.sequence > mark.sequence else { throw ReplicaError.outOfOrder(sequence: logged.sequence) }
        guard let record = logged.record else {
            mark.sequence = logged.sequence
            return
        }
        // Records that were trimmed, and what no node wrote behind them: only the positions show that.
        guard record.position <= mark.position + 1 || record.epoch < mark.epoch else {
            throw ReplicaError.missing(after: mark.sequence)
        }
        guard record.position == mark.position + 1, record.epoch >= mark.epoch else {
            throw ReplicaError.outOfOrder(sequence: logged.sequence)
        }
        switch record.content {
        case .commit(let bytes):
            transfer = nil
            let transaction = try ReplicatedTransaction(decoding: bytes)
            try prepare(db, record.position, transaction)
            try transaction.apply(to: db)
        case .upgrade(let schema):
            transfer = nil
            try prepare(db, record.position, ReplicatedTransaction(schema: schema, counters: [], changes: []))
        case .part(let part):
            transfer = try next(transfer, part)
            if let whole = transfer, whole.next == whole.count {
                transfer = nil
                let transaction = try ReplicatedTransaction(decoding: whole.bytes)
                try prepare(db, record.position, transaction)
                try transaction.apply(to: db)
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
            try SQLiteStore.refuseNewer(path, .current)
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { db in
                let mark = try ReplicaMark.read(db)
                guard mark?.position ?? 0 == 0 else { throw ReplicaError.otherCluster }
                // No log has records of it yet.
                try Schema.current.migrate(db, path: path)
                if let mark { return mark.cluster }
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
