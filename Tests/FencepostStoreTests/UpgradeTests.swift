import FencepostCluster
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Testing

@testable import FencepostStore

#if DEBUG
    /// Copies of a cluster, some of them of a version that has one more schema.
    @Suite("Upgrade of a cluster") struct UpgradeTests {
        private let scratch: Scratch
        private let transport = MemoryLog()
        private var log: ReplicatedLog<MemoryLog> { ReplicatedLog(transport, seal: RecordSeal(key: [1])) }

        init() throws { scratch = try Scratch() }

        private func open(_ name: String, _ known: Schema, mark: ReplicaMark) throws -> SQLiteStore {
            try SQLiteStore(
                scratch.settings(name), limits: SQLiteStore.MaintenanceLimits(),
                log: LeaderLog(
                    log, behind: mark, firstID: ReplicatedScratch.newID(), now: { Timestamp(milliseconds: 0) },
                    onFailure: { _ in }), schema: known)
        }

        private func lead(_ name: String, _ known: Schema) async throws -> SQLiteStore {
            try open(name, known, mark: try await ReplicatedScratch.lead(scratch.settings(name), log, known: known))
        }

        /// Opens a copy, and applies the log to its end.
        private func follow(_ name: String, _ known: Schema) async throws -> ReplicaStore {
            let copy = try ReplicaStore(scratch.settings(name), cluster: "c", known: known)
            try await ReplicatedScratch.follow(copy, log)
            return copy
        }

        private func expectEqual(_ first: String, _ others: String...) throws {
            for other in others {
                let difference = try ReplicatedScratch.difference(
                    scratch.settings(first).path, scratch.settings(other).path)
                #expect(difference == nil)
            }
        }

        private func version(_ name: String) throws -> Int? {
            try Backup.read(scratch.settings(name).path) { db in try Int.fetchOne(db, sql: "PRAGMA user_version") }
        }

        /// Events of several devices, of which some are removed again.
        private func change(_ store: SQLiteStore, _ first: Int) async throws {
            for number in first..<first + 20 {
                try await store.write { db in
                    try db.execute(
                        sql: """
                            INSERT INTO event (id, type, device_id, timestamp, received_at, body) VALUES (?, 't', ?, 1, 2, ?)
                            """,
                        arguments: ["e\(number)", "d\(number * 7 % 5)", String(repeating: "x", count: number)])
                    if number % 4 == 3 {
                        try db.execute(sql: "DELETE FROM event WHERE id = ?", arguments: ["e\(number - 2)"])
                    }
                }
            }
        }

        @Test("a copy keeps the log's schema until the record of an upgrade, and all copies are equal then")
        func upgrade() async throws {
            let old = try await lead("a", .released)
            try await change(old, 0)
            let waiting = try await follow("b", .next)
            #expect(waiting.schema == Schema.released.latest)
            #expect(waiting.upgrade == .upgrade(schema: Schema.next.latest))
            try await change(old, 100)
            try old.close()
            try await ReplicatedScratch.follow(waiting, log)
            try waiting.close()
            try expectEqual("a", "b")
            #expect(try version("b") == Schema.released.latest)

            let new = try await lead("b", .next)
            let sum = "SELECT sum(count) FROM device_events"
            let counted = try await new.read { db in try Int.fetchOne(db, sql: sum) }
            #expect(counted == 30)
            try await change(new, 200)
            try await new.write { db in
                try db.execute(sql: "INSERT INTO device_events (device_id, count) VALUES ('other', 7)")
                try db.execute(sql: "UPDATE event SET body_length = 1 WHERE id = 'e202'")
            }
            try new.close()
            // One that followed before, and one that begins with the first record.
            for name in ["a", "c"] {
                let copy = try await follow(name, .next)
                #expect(copy.schema == Schema.next.latest && copy.upgrade == nil)
                try copy.close()
            }
            try expectEqual("b", "a", "c")
        }

        @Test("an older version refuses the record of an upgrade by name, and its copy stays as it is") func older()
            async throws
        {
            let old = try await lead("a", .released)
            try await change(old, 0)
            try old.close()
            let copy = try await follow("b", .released)
            let new = try await lead("a", .next)
            try await change(new, 100)
            try new.close()
            let mark = copy.mark
            let records = try await log.records(behind: mark.sequence, limit: 100)
            let error = ReplicaError.newerSchema(Schema.next.latest, known: Schema.released.latest)
            #expect(throws: error) { try copy.apply(records) }
            #expect(error.needsNewerVersion && "\(error)".contains("Install that version"))
            #expect(copy.mark == mark && copy.schema == Schema.released.latest)
            try copy.close()
            #expect(try version("b") == Schema.released.latest)
            // Nor does it open the copy of a newer version.
            let refused = #expect(throws: StoreError.self) {
                _ = try ReplicaStore(scratch.settings("a"), cluster: "c", known: .released)
            }
            #expect(refused?.code == .newerSchema)
        }

        @Test("a copy is migrated by nothing but its log") func stays() async throws {
            let old = try await lead("a", .released)
            try await change(old, 0)
            let mark = try #require(old.log?.mark)
            try old.close()
            let leading = #expect(throws: StoreError.self) { _ = try open("a", .next, mark: mark) }
            #expect(leading?.code == .notLeading)
            let single = #expect(throws: StoreError.self) {
                _ = try SQLiteStore(scratch.settings("a"), limits: SQLiteStore.MaintenanceLimits(), schema: .next)
            }
            #expect(single?.code == .cannotOpen)
            #expect(throws: ReplicaError.otherCluster) {
                _ = try ReplicaStore.found(scratch.settings("a").path, cluster: "d")
            }
            #expect(try version("a") == Schema.released.latest)
        }

        @Test("copies that were migrated while all nodes were stopped go on, and so does one that reads their log")
        func stopped() async throws {
            let old = try await lead("a", .released)
            try await change(old, 0)
            try old.close()
            let queue = try DatabaseQueue(path: scratch.settings("a").path)
            try await queue.writeWithoutTransaction { db in try Schema.next.migrate(db, path: "a") }
            try queue.close()
            let new = try await lead("a", .next)
            try await change(new, 100)
            try new.close()
            let copy = try await follow("b", .next)
            #expect(copy.schema == Schema.next.latest)
            try copy.close()
            try expectEqual("a", "b")
            // A copy that is ahead of the log says so.
            let empty = try DatabaseQueue(path: scratch.settings("c").path)
            try await empty.writeWithoutTransaction { db in try Schema.next.migrate(db, path: "c") }
            try empty.close()
            let ahead = try ReplicaStore(scratch.settings("c"), cluster: "c", known: .next)
            let records = try await log.records(behind: 0, limit: 10)
            #expect(throws: ReplicaError.olderSchema(Schema.released.latest, copy: Schema.next.latest)) {
                try ahead.apply(records)
            }
            try ahead.close()
        }

        /// Rows of the first schema in an order of their own, so that SQLite finds them in other places.
        private func makeFirst(_ name: String, _ seed: UInt64) async throws {
            let queue = try DatabaseQueue(path: scratch.settings(name).path)
            try await queue.writeWithoutTransaction { db in
                try db.inTransaction {
                    try Schema.next.run(db, from: 0, through: 1)
                    var random = SeededGenerator(seed: seed)
                    for number in (1...300).shuffled(using: &random) {
                        let device = "d\(number % 23)"
                        try db.execute(
                            sql: """
                                INSERT INTO event (number, id, type, device_id, timestamp, received_at, body)
                                VALUES (?1, 'e' || ?1, 't', ?2, ?1 * 1000, 2, ?3);
                                """,
                            arguments: [
                                number, device,
                                number % 3 == 0 ? "{\"detectedAt\":\"2026-02-25T06:13:20.\(100 + number)Z\"}" : "{}",
                            ])
                        try db.execute(
                            sql: "INSERT INTO region VALUES ('r' || ?1, '{}', ?1, ?1)", arguments: [number])
                        try db.execute(
                            sql: """
                                INSERT INTO delivery (number, id, endpoint_id, event_id, event_type, is_ordered, status,
                                  is_waiting, attempts, created_at, due, headers, body)
                                VALUES (?1, 'm' || ?1, 'a', 'e' || ?1, 't', 0, 0, 0, 0, 1, 1, '[]', '')
                                """, arguments: [number])
                    }
                    for number in 301...340 {
                        try db.execute(
                            sql: """
                                INSERT INTO event (number, id, type, timestamp, received_at, body)
                                VALUES (?1, 'e' || ?1, 't', 1, 2, '{}');
                                """, arguments: [number])
                    }
                    try db.execute(sql: "DELETE FROM event WHERE number > 300")
                    return .commit
                }
                try Schema.next.migrate(db, path: name)
            }
            try queue.close()
        }

        @Test("files that are migrated one by one are equal row by row") func deterministic() async throws {
            for (name, seed) in [("a", 1), ("b", 2), ("c", 3)] as [(String, UInt64)] { try await makeFirst(name, seed) }
            try expectEqual("a", "b", "c")
            #expect(try version("a") == Schema.next.latest)
        }

        @Test("no step asks for the time, for chance, or for what only one file has", arguments: Schema.next.steps)
        func pure(_ step: Migration) {
            let words = [
                "random", "'now'", "current_time", "current_date", "datetime(", "strftime(", "unixepoch", "changes(",
                "last_insert_rowid", "limit ",
            ]
            let found = words.filter { step.sql.lowercased().contains($0) }
            #expect(found.isEmpty, "\(step.version)")
        }

        /// Nodes of clusters with several partitions read tokens of a copy that is not upgraded yet.
        @Test("tokens are read of all schemas that a copy can have", arguments: 12...Schema.next.latest)
        func tokens(_ version: Int) async throws {
            let token = AccessToken(id: "t", name: "t", hash: [1, 2], scopes: [.ingest], createdAt: MadeUp.start)
            let queue = try DatabaseQueue(path: scratch.settings("a").path)
            try await queue.writeWithoutTransaction { db in
                try Schema(steps: Array(Schema.next.steps.prefix(version))).migrate(db, path: "a")
                try db.execute(
                    sql: "INSERT INTO token (id, hash, definition) VALUES ('t', ?, ?)",
                    arguments: [Data(token.hash), try JSONColumn.encode(token)])
            }
            try queue.close()
            let tokens = try ReplicaTokens(of: scratch.settings("a").path)
            let found = try await tokens.token(hash: token.hash)
            #expect(found?.id == token.id)
            try tokens.close()
        }

        @Test("a partition waits for the configuration's copy to have its schema") func configuration() async throws {
            let partition = try await lead("a", .next)
            let configuration = MemoryLog()
            let mark = try await ReplicatedScratch.lead(
                scratch.settings("b"), ReplicatedLog(configuration, seal: RecordSeal(key: [1])), known: .released)
            let error = await #expect(throws: StoreError.self) {
                _ = try await partition.adoptConfiguration(at: scratch.settings("b").path, regionsAfter: nil)
            }
            #expect(error?.message.contains("schema \(Schema.released.latest)") == true)
            _ = try await ReplicatedScratch.lead(
                scratch.settings("b"), ReplicatedLog(configuration, seal: RecordSeal(key: [1])), known: .next)
            let adopted = try await partition.adoptConfiguration(at: scratch.settings("b").path, regionsAfter: nil)
            #expect(adopted?.position ?? 0 > mark.position)
            try partition.close()
        }
    }
#endif
