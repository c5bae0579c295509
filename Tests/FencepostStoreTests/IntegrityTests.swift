import FencepostModel
import FencepostService
import Foundation
import GRDB
import Testing

@testable import FencepostStore

@Suite("Damage") struct IntegrityTests {
    private static func fill(_ store: SQLiteStore, _ positions: ClosedRange<LogPosition>) async throws {
        for position in positions {
            var commit = Commit.of(position, at: position, (0..<5).map { .at("d\($0)", position) })
            commit.events = [.made("evt_\(position)", at: position, sequence: Int(position))]
            commit.deliveries = [.made("evt_\(position)", device: "d1", isOrdered: true)]
            try await store.commit(commit)
        }
    }

    private func problems(_ scratch: Scratch, _ name: String) throws -> Int {
        try Doctor.examine(scratch.database).first { $0.name == name }?.count ?? -1
    }

    @Test(
        "of one value is found by the hash of its row",
        arguments: [
            "UPDATE event SET body = replace(body, 'evt_3', 'evt_2') WHERE id = 'evt_3'",
            "UPDATE event SET timestamp = timestamp + 1 WHERE id = 'evt_3'",
            "UPDATE delivery SET body = body || ' ' WHERE event_id = 'evt_3'",
            "UPDATE log SET fixes = CAST(substr(fixes, 1, length(fixes) - 1) || x'07' AS BLOB) WHERE position = 19",
            "UPDATE segment SET fixes = CAST(substr(fixes, 1, length(fixes) - 1) || x'07' AS BLOB) WHERE device_id = 'd1'",
        ])
    func contents(damage: String) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.save(Endpoint.made())
            try await Self.fill(store, 1...10)
            try await store.maintain(at: MadeUp.start, isForced: true)
            try await Self.fill(store, 11...20)
        }
        #expect(try problems(scratch, "contents") == 0)
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.writeWithoutTransaction { db in try db.execute(sql: damage) }
        try queue.close()
        #expect(try problems(scratch, "contents") > 0)
    }

    @Test("of the log makes a start fail instead of emitting other events")
    func replay() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { try await Self.fill($0, 1...10) }
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "UPDATE log SET received_at = received_at + 1 WHERE position = 5")
        }
        try queue.close()
        try await withStore(scratch) { store in
            let error = await #expect(throws: StoreError.self) { try await store.log(after: 0, limit: 100) }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("Entry 5") == true)
        }
    }

    /// A flipped bit of a row's header gives a value another type, although the tables are STRICT.
    @Test(
        "of a value's type is an error, and does not end the process",
        arguments: [
            ("log", "received_at = 'late'"), ("log", "fixes = 7"), ("event", "timestamp = 'late'"),
            ("event", "body = x'ff'"), ("endpoint", "definition = x'ff'"),
        ])
    func types(table: String, change: String) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.save(Endpoint.made())
            try await Self.fill(store, 1...10)
        }
        func execute(_ sql: String) throws {
            let queue = try DatabaseQueue(path: scratch.database)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA writable_schema = ON; " + sql)
            }
            try queue.close()
        }
        let strict = "UPDATE sqlite_schema SET sql = %1 WHERE type = 'table' AND name = '\(table)'"
        try execute(strict.replacing("%1", with: "substr(sql, 1, length(sql) - length(' STRICT'))"))
        try execute("UPDATE \(table) SET \(change)")
        try execute(strict.replacing("%1", with: "sql || ' STRICT'"))
        let error = await #expect(throws: StoreError.self) {
            try await withStore(scratch) { store in
                _ = try await store.load()
                _ = try await store.log(after: 0, limit: 100)
                let first: Int64 = 0
                _ = try await store.events(HistoryFilter(), after: first, limit: 100)
                _ = try await store.endpoints()
            }
        }
        #expect(error?.code == .corrupt)
    }

    /// Copies the files of a store that was not closed, as a crash leaves them.
    private func crashed(_ change: (inout Data) -> Void) async throws -> (Scratch, SQLiteStore) {
        let (scratch, copy) = (try Scratch(), try Scratch())
        try await withStore(scratch) { store in
            try await Self.fill(store, 1...10)
            try FileManager.default.copyItem(atPath: scratch.database, toPath: copy.database)
            var log = try Data(contentsOf: URL(filePath: scratch.database + "-wal"))
            change(&log)
            try log.write(to: URL(filePath: copy.database + "-wal"))
        }
        return (copy, try SQLiteStore(path: copy.database))
    }

    @Test("of the write-ahead log is reported, with what was dropped")
    func writeAheadLog() async throws {
        let (_, sound) = try await crashed { _ in }
        #expect(sound.logProblem == nil)
        #expect(try await sound.load().position == 10)
        try sound.close()

        let (_, flipped) = try await crashed { log in log[log.count / 2] ^= 1 }
        #expect(flipped.logProblem?.contains("commit(s)") == true)
        #expect(try await flipped.load().position < 10)
        try flipped.close()

        let (_, header) = try await crashed { log in log[13] ^= 1 }
        #expect(header.logProblem?.contains("header") == true)
        try header.close()

        // An incomplete frame at the end is that of a commit that was not acknowledged.
        let (_, torn) = try await crashed { log in log += [1, 2, 3] }
        #expect(torn.logProblem == nil)
        try torn.close()
    }

    @Test("is not seen in a log that is used again, whose end is of an earlier use")
    func reusedLog() async throws {
        let (scratch, copy) = (try Scratch(), try Scratch())
        try await withStore(scratch) { store in
            try await Self.fill(store, 1...20)
            try await store.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(RESTART)") }
            try await Self.fill(store, 21...23)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: scratch.database + suffix, toPath: copy.database + suffix)
            }
        }
        let log = try #require(WriteAheadLog(of: copy.database))
        #expect(log.applied > 0 && log.dropped == 0 && log.problem == nil)
    }
}

@Suite("The quarantine of the store") struct QuarantineTests {
    @Test("keeps a fix whose time was refused, until it is released")
    func fixes() async throws {
        let scratch = try Scratch()
        var fix = StoredLocation.at("d", 5).location
        fix.timestamp = MadeUp.start + .seconds(400 * 86_400)
        fix.speed = 3
        let entry = QuarantineEntry(
            receivedAt: MadeUp.start, format: "native", deviceID: DeviceID("d"), index: 0,
            code: "timestamp_out_of_range", detail: "x", fix: fix)
        var without = entry
        without.fix = nil
        try await withStore(scratch) { [without] store in
            var commit = Commit.of(1)
            commit.quarantined = [without, entry]
            try await store.commit(commit)
        }
        try await withStore(scratch) { store in
            let found = try await store.quarantinedFixes(after: 0, limit: 10)
            #expect(found.map(\.fix) == [fix])
            #expect(try await store.quarantine(HistoryFilter(), after: 0, limit: 10).map(\.entry.fix) == [nil, fix])
            try await store.removeQuarantined(found.map(\.number))
            #expect(try await store.quarantinedFixes(after: 0, limit: 10).isEmpty)
            #expect(try await store.quarantine(HistoryFilter(), after: 0, limit: 10).count == 1)
        }
    }

    @Test("has the newest fix by the earlier one of its two times")
    func newestFix() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            #expect(try await store.newestFix() == nil)
            var ahead = StoredLocation.at("fast", 1)
            ahead.location.timestamp = MadeUp.start + .seconds(86_000)
            try await store.commit(.of(1, at: 100, [.at("d", 40), ahead]))
            #expect(try await store.newestFix() == MadeUp.start + .seconds(100))
            // The service's clock is a year ahead.
            try await store.commit(.of(2, at: 365 * 86_400, [.at("d", 120)]))
            #expect(try await store.newestFix() == MadeUp.start + .seconds(120))
            try await store.maintain(at: MadeUp.start, isForced: true)
            #expect(try await store.newestFix() == MadeUp.start + .seconds(120))
        }
        #expect(try SQLiteStore(path: scratch.database).trustedTimeAtOpening == MadeUp.start + .seconds(120))
    }
    @Test("knows after a removal that the time of the newest fix has passed, and what retention trusted")
    func trustedTime() async throws {
        let scratch = try Scratch()
        let end = MadeUp.start + .seconds(400 * 86_400)
        try await withStore(scratch) { store in
            try await store.commit(.of(1, at: 100, [.at("d", 40)]))
            try await store.commit(.of(2, at: 200, [.at("e", 140)]))
            try await store.erase(DeviceID("e"))
            #expect(try await store.newestFix() == MadeUp.start + .seconds(140))
            _ = try await store.maintain(at: end, isForced: true)
            #expect(try await store.removeExpired(Retention(), now: end)["locations"] == 1)
            #expect(try await store.newestFix() == MadeUp.start + .seconds(140))
        }
        try await withStore(scratch) { store in
            #expect(store.trustedTimeAtOpening == MadeUp.start + .seconds(140))
            try await store.remember(trustedTime: end)
            try await store.remember(trustedTime: MadeUp.start)
        }
        // Retention compares its clock with what was sent, not with itself.
        let newest = try await withStore(scratch) { store in
            #expect(store.trustedTimeAtOpening == end)
            return try await store.newestFix()
        }
        #expect(newest == MadeUp.start + .seconds(140))
    }
}
