import FencepostCluster
import FencepostModel
import FencepostService
import Foundation
import GRDB
import Synchronization

@testable import FencepostStore

/// Stores that lead a cluster with a log in memory, and the copies that follow it.
///
/// `FENCEPOST_REPLICATED=1` makes every test that opens a store with `withStore` do so with such a one.
enum ReplicatedScratch {
    static let isOn = ProcessInfo.processInfo.environment["FENCEPOST_REPLICATED"] == "1"
    private static let transports = Mutex<[String: MemoryLog]>([:])

    static func transport(of path: String) -> MemoryLog {
        transports.withLock { transports in
            if let transport = transports[path] { return transport }
            let made = MemoryLog()
            transports[path] = made
            return made
        }
    }

    static func open(_ settings: StorageSettings, _ limits: SQLiteStore.MaintenanceLimits) async throws -> SQLiteStore {
        let log = ReplicatedLog(transport(of: settings.path), seal: RecordSeal(key: [1]))
        let mark = try await lead(settings, log)
        return try SQLiteStore(
            settings, limits: limits,
            log: LeaderLog(
                log, behind: mark, firstID: newID(), now: { Timestamp(milliseconds: 0) }, onFailure: { _ in }))
    }

    static func newID() -> RecordID { RecordID(run: .random(in: .min ... .max), number: 1) }

    /// Brings a copy to the end of the log and appends the records by which it leads.
    static func lead(
        _ settings: StorageSettings, _ log: some CommitLog, known: Schema = .current
    ) async throws -> ReplicaMark {
        let copy = try ReplicaStore(settings, cluster: "c", known: known)
        defer { try? copy.close() }
        try await follow(copy, log)
        let epoch = copy.mark.epoch + 1
        for content in [.lead(LogRecord.Leadership(node: "n", version: "1")), copy.upgrade].compactMap(\.self) {
            let record = LogRecord(
                epoch: epoch, position: copy.mark.position + 1, id: newID(), time: Timestamp(milliseconds: 0),
                content: content)
            let sequence = try await log.append(record, behind: copy.mark.sequence)
            try copy.apply([LoggedRecord(sequence: sequence, predecessor: copy.mark.sequence, content: .record(record))]
            )
        }
        return copy.mark
    }

    static func follow(_ copy: ReplicaStore, _ log: some CommitLog, limit: Int = 7) async throws {
        while true {
            let records = try await log.records(behind: copy.mark.sequence, limit: limit)
            guard !records.isEmpty else { return }
            try copy.apply(records)
        }
    }

    /// The rows of all tables but the copy's own, each as a line.
    static func content(_ path: String) throws -> [String] {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'replica' ORDER BY name")
            return try tables.flatMap { table in
                let columns = try db.columns(in: table).map { "quote(\"\($0.name)\")" }.joined(separator: "||','||")
                return try String.fetchAll(db, sql: "SELECT \(columns) FROM \"\(table)\"").map { "\(table): \($0)" }
                    .sorted()
            }
        }
    }

    /// A sentence on the first row that two databases do not share; `nil` when they are equal.
    static func difference(_ first: String, _ second: String) throws -> String? {
        let (a, b) = (try content(first), try content(second))
        guard a != b else { return nil }
        let index = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
        let rows = [a, b].map { $0.indices.contains(index) ? String($0[index].prefix(200)) : "nothing" }
        return "row \(index) of \(a.count) and \(b.count): \(rows[0]) | \(rows[1])"
    }

    /// Follows the log of a store's database with a new copy, and compares.
    static func difference(fromCopyOf settings: StorageSettings) async throws -> String? {
        var other = settings
        other.path += "-copy-\(UUID())"
        let copy = try ReplicaStore(other, cluster: "c")
        try await follow(copy, ReplicatedLog(transport(of: settings.path), seal: RecordSeal(key: [1])))
        try copy.close()
        return try difference(settings.path, other.path)
    }
}
