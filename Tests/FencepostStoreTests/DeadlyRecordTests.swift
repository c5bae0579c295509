import FencepostCluster
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import FencepostStore

/// Records of a cluster's log that end the process of who applies them.
@Suite("A record that ends the process") struct DeadlyRecordTests {
    /// What thus would have been the end of the process.
    private struct Ended: Error {}

    private let scratch: Scratch
    private let transport = MemoryLog()
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: WorkJournal.byteCount, alignment: 4096)
    private var log: ReplicatedLog<MemoryLog> { ReplicatedLog(transport, seal: RecordSeal(key: [1])) }

    init() throws {
        scratch = try Scratch()
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: WorkJournal.byteCount)
    }

    /// The journal of the next process.
    private func journal() -> WorkJournal { WorkJournal(memory, version: "1") { _ in } }

    /// Writes records as a leader.
    private func lead(_ commits: Int, name: String = "leader") async throws {
        let mark = try await ReplicatedScratch.lead(scratch.settings(name), log)
        let store = try SQLiteStore(
            scratch.settings(name), limits: SQLiteStore.MaintenanceLimits(),
            log: LeaderLog(
                log, behind: mark, firstID: ReplicatedScratch.newID(), now: { Timestamp(milliseconds: 0) },
                onFailure: { _ in }))
        for number in 0..<commits {
            try await store.write { db in
                try db.execute(sql: "INSERT INTO source VALUES (?, 'h')", arguments: ["\(mark.position)-\(number)"])
            }
        }
        try store.close()
    }

    private func open(_ journal: WorkJournal, name: String = "copy") throws -> ReplicaStore {
        try ReplicaStore(scratch.settings(name), cluster: "c", journal: { journal })
    }

    /// A process that ends while it applies a record.
    private func end(at position: UInt64) throws {
        let journal = journal()
        let copy = try open(journal)
        journal.beginRecord(ReplicaStore.work(at: position, of: "c"))
        journal.noteFault()
        try copy.close()
    }

    @Test("is not applied a third time: the copy stops before it, and goes on where another copy has passed it")
    func setAside() async throws {
        try await lead(8)
        try end(at: 6)
        // A success does not make a fault forgotten.
        var copy = try open(journal())
        let records = try await log.records(behind: 0, limit: 100)
        try copy.apply(Array(records.prefix(3)))
        try copy.close()
        try end(at: 6)

        let journal = journal()
        copy = try open(journal)
        #expect(copy.ends(ofRecordAt: 6)?.faults == 2 && copy.ends(ofRecordAt: 5) == nil)
        try copy.apply(Array(records.dropFirst(3)))
        #expect(copy.mark.position == 5)
        let error = ReplicaError.setAside(position: 6)
        #expect(throws: error) { try copy.apply(Array(records.dropFirst(5))) }
        #expect("\(error)".contains("position 6") && copy.mark.position == 5)
        try copy.close()
        // As `CopyFetcher` does.
        let other = try open(WorkJournal(), name: "other")
        try await ReplicatedScratch.follow(other, log)
        try other.close()
        _ = try Backup.restore(scratch.path("other"), to: scratch.path("copy"), at: MadeUp.start)
        copy = try open(journal)
        #expect(copy.ends(ofRecordAt: 6) == nil, "it is passed")
        try await lead(3)
        try await ReplicatedScratch.follow(copy, log)
        try copy.close()
        let difference = try ReplicatedScratch.difference(scratch.path("leader"), scratch.path("copy"))
        #expect(difference == nil)
    }

    @Test("is applied again by another version, in another cluster, and when somebody says so")
    func again() async throws {
        try await lead(4)
        for _ in 0..<2 { try end(at: 4) }
        var copy = try open(journal())
        #expect(copy.ends(ofRecordAt: 4) != nil)
        copy.forgetEnds(ofRecordAt: 4)
        #expect(copy.ends(ofRecordAt: 4) == nil)
        try await ReplicatedScratch.follow(copy, log)
        try copy.close()
        for _ in 0..<2 { try end(at: 50) }
        copy = try open(WorkJournal(memory, version: "2") { _ in })
        #expect(copy.ends(ofRecordAt: 50) == nil)
        try copy.close()
        for _ in 0..<2 { try end(at: 60) }
        copy = try ReplicaStore(scratch.settings("new"), cluster: "d", journal: { journal() })
        #expect(copy.ends(ofRecordAt: 60) == nil)
        try copy.close()
        copy = try open(journal())
        #expect(copy.ends(ofRecordAt: 60) == nil, "it was forgotten with the other cluster")
        try copy.close()
    }

    @Test("is named by the doctor of its copy")
    func doctor() async throws {
        try await lead(2)
        let path = scratch.path("copy")
        for _ in 0..<2 {
            let journal = try WorkJournalFile.open(nextTo: path, version: FencepostVersion.current)
            let copy = try open(journal)
            journal.beginRecord(ReplicaStore.work(at: 3, of: "c"))
            journal.noteFault()
            try copy.close()
        }
        // The marks of the last process are counted by the next one, and by who only looks.
        let check = try Doctor.examine(path).first { $0.name == "records" }
        #expect(
            check?.problems == ["Record 3 of the cluster's log is set aside: applying it ended the process 2 times."])
    }

    #if DEBUG
        @Test(
            "is never that of an upgrade which fails on the copy of the node that appends it", arguments: [true, false])
        func upgrade(fails: Bool) async throws {
            try await lead(2)
            let work = "schema-\(Schema.next.latest)"
            if !fails {
                for _ in 0..<2 {
                    let former = journal()
                    former.beginRecord(work)
                    former.noteFault()
                }
            }
            let journal = journal()
            let copy = try ReplicaStore(
                scratch.settings("leader"), cluster: "c", known: fails ? Self.failing : .next, journal: { journal })
            let end = try await log.end()
            let record = LogRecord(
                epoch: copy.mark.epoch + 1, position: copy.mark.position + 1, id: ReplicatedScratch.newID(),
                time: MadeUp.start, content: .upgrade(schema: Schema.next.latest))
            let error = await #expect(throws: ReplicaError.self) {
                try copy.checkUpgrade()
                try await copy.upgradeAside(record, in: log)
            }
            #expect(error.map { "\($0)" }?.contains("cannot be upgraded to schema \(Schema.next.latest)") == true)
            let last = try await log.end()
            #expect(last == end && copy.schema == Schema.released.latest)
            try copy.close()
            // A version in which it is mended upgrades it.
            let mended = try ReplicaStore(
                scratch.settings("leader"), cluster: "c", known: .next,
                journal: { WorkJournal(memory, version: "2") { _ in } })
            try mended.checkUpgrade()
            try await mended.upgradeAside(record, in: log)
            #expect(mended.schema == Schema.next.latest && mended.mark.position == record.position)
            try mended.close()
            let follower = try ReplicaStore(scratch.settings("copy"), cluster: "c", known: .next)
            try await ReplicatedScratch.follow(follower, log)
            try follower.close()
            #expect(try ReplicatedScratch.difference(scratch.path("leader"), scratch.path("copy")) == nil)
        }

        /// A step that fails on some rows.
        private static let failing = Schema(
            steps: Schema.released.steps + [
                Migration(
                    version: Schema.next.latest,
                    sql: "CREATE TABLE t (name TEXT CHECK (name = '')) STRICT; INSERT INTO t SELECT name FROM source;")
            ])
    #endif
}
