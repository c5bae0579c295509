import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Testing

@testable import FencepostStore

@Suite("After a power cut") struct CrashTests {
    /// A commit that can be told from every other.
    private static func commit(_ position: LogPosition) -> Commit {
        var commit = Commit.of(
            position, at: position, (0..<20).map { .at("d\(($0 + position) % 13)", position * 20 + $0) })
        commit.events = [.made("evt_\(position)", sequence: Int(position))]
        commit.deliveries = [.made("evt_\(position)")]
        commit.checkpoints = [
            DeviceCheckpoint(
                deviceID: DeviceID("d\(position % 13)"), position: position,
                state: [UInt8](repeating: UInt8(position % 256), count: 3000))
        ]
        return commit
    }

    /// Whether a store holds the commits up to its position as wholes, each fix once, and nothing else.
    private static func check(_ path: String, atLeast: LogPosition) async throws -> LogPosition {
        let store = try SQLiteStore(path: path)
        let position = try await store.load().position
        #expect(position >= atLeast)
        let events = try await store.events(HistoryFilter(), after: 0, limit: .max)
        #expect(events.map(\.event.id) == (1...max(1, position)).prefix(Int(position)).map { "evt_\($0)" })
        #expect(try await store.backlog().pending == Int(position))
        var times: [Int64] = []
        for device in 0..<13 {
            let fixes = try await store.locations(
                of: DeviceID("d\(device)"), from: nil, to: nil, after: nil, limit: .max)
            times += fixes.map { ($0.location.timestamp - MadeUp.start).milliseconds / 1000 }
        }
        #expect(times.sorted() == (20..<20 + position * 20).map { $0 })
        for checkpoint in try await store.load().devices {
            #expect(checkpoint.state == [UInt8](repeating: UInt8(checkpoint.position % 256), count: 3000))
        }
        let check = try await store.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
        #expect(check == ["ok"])
        try await store.commit(Self.commit(position + 1))
        try store.close()
        return position
    }

    private static func copy(_ path: String, to target: String) throws {
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try Data(contentsOf: URL(filePath: path + suffix)).write(to: URL(filePath: target + suffix))
        }
    }

    @Test(
        "every acknowledged commit is there as a whole, whatever was under way",
        arguments: SeedShare.of(1...4 as ClosedRange<UInt64>)
    )
    func copies(seed: UInt64) async throws {
        let scratch = try Scratch()
        var made = MadeUp(seed: seed)
        var cuts: [(path: String, acknowledged: LogPosition)] = []
        var limits = SQLiteStore.MaintenanceLimits()
        (limits.batch, limits.sliceDevices, limits.mergeCount) = (200, 2, 3)
        try await withStore(scratch, limits: limits) { store in
            try await store.save(Endpoint.made())
            try await store.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 40") }
            for position in 1...120 as ClosedRange<LogPosition> {
                try await store.commit(Self.commit(position))
                // Between two transactions the files are what the disk has after a cut.
                if made.chance(0.1) {
                    let path = scratch.path("cut-\(position).sqlite")
                    try await store.writeWithoutTransaction { _ in try Self.copy(scratch.database, to: path) }
                    cuts.append((path, position))
                }
                if made.chance(0.05) {
                    // Ends between the transactions of the maintenance, and between concurrent commits.
                    async let report = store.maintain(at: MadeUp.start, isForced: true)
                    for number in 0..<6 {
                        let path = scratch.path("slice-\(position)-\(number).sqlite")
                        try await store.writeWithoutTransaction { _ in try Self.copy(scratch.database, to: path) }
                        cuts.append((path, position))
                    }
                    _ = try await report
                }
            }
        }
        #expect(cuts.count > 10)
        for cut in cuts { #expect(try await Self.check(cut.path, atLeast: cut.acknowledged) == cut.acknowledged) }
    }

    @Test("a torn end of the write-ahead log is the end of an earlier commit", arguments: 1...3 as ClosedRange<UInt64>)
    func torn(seed: UInt64) async throws {
        let scratch = try Scratch()
        var made = MadeUp(seed: seed)
        try await withStore(scratch, { $0.checkpoint = .external }) { store in
            try await store.save(Endpoint.made())
            for position in 1...30 as ClosedRange<LogPosition> { try await store.commit(Self.commit(position)) }
        }
        let database = try Data(contentsOf: URL(filePath: scratch.database))
        let log = try Data(contentsOf: URL(filePath: scratch.database + "-wal"))
        // The schema and the endpoint are in the first part of the log.
        var found: Set<LogPosition> = []
        for number in 0..<12 {
            let path = scratch.path("torn-\(number).sqlite")
            var rest = log.prefix(Int.random(in: log.count / 2...log.count, using: &made.random))
            if made.chance(), rest.count > 4096 {
                for index in rest.count - 3000..<rest.count - 1000 { rest[index] = 0xaa }
            }
            try database.write(to: URL(filePath: path))
            try rest.write(to: URL(filePath: path + "-wal"))
            found.insert(try await Self.check(path, atLeast: 0))
        }
        #expect(found.count > 3)
    }

    @Test("a full disk refuses a commit as a whole, and takes it once there is space again")
    func full() async throws {
        try await withStore { store in
            try await store.save(Endpoint.made())
            try await store.commit(Self.commit(1))
            let pages = try await store.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
                return pages
            }
            #expect(pages > 2)
            var made = MadeUp(seed: 1)
            var large = Self.commit(2)
            large.locations += (0..<2000).map { _ in made.location(["big"]) }
            let refused = large
            let error = await #expect(throws: StoreError.self) { try await store.commit(refused) }
            #expect(error?.code == .full)
            // Reading goes on, and nothing of it is there.
            #expect(try await store.load().position == 1)
            #expect(try await store.locations(of: DeviceID("big"), from: nil, to: nil, after: nil, limit: 9).isEmpty)
            #expect(try await store.event(id: "evt_2") == nil)
            try await store.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA max_page_count = 1073741823")
            }
            try await store.commit(refused)
            #expect(try await store.load().position == 2)
            #expect(
                try await store.locations(of: DeviceID("big"), from: nil, to: nil, after: nil, limit: 9999).count
                    == 2000)
        }
    }
}
