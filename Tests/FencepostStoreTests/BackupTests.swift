import FencepostFiles
import FencepostModel
import FencepostService
import Foundation
import GRDB
import Testing

@testable import FencepostStore

@Suite("Backups") struct BackupTests {
    private func fill(_ store: SQLiteStore, _ positions: ClosedRange<LogPosition>) async throws {
        for position in positions {
            var commit = Commit.of(position, at: position, (0..<50).map { .at("d\($0)", position) })
            commit.events = [.made("evt_\(position)", at: position, sequence: Int(position))]
            try await store.commit(commit)
        }
    }

    @Test("are made during commits, hold one moment, and can replace the database")
    func roundTrip() async throws {
        let scratch = try Scratch()
        let file = scratch.path("backup.sqlite")
        try await withStore(scratch) { store in
            try await fill(store, 1...20)
            async let more: Void = fill(store, 21...120)
            try Backup.make(of: scratch.database, to: OutputFile(file))
            try await more
            // Not while somebody has it.
            let error = #expect(throws: StoreError.self) {
                try Backup.restore(file, to: scratch.database, at: MadeUp.start)
            }
            #expect(error?.code == .locked)
            let position = try await store.load().position
            #expect(position == 120)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let old = try Backup.restore(file, to: scratch.database, at: MadeUp.start)
        #expect(old == scratch.database + ".before-restore-1772000000")
        try await withStore(scratch) { store in
            let position = try await store.load().position
            #expect(position >= 20 && position <= 120)
            let fixes = try await store.locations(of: DeviceID("d7"), from: nil, to: nil, after: nil, limit: 999)
            #expect(fixes.count == Int(position))
            try await fill(store, position + 1...position + 5)
        }
        let kept = try SQLiteStore(path: old ?? "")
        #expect(try await kept.load().position == 120)
        try kept.close()
        #expect(try Doctor.examine(scratch.database).allSatisfy(\.isPassed))
    }

    @Test("leave the write-ahead log unchanged, whichever connection closes last")
    func neverCheckpoints() async throws {
        let scratch = try Scratch()
        try await withStore(scratch, { $0.checkpoint = .external }) { try await fill($0, 1...10) }
        let before = try scratch.bytes()
        try Backup.make(of: scratch.database, to: OutputFile(scratch.path("backup")))
        #expect(try Doctor.examine(scratch.database).allSatisfy(\.isPassed))
        let after = try scratch.bytes()
        #expect(after["test.sqlite"] == before["test.sqlite"])
        #expect(after["test.sqlite-wal"] == before["test.sqlite-wal"])
        #expect((before["test.sqlite-wal"] ?? Data()).count > 4096)
    }

    @Test("keep each old database, and are not the database itself under another name")
    func restoreTwice() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { try await fill($0, 1...5) }
        let file = scratch.path("backup.sqlite")
        try Backup.make(of: scratch.database, to: OutputFile(file))
        let first = try #require(try Backup.restore(file, to: scratch.database, at: MadeUp.start))
        let second = try #require(try Backup.restore(file, to: scratch.database, at: MadeUp.start))
        #expect(first != second)
        #expect(access(first, F_OK) == 0 && access(second, F_OK) == 0)
        let other = scratch.path("other.sqlite")
        #expect(link(scratch.database, other) == 0)
        let error = #expect(throws: StoreError.self) {
            try Backup.restore(other, to: scratch.database, at: MadeUp.start)
        }
        #expect(error?.code == .locked)
        // Over a link, the file is replaced, not the link.
        let symbolic = scratch.path("symbolic.sqlite")
        #expect(symlink(scratch.database, symbolic) == 0)
        try Backup.restore(file, to: symbolic, at: MadeUp.start + .seconds(9))
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: symbolic)) == scratch.database)
        #expect(try Doctor.examine(scratch.database).allSatisfy(\.isPassed))
    }

    @Test("that are damaged, newer or of something else change nothing")
    func refusals() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { try await fill($0, 1...40) }
        let before = try Data(contentsOf: URL(filePath: scratch.database))
        let good = scratch.path("good")
        try Backup.make(of: scratch.database, to: OutputFile(good))

        let damaged = scratch.path("damaged")
        var bytes = try Data(contentsOf: URL(filePath: good))
        for index in 8192..<bytes.count - 4096 { bytes[index] = 0x5a }
        try bytes.write(to: URL(filePath: damaged))
        let newer = scratch.path("newer")
        try FileManager.default.copyItem(atPath: good, toPath: newer)
        let queue = try DatabaseQueue(path: newer)
        try await queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA user_version = 99") }
        try queue.close()
        let text = scratch.path("text")
        try Data("a text".utf8).write(to: URL(filePath: text))

        for (file, code) in [
            (damaged, StoreError.Code.corrupt), (newer, .newerSchema), (text, .corrupt),
            (scratch.path("none"), .cannotOpen),
        ] {
            let error = #expect(throws: StoreError.self) {
                try Backup.restore(file, to: scratch.database, at: MadeUp.start)
            }
            #expect(error?.code == code, "\(file)")
        }
        #expect(try Data(contentsOf: URL(filePath: scratch.database)) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(!names.contains { $0.contains("restor") || $0.contains("partial") })
    }
}

@Suite("Doctor") struct DoctorTests {
    private static func fill(_ store: SQLiteStore) async throws {
        try await store.save(Endpoint.made())
        var change = WatchChange(regionRevision: 1)
        change.regions = [
            StoredRegion(id: RegionID("office"), feature: "{\"properties\":{}}", addedInRevision: 1),
            StoredRegion(
                id: RegionID("exits"), feature: "{\"properties\":{\"notifyOnEntry\":false}}", addedInRevision: 1),
        ]
        try await store.apply(change, with: .of(1))
        for position in 2...20 as ClosedRange<LogPosition> {
            var commit = Commit.of(position, at: position, (0..<5).map { .at("d\($0)", position) })
            commit.events = [
                .made(
                    "evt_\(position)", position.isMultiple(of: 2) ? "region.entered" : "region.exited", device: "d1",
                    at: position, sequence: Int(position)),
                .made("evt_e\(position)", "region.exited", device: "d2", region: "exits", sequence: Int(position)),
            ]
            commit.deliveries = [.made("evt_\(position)", device: "d1", isOrdered: true)]
            commit.checkpoints = [DeviceCheckpoint(deviceID: DeviceID("d1"), position: position, state: [])]
            try await store.commit(commit)
            if position == 10 { try await store.maintain(at: MadeUp.start, isForced: true) }
        }
        // A forgotten device starts again.
        var forget = WatchChange(regionRevision: 1)
        forget.removedDevices = [DeviceID("d1")]
        try await store.apply(forget, with: .of(21))
        var commit = Commit.of(22)
        commit.events = [.made("evt_22", "region.entered", device: "d1", sequence: 1)]
        try await store.commit(commit)
    }

    @Test("finds nothing wrong with what the store writes, also while it is open")
    func sound() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await Self.fill(store)
            let checks = try Doctor.examine(scratch.database)
            #expect(checks.count == 15)
            #expect(checks.filter { !$0.isPassed } == [])
        }
    }

    @Test(
        "names what is wrong",
        arguments: [
            ("positions", "DELETE FROM log WHERE position = 15"),
            ("positions", "UPDATE log SET fixes = x'09' WHERE position = 15"),
            ("checkpoints", "INSERT INTO device VALUES ('d9', 99, x'')"),
            ("sequences", "DELETE FROM event WHERE id = 'evt_7'"),
            ("sequences", "DELETE FROM forgotten"),
            ("crossings", "UPDATE event SET type = 'region.entered' WHERE id = 'evt_9'"),
            (
                "foreignKeys",
                "PRAGMA foreign_keys = 0; DELETE FROM event WHERE id = 'evt_22'; UPDATE delivery SET event_id = 'x'"
            ),
            ("deliveries", "UPDATE delivery SET is_waiting = 0"),
            ("deliveries", "UPDATE delivery SET is_waiting = 1"),
            ("segments", "UPDATE segment SET count = 7"),
            ("segments", "UPDATE segment SET fixes = x'01'"),
            ("fixes", "UPDATE store SET archived_through = 5"),
            ("integrity", "PRAGMA writable_schema = 1; DELETE FROM sqlite_schema WHERE name = 'delivery_by_both'"),
        ])
    func finds(name: String, damage: String) async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { try await Self.fill($0) }
        let queue = try DatabaseQueue(path: scratch.database)
        try await queue.writeWithoutTransaction { db in try db.execute(sql: damage) }
        try queue.close()
        let checks = try? Doctor.examine(scratch.database)
        let check = try #require(checks?.first { $0.name == name })
        #expect(check.count > 0 && !check.problems.isEmpty)
    }
}
