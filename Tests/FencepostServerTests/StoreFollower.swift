import FencepostCluster
import FencepostModel
import FencepostMonitor
import FencepostService
import FencepostStore
import FencepostTesting
import Foundation
import Logging
import Synchronization

/// A copy of a leader's database in which a monitor stands by, as on a node that follows.
actor StoreFollower {
    private let log: ReplicatedLog<MemoryLog>
    private let copy: ReplicaStore
    private let standby: StandbyMonitor
    /// Events that only the leader's evaluation or only that of the monitor had.
    private let divergences: Divergences
    private var random = SeededGenerator(seed: 1)

    /// Counts events that differ.
    private final class Divergences: Sendable {
        let count = Mutex(0)
    }

    /// Creates a store that leads, and its follower.
    ///
    /// - Parameter folder: the folder of both databases.
    /// - Returns: both.
    /// - Throws: when they cannot be opened.
    static func begin(in folder: URL) async throws -> (store: SQLiteStore, follower: StoreFollower) {
        let log = ReplicatedLog(MemoryLog(), seal: RecordSeal(key: [1]))
        let first = try ReplicaStore(settings(folder, "test"), cluster: "c")
        for content in [.lead(LogRecord.Leadership(node: "n", version: "1")), first.upgrade].compactMap(\.self) {
            let record = LogRecord(
                epoch: 1, position: first.mark.position + 1, id: newID(), time: TestServer.now, content: content)
            let sequence = try await log.append(record, behind: first.mark.sequence)
            try first.apply([
                LoggedRecord(sequence: sequence, predecessor: first.mark.sequence, content: .record(record))
            ])
        }
        try first.close()
        let leader = LeaderLog(
            log, behind: first.mark, firstID: newID(), now: { TestServer.now }, onFailure: { _ in })
        return (
            try SQLiteStore(settings(folder, "test"), log: leader),
            try await StoreFollower(log, settings(folder, "copy"))
        )
    }

    private static func settings(_ folder: URL, _ name: String) -> StorageSettings {
        var settings = StorageSettings()
        settings.path = folder.appending(path: "\(name).sqlite").path
        settings.durability = .relaxed
        return settings
    }

    private static func newID() -> RecordID { RecordID(run: .random(in: .min ... .max), number: 1) }

    private init(_ log: ReplicatedLog<MemoryLog>, _ settings: StorageSettings) async throws {
        let copy = try ReplicaStore(settings, cluster: "c")
        (self.log, self.copy) = (log, copy)
        // Until then it has no tables.
        try copy.apply(try await log.records(behind: 0, limit: 2))
        let divergences = Divergences()
        self.divergences = divergences
        standby = try Self.standby(of: copy, copy.changes) { count in divergences.count.withLock { $0 += count } }
    }

    private static func standby(
        of copy: ReplicaStore, _ changes: ReplicaChanges, _ onDivergence: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> StandbyMonitor {
        StandbyMonitor(
            try ReplicaStates(of: copy.path, changes), settings: MonitorSettings(), logger: Logger(label: "standby"),
            onDivergence: onDivergence)
    }

    /// Applies some of what the leader has written, and lets the monitor follow.
    func follow() async throws {
        let records = try await log.records(
            behind: copy.mark.sequence, limit: Int.random(in: 1...20, using: &random))
        guard !records.isEmpty else { return }
        try copy.apply(records)
        standby.followSoon(comparing: 1)
    }

    /// Applies everything, and compares the monitor with one that has just loaded the copy.
    ///
    /// - Returns: a sentence on the first difference; `nil` for none.
    func difference() async throws -> String? {
        while true {
            let records = try await log.records(behind: copy.mark.sequence, limit: 200)
            if records.isEmpty { break }
            try copy.apply(records)
        }
        // Nothing is written any more that it would have to read.
        let loaded = try Self.standby(of: copy, ReplicaChanges())
        let difference = await standby.difference(fromLoaded: loaded)
        try await loaded.close()
        let count = divergences.count.withLock { $0 }
        guard difference == nil, count > 0 else { return difference }
        return "\(count) events differ between the leader's evaluation and that of the copy"
    }

    /// Closes the copy.
    func close() async throws {
        try await standby.close()
        try copy.close()
    }
}
