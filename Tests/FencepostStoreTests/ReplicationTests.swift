import FencepostCluster
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import FencepostStore

/// A log that fails at one append, before or after the record is stored.
private struct FailingLog: CommitLog {
    let log: ReplicatedLog<MemoryLog>
    let count = Counter()
    let failing: Int
    let failure: LogFailure
    /// Whether the record of the failed append is in the log nevertheless.
    let isStored: Bool

    final class Counter: Sendable {
        let value = Mutex(0)
    }

    func append(_ record: LogRecord, behind last: UInt64) async throws(LogFailure) -> UInt64 {
        let number = count.value.withLock { value in
            value += 1
            return value
        }
        guard number == failing else { return try await log.append(record, behind: last) }
        if isStored { _ = try await log.append(record, behind: last) }
        throw failure
    }

    func end() async throws(LogFailure) -> UInt64? { try await log.end() }

    func records(behind last: UInt64, limit: Int) async throws(LogFailure) -> [LoggedRecord] {
        try await log.records(behind: last, limit: limit)
    }
}

private final class Failures: Sendable {
    private let values = Mutex<[LogFailure]>([])

    var all: [LogFailure] { values.withLock { $0 } }

    func add(_ failure: LogFailure) { values.withLock { $0.append(failure) } }
}

@Suite("Replication of the database") struct ReplicationTests {
    private let scratch: Scratch
    private let transport = MemoryLog()
    private var log: ReplicatedLog<MemoryLog> { ReplicatedLog(transport, seal: RecordSeal(key: [1])) }

    init() throws { scratch = try Scratch() }

    private func leader(
        _ name: String, _ log: any CommitLog, partSize: Int = LeaderLog.partSize,
        onFailure: @escaping @Sendable (LogFailure) -> Void = { _ in }
    ) async throws -> SQLiteStore {
        let mark = try await ReplicatedScratch.lead(scratch.settings(name), self.log)
        return try SQLiteStore(
            scratch.settings(name), limits: SQLiteStore.MaintenanceLimits(),
            log: LeaderLog(
                log, behind: mark, firstID: ReplicatedScratch.newID(), partSize: partSize,
                now: { Timestamp(milliseconds: 0) }, onFailure: onFailure))
    }

    private func expectEqualCopies(_ first: String, _ second: String) async throws {
        let copy = try ReplicaStore(scratch.settings(second), cluster: "c")
        try await ReplicatedScratch.follow(copy, log)
        try copy.close()
        let difference = try ReplicatedScratch.difference(scratch.settings(first).path, scratch.settings(second).path)
        #expect(difference == nil)
    }

    private func insert(_ source: String, _ hash: String, into store: SQLiteStore) async throws {
        try await store.write { db in
            try db.execute(sql: "INSERT INTO source VALUES (?, ?)", arguments: [source, hash])
        }
    }

    private func sources(_ name: String) throws -> Int {
        try ReplicatedScratch.content(scratch.settings(name).path).count { $0.hasPrefix("source:") }
    }

    /// One of the ways in which transactions change rows.
    private static func change(_ db: Database, _ random: inout SeededGenerator) throws {
        let number = Int.random(in: 1...20, using: &random)
        let text = "t\(Int.random(in: 0...5, using: &random))"
        switch Int.random(in: 0...9, using: &random) {
        case 0, 1:
            let body = String(repeating: text, count: number)
            try db.execute(
                sql: "UPDATE event SET body = ?2 || 'x' WHERE id = ?1", arguments: ["e\(number)", body])
            if db.changesCount == 0 {
                try db.execute(
                    sql: "INSERT INTO event (id, type, timestamp, received_at, body) VALUES (?, ?, 1, 2, ?)",
                    arguments: ["e\(number)", text, body])
            }
        case 2:
            try db.execute(
                sql: """
                    INSERT INTO delivery (id, endpoint_id, event_id, event_type, is_ordered, status, is_waiting, attempts,
                      created_at, due, headers, body)
                    SELECT 'd' || number || ?1, ?1, id, type, 0, 0, 0, 0, 1, 1, '[]', '' FROM event WHERE true
                    ON CONFLICT DO NOTHING
                    """, arguments: [text])
        case 3:
            try db.execute(
                sql: """
                    INSERT INTO attempt (delivery, number, started_at, nanoseconds)
                    SELECT number, 1, 1, 1 FROM delivery LIMIT ?
                    """, arguments: [number])
        case 4: try db.execute(sql: "DELETE FROM event WHERE id = ?", arguments: ["e\(number)"])
        case 5: try db.execute(sql: "REPLACE INTO source VALUES (?, ?)", arguments: ["s\(number)", text])
        case 6: try db.execute(sql: "DELETE FROM source")
        case 7: try db.cachedStatement(sql: "DELETE FROM forgotten").execute()
        case 8: try db.execute(sql: "INSERT OR IGNORE INTO forgotten VALUES (?, ?)", arguments: [text, number])
        default:
            try db.execute(
                sql: "UPDATE OR REPLACE source SET name = 's' || ?, hash = hash || name WHERE name = 's' || ?",
                arguments: [number, number % 7])
        }
    }

    @Test("copies are equal after any transactions", arguments: 0..<20)
    func equalCopies(_ seed: Int) async throws {
        let store = try await leader("a", log, partSize: 200)
        for round in 0..<40 {
            let seed = UInt64(seed * 1000 + round)
            // One of eight transactions is rolled back.
            _ = try? await store.write { db in
                var random = SeededGenerator(seed: seed)
                for _ in 0..<Int.random(in: 0...6, using: &random) { try Self.change(db, &random) }
                if Int.random(in: 0..<8, using: &random) == 0 { throw StoreError(.invalid, "rolled back") }
            }
        }
        try store.close()
        try await expectEqualCopies("a", "b")
    }

    private func holdsCanary(_ name: String) throws -> Bool {
        try ["", "-wal"].contains { suffix in
            let file = scratch.settings(name).path + suffix
            guard FileManager.default.fileExists(atPath: file) else { return false }
            return try Data(contentsOf: URL(filePath: file)).range(of: Data("canary".utf8)) != nil
        }
    }

    @Test("a note makes a copy overwrite what its pages have of erased rows, also after a restart", arguments: 0..<4)
    func note(_ seed: Int) async throws {
        let store = try await leader("a", log)
        // Rows of very different lengths, so that pages are divided and rows move.
        for round in 0..<60 {
            try await store.write { db in
                var random = SeededGenerator(seed: UInt64(seed * 100 + round))
                for number in 0..<8 {
                    let text = String(
                        repeating: number == 3 ? "canary" : "other.", count: Int.random(in: 1...400, using: &random))
                    try db.execute(
                        sql: "REPLACE INTO source VALUES (?, ?)",
                        arguments: ["s\(Int.random(in: 0...300, using: &random))\(number == 3 ? "c" : "")", text])
                }
            }
        }
        var copy = try ReplicaStore(scratch.settings("b"), cluster: "c")
        try await ReplicatedScratch.follow(copy, log)
        try await store.write { db in try db.execute(sql: "DELETE FROM source WHERE instr(hash, 'canary')") }
        try await ReplicatedScratch.follow(copy, log)
        #expect(try holdsCanary("b"))
        let mark = try #require(await store.noteErasure())
        #expect(mark.position == copy.mark.position + 1)
        try await ReplicatedScratch.follow(copy, log)
        if seed.isMultiple(of: 2) {
            // The process ends before the pages are overwritten.
            try copy.close()
            copy = try ReplicaStore(scratch.settings("b"), cluster: "c")
        }
        #expect(try copy.eraseUnused())
        #expect(try !holdsCanary("b"))
        try copy.close()
        try store.close()
        try await expectEqualCopies("a", "b")
    }

    @Test("a copy says whether its disk can be written, and goes on when it can again") func disk() async throws {
        let store = try await leader("a", log)
        let copy = try ReplicaStore(scratch.settings("b"), cluster: "c")
        try copy.checkDisk()
        let obstacle = scratch.settings("b").path + "-probe"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let error = #expect(throws: StoreError.self) { try copy.checkDisk() }
        #expect(error?.isTemporary == true)
        try FileManager.default.removeItem(atPath: obstacle)
        try copy.checkDisk()
        #expect(!FileManager.default.fileExists(atPath: obstacle))
        try await insert("one", "1", into: store)
        try await ReplicatedScratch.follow(copy, log)
        try copy.close()
        try store.close()
        #expect(try sources("b") == 1)
    }

    @Test("numbers of rows that were removed at once are not given again") func counters() async throws {
        let insert = "INSERT INTO event (id, type, timestamp, received_at, body) VALUES ('e', 't', 1, 2, '')"
        let first = try await leader("a", log)
        try await first.write { db in
            try db.execute(sql: insert)
            try db.execute(sql: "DELETE FROM event")
        }
        try first.close()
        let second = try await leader("b", log)
        try await second.write { db in try db.execute(sql: insert) }
        try second.close()
        #expect(try ReplicatedScratch.content(scratch.settings("b").path).contains { $0.hasPrefix("event: 2,") })
        try await expectEqualCopies("b", "a")
    }

    @Test("a transaction whose append fails is rolled back, and the node leads no longer") func failedAppend()
        async throws
    {
        let failures = Failures()
        let failing = FailingLog(log: log, failing: 2, failure: .unavailable, isStored: false)
        let store = try await leader("a", failing) { failures.add($0) }
        try await insert("one", "1", into: store)
        for name in ["two", "three"] {
            let error = await #expect(throws: StoreError.self) { try await insert(name, "2", into: store) }
            #expect(error?.code == .notLeading)
        }
        try store.close()
        #expect(failures.all == [.unavailable])
        #expect(try sources("a") == 1)
        try await expectEqualCopies("a", "b")
    }

    @Test("what was stored though its append failed is applied when the log is read on") func lostAnswer() async throws
    {
        let failing = FailingLog(log: log, failing: 1, failure: .unavailable, isStored: true)
        let store = try await leader("a", failing)
        await #expect(throws: StoreError.self) { try await insert("one", "1", into: store) }
        try store.close()
        #expect(try sources("a") == 0)
        let again = try await leader("a", log)
        try again.close()
        #expect(try sources("a") == 1)
        try await expectEqualCopies("a", "b")
    }

    @Test("a leader that was replaced acknowledges nothing") func deposed() async throws {
        let old = try await leader("a", log)
        let new = try await leader("b", log)
        try await insert("new", "1", into: new)
        await #expect(throws: StoreError.self) { try await insert("old", "1", into: old) }
        try old.close()
        try new.close()
        try await expectEqualCopies("b", "a")
    }

    @Test("a large transaction is in parts, of which an interrupted one leaves nothing", arguments: [2, 3, 4])
    func parts(_ failing: Int) async throws {
        let failing = FailingLog(log: log, failing: failing, failure: .unavailable, isStored: failing == 3)
        let store = try await leader("a", failing, partSize: 1000)
        let text = String(repeating: "x", count: 3500)
        await #expect(throws: StoreError.self) { try await insert("one", text, into: store) }
        try store.close()
        let next = try await leader("b", log, partSize: 1000)
        try await insert("two", text, into: next)
        try next.close()
        #expect(try sources("b") == 1)
        try await expectEqualCopies("b", "a")
        try await expectEqualCopies("b", "c")
    }

    @Test("a copy that was closed between two parts goes on from the first") func interruptedCopy() async throws {
        let store = try await leader("a", log, partSize: 1000)
        try await insert("one", String(repeating: "x", count: 3500), into: store)
        try store.close()
        for limit in 1...5 {
            let copy = try ReplicaStore(scratch.settings("b"), cluster: "c")
            try copy.apply(try await log.records(behind: copy.mark.sequence, limit: limit))
            try copy.close()
        }
        #expect(try sources("b") == 1)
        try await expectEqualCopies("a", "b")
    }

    @Test("copies are refused where they do not belong") func misuse() async throws {
        try await leader("a", log).close()
        #expect(throws: ReplicaError.otherCluster) { _ = try ReplicaStore(scratch.settings("a"), cluster: "d") }
        #expect(throws: StoreError.self) { _ = try SQLiteStore(scratch.settings("a")) }
        let single = try SQLiteStore(scratch.settings("b"))
        try await insert("one", "1", into: single)
        try await single.write { db in
            try db.execute(sql: "INSERT INTO app VALUES ('a', '', '')")
        }
        try single.close()
        #expect(throws: ReplicaError.notEmpty) { _ = try ReplicaStore(scratch.settings("b"), cluster: "c") }
        #expect(try SQLiteStore.detach(scratch.settings("a").path))
        try SQLiteStore(scratch.settings("a")).close()
    }

    @Test("a commit that does not fit is refused, and nothing of it applied") func divergence() async throws {
        let store = try await leader("a", log)
        try await insert("one", "1", into: store)
        try await expectEqualCopies("a", "b")
        let other = try DatabaseQueue(path: scratch.settings("b").path)
        try await other.write { db in try db.execute(sql: "DELETE FROM source") }
        try other.close()
        try await store.write { db in
            try db.execute(sql: "INSERT INTO forgotten VALUES ('a', 1)")
            try db.execute(sql: "UPDATE source SET hash = '2'")
        }
        try store.close()
        let copy = try ReplicaStore(scratch.settings("b"), cluster: "c")
        let mark = copy.mark
        let records = try await log.records(behind: mark.sequence, limit: 10)
        #expect(throws: ReplicaError.differs) { try copy.apply(records) }
        #expect(copy.mark == mark)
        try copy.close()
        #expect(try !ReplicatedScratch.content(scratch.settings("b").path).contains { $0.hasPrefix("forgotten") })
    }

    @Test("a commit of another format is refused by name") func formats() throws {
        let transaction = ReplicatedTransaction(schema: Schema.current.latest, counters: [], changes: [1, 2])
        #expect(try ReplicatedTransaction(decoding: transaction.encoded) == transaction)
        #expect(throws: ReplicaError.otherFormat(9)) { _ = try ReplicatedTransaction(decoding: [9, 1]) }
        #expect(throws: ReplicaError.unreadable) { _ = try ReplicatedTransaction(decoding: []) }
    }
}
