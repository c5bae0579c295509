import FencepostFiles
import FencepostModel
import FencepostService
import Foundation
import GRDB
import Testing

@testable import FencepostStore

@Suite("A restore that ends early") struct RestoreTests {
    private struct PowerCut: Error {}

    private static func fill(_ store: SQLiteStore, _ positions: ClosedRange<LogPosition>) async throws {
        for position in positions {
            var commit = Commit.of(position, at: position, (0..<5).map { .at("d\($0)", position) })
            commit.events = [.made("evt_\(position)", at: position, sequence: Int(position))]
            try await store.commit(commit)
        }
    }

    /// The last commit that a start finds.
    private static func position(_ path: String) async throws -> LogPosition {
        let store = try SQLiteStore(path: path)
        let position = try await store.load().position
        try store.close()
        return position
    }

    @Test(
        "leaves the old database with its last commit, or the new one", arguments: Backup.RestoreStep.allCases)
    func atEachStep(step: Backup.RestoreStep) async throws {
        let scratch = try Scratch()
        let backup = scratch.path("backup.sqlite")
        try await withStore(scratch) { try await Self.fill($0, 1...5) }
        try Backup.make(of: scratch.database, to: OutputFile(backup))
        // The last commits are in the write-ahead log alone, as after a kill.
        try await withStore(scratch, { $0.checkpoint = .external }) { try await Self.fill($0, 6...20) }
        let log = try #require(
            try FileManager.default.attributesOfItem(atPath: scratch.database + "-wal")[.size] as? Int)
        #expect(log > 4096)
        #expect(throws: PowerCut.self) {
            try Backup.restore(backup, to: scratch.database, at: MadeUp.start) { reached in
                if reached == step { throw PowerCut() }
            }
        }
        #expect(try await Self.position(scratch.database) == 20, "after \(step)")
        #expect(try Doctor.examine(scratch.database).allSatisfy(\.isPassed))
        // The next attempt succeeds, and keeps the old one whole.
        let old = try #require(try Backup.restore(backup, to: scratch.database, at: MadeUp.start + .seconds(5)))
        #expect(try await Self.position(scratch.database) == 5)
        #expect(try await Self.position(old) == 20)
    }

    @Test("keeps a log that cannot be merged with the old database")
    func damaged() async throws {
        let scratch = try Scratch()
        let backup = scratch.path("backup.sqlite")
        try await withStore(scratch) { try await Self.fill($0, 1...5) }
        try Backup.make(of: scratch.database, to: OutputFile(backup))
        try Data("no database".utf8).write(to: URL(filePath: scratch.database))
        try Data("its log".utf8).write(to: URL(filePath: scratch.database + "-wal"))
        let old = try #require(try Backup.restore(backup, to: scratch.database, at: MadeUp.start))
        #expect(try await Self.position(scratch.database) == 5)
        #expect(try Data(contentsOf: URL(filePath: old)) == Data("no database".utf8))
        #expect(try Data(contentsOf: URL(filePath: old + "-wal")) == Data("its log".utf8))
    }
}

@Suite("Two events of one id") struct DoubleEventTests {
    @Test("get into lists like others, and are found by the doctor")
    func found() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            for position in 1...3 as ClosedRange<LogPosition> {
                var commit = Commit.of(position, at: position, [.at("d1", position)])
                commit.events = [.made("evt_\(position)", device: "d1", at: position, sequence: Int(position))]
                try await store.commit(commit)
            }
            // As a writer would that does not ask before it inserts.
            try await store.write { db in
                try db.execute(sql: "UPDATE event SET id = 'evt_1', hash = NULL WHERE id = 'evt_3'")
                try store.eventTail.load(db, filtersIDs: true)
            }
            try await store.maintain(at: MadeUp.start, isForced: true)
            let events = try await store.events(HistoryFilter(), after: Int64(0), limit: 9).map(\.event.id)
            #expect(events == ["evt_1", "evt_2", "evt_1"])
        }
        let failed = try Doctor.examine(scratch.database).filter { !$0.isPassed }
        #expect(failed.map(\.name) == ["eventLists"] && failed[0].problems == ["Two events have the id evt_1."])
    }
}
