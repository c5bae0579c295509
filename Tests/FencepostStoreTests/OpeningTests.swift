import FencepostModel
import FencepostService
import Foundation
import GRDB
import Testing

@testable import FencepostStore

@Suite("Opening a store") struct OpeningTests {
    private func error(_ body: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test("sets what durability rests on", arguments: StorageSettings.Durability.allCases)
    func pragmas(durability: StorageSettings.Durability) async throws {
        try await withStore(nil, { $0.durability = durability }) { store in
            func value(_ name: String) async throws -> String? {
                try await store.writeWithoutTransaction { db in
                    try Row.fetchOne(db, sql: "PRAGMA \(name)").map {
                        "\(try $0.decode(DatabaseValue.self, atIndex: 0))"
                    }
                }
            }
            #expect(try await value("journal_mode") == "\"wal\"")
            #expect(try await value("synchronous") == (durability == .full ? "2" : "1"))
            #expect(try await value("mmap_size") == "0")
            #expect(try await value("foreign_keys") == "1")
            #expect(try await value("secure_delete") == "1")
            #expect(try await value("busy_timeout") == "10000")
            #expect(try await value("wal_autocheckpoint") == "1000")
            #expect(try await value("application_id") == "\(Migrations.applicationID)")
            let isReadOnly = try await store.read { db in db.configuration.readonly }
            #expect(isReadOnly)
        }
    }

    @Test("is for one at a time, and says who has it")
    func lock() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { _ in
            let found = #expect(throws: StoreError.self) { try SQLiteStore(path: scratch.database) }
            #expect(found?.code == .locked)
            #expect(found?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        }
        try await withStore(scratch) { _ in }
    }

    @Test("refuses a newer schema, other programs' files and folders that are not there")
    func refusals() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.write { db in try db.execute(sql: "PRAGMA user_version = 2147483647") }
        }
        let before = try Data(contentsOf: URL(filePath: scratch.database))
        #expect(await error { _ = try SQLiteStore(path: scratch.database) } == .newerSchema)
        #expect(try Data(contentsOf: URL(filePath: scratch.database)) == before)

        let other = scratch.path("other.sqlite")
        try await DatabaseQueue(path: other).write { db in try db.execute(sql: "CREATE TABLE t(x)") }
        #expect(await error { _ = try SQLiteStore(path: other) } == .corrupt)
        try Data("no database at all, but long enough to be looked at".utf8).write(
            to: URL(filePath: scratch.path("text.sqlite")))
        #expect(await error { _ = try SQLiteStore(path: scratch.path("text.sqlite")) } == .corrupt)
        #expect(await error { _ = try SQLiteStore(path: scratch.path("none/x.sqlite")) } == .cannotOpen)
    }

    @Test("makes the schema of the golden file")
    func schema() async throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Golden/schema-\(Schema.current.latest).sql")
        let schema = try await withStore { store in
            try await store.read { db in
                try String.fetchAll(
                    db,
                    sql:
                        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name"
                )
            }
        }
        let text = schema.map { $0 + ";\n" }.joined()
        let known = try? String(contentsOf: golden, encoding: .utf8)
        #expect(known == text, "A schema that was released is never edited: add a migration, and its file.")
    }

    @Test("brings every earlier schema up to date and keeps what is there", arguments: Migrations.all.map(\.version))
    func migrates(version: Int) async throws {
        let scratch = try Scratch()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        let schema = try String(contentsOf: folder.appending(path: "schema-\(version).sql"), encoding: .utf8)
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.write { db in
            try db.execute(sql: schema)
            try db.execute(
                sql: """
                    INSERT INTO store VALUES (1, 3, 0, 0, NULL, NULL, 0);
                    INSERT INTO region (id, feature, added_in_revision, event_number) VALUES ('office', '{}', 3, 0);
                    INSERT INTO log (position, received_at, advances_clock, count) VALUES (1, 1772000000000, 1, 0);
                    INSERT INTO event (id, type, device_id, timestamp, received_at, body) VALUES
                      ('evt_1', 'region.entered', 'jane', 1772000000000, 1772000009000,
                       '{"detectedAt":"2026-02-25T06:13:20.123Z"}'),
                      ('evt_2', 'region.exited', 'jane', 1772000001000, 1772000009000, 'damaged');
                    PRAGMA application_id = \(Migrations.applicationID);
                    PRAGMA user_version = \(version);
                    """)
        }
        try queue.close()
        try await withStore(scratch) { store in
            let state = try await store.load()
            #expect(state.regionRevision == 3 && state.position == 1)
            #expect(
                state.regions == [StoredRegion(id: RegionID("office"), feature: "{}", addedInRevision: 3)])
            try await store.commit(.of(2, [.at("a", 1)]))
            var filter = HistoryFilter()
            filter.holdsOnly = true
            let events = try await store.events(filter, after: Int64(0), limit: 9).map(\.event)
            if version < 4 {
                #expect(events.map { $0.detectedAt?.milliseconds } == [1_772_000_000_123, 1_772_000_001_000])
                #expect(events.allSatisfy { $0.origin == .live && $0.revision == 1 })
            }
            let now = try await store.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") }
            #expect(now == Schema.current.latest)
        }
    }

    @Test("leaves the write-ahead log to an external checkpointer")
    func external() async throws {
        let scratch = try Scratch()
        try await withStore(scratch, { $0.checkpoint = .external }) { store in
            for position in 1...600 as ClosedRange<LogPosition> {
                try await store.commit(.of(position, (0..<200).map { .at("d\($0)", position) }))
            }
        }
        let size = try scratch.bytes()["test.sqlite-wal"]?.count ?? 0
        #expect(size > 1000 * 4096 * 3 / 2)
        // And else it is empty or gone after the end.
        try await withStore(scratch) { store in
            let state = try await store.load()
            #expect(state.position == 600)
        }
        #expect(try scratch.bytes()["test.sqlite-wal"]?.count ?? 0 == 0)
    }

    @Test("forgets requests that were under way when it stopped")
    func claims() async throws {
        let scratch = try Scratch()
        let key = IdempotencyKey(tokenID: "t", route: "POST /v1/regions", key: "k")
        try await withStore(scratch) { store in
            let first = try await store.claim(key, requestHash: [1], now: MadeUp.start)
            let second = try await store.claim(key, requestHash: [1], now: MadeUp.start)
            #expect(first == .first && second == .running)
        }
        try await withStore(scratch) { store in
            let first = try await store.claim(key, requestHash: [1], now: MadeUp.start)
            #expect(first == .first)
        }
    }

    @Test("after it is closed nothing more is done")
    func closed() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(path: scratch.database)
        try store.close()
        await #expect(throws: StoreError.self) { try await store.commit(.of(1)) }
        await #expect(throws: StoreError.self) { _ = try await store.load() }
    }
}
