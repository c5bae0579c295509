import FencepostCluster
import FencepostEngine
import FencepostFiles
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Testing

@testable import FencepostStore

/// The database of a partition, which takes over the configuration of its cluster.
@Suite("The configuration in partitions") struct ConfigurationDifferenceTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ name: String) async throws -> SQLiteStore {
        try await ReplicatedScratch.open(scratch.settings(name), SQLiteStore.MaintenanceLimits())
    }

    private func withBoth(_ body: (_ configuration: SQLiteStore, _ partition: SQLiteStore) async throws -> Void)
        async throws
    {
        let (configuration, partition) = (try await open("config.sqlite"), try await open("p0000.sqlite"))
        let result: Result<Void, any Error>
        do { result = .success(try await body(configuration, partition)) } catch { result = .failure(error) }
        try configuration.close()
        try partition.close()
        try result.get()
    }

    private var path: String { scratch.path("config.sqlite") }

    private func adopt(_ store: SQLiteStore, regionsAfter revision: UInt32? = nil) async throws
        -> ConfigurationDifference
    {
        try #require(await store.adoptConfiguration(at: path, regionsAfter: revision))
    }

    private static let tables = [
        ("token", "id, hash, definition"), ("user", "id, key, definition"),
        ("session", "id, hash, user_id, expires, definition"), ("device_group", "tag, definition"),
        ("alert_rule", "id, definition"), ("proximity_rule", "id, definition"),
        ("share", "id, hash, name, expires, created_at, owner_id"), ("share_device", "share_id, device_id"),
        ("allowed_network", "id, network, created_at"),
    ]

    private func rows(_ store: SQLiteStore) async throws -> [String] {
        try await store.read { db in
            try Self.tables.flatMap { table, columns in
                let quoted = columns.split(separator: ", ").map { "quote(\($0))" }.joined(separator: "||','||")
                return try String.fetchAll(db, sql: "SELECT \(quoted) FROM \(table) ORDER BY 1").map {
                    "\(table) \($0)"
                }
            }
        }
    }

    @Test("After any changes a partition has the same tokens, users and what belongs to them, and writes nothing twice")
    func copies() async throws {
        var generator = SeededGenerator(seed: 7)
        try await withBoth { configuration, partition in
            for round in 0..<60 {
                let numbers = (0..<6).map { _ in Int.random(in: 0..<8, using: &generator) }
                let isRemoving = Bool.random(using: &generator)
                try await configuration.write { db in
                    let id = "\(numbers[0])"
                    if isRemoving {
                        for (table, columns) in Self.tables {
                            let key = columns.prefix { $0 != "," }
                            try db.execute(sql: "DELETE FROM \(table) WHERE \(key) = ?", arguments: [id])
                        }
                    }
                    // The values that have to be unique go from row to row.
                    let other = "\(numbers[1])"
                    for (table, unique) in [("user", "key"), ("allowed_network", "network")] {
                        let rest = table == "user" ? "definition" : "created_at"
                        try db.execute(
                            sql: "INSERT OR REPLACE INTO \(table) (id, \(unique), \(rest)) VALUES (?, ?, ?)",
                            arguments: [id, other, numbers[2]])
                    }
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?)",
                        arguments: [id, Data(other.utf8), round, "\(numbers[3])"])
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?)",
                        arguments: [id, Data(other.utf8), "u", numbers[2], "\(numbers[3])"])
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO share VALUES (?, ?, ?, ?, ?, ?)",
                        arguments: [id, Data(other.utf8), "n", numbers[2], 1, numbers[3] < 4 ? nil : "o"])
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO share_device VALUES (?, ?)", arguments: [id, "\(numbers[4])"])
                    for table in ["device_group", "alert_rule", "proximity_rule"] {
                        try db.execute(
                            sql: "INSERT OR REPLACE INTO \(table) VALUES (?, ?)", arguments: [id, "\(numbers[5])"])
                    }
                }
                let difference = try await adopt(partition)
                #expect(try await rows(partition) == rows(configuration), "round \(round)")
                let mark = try await configuration.read { try ReplicaMark.read($0) }
                #expect(difference.position == mark?.position)
                let before = try await partition.read { try ReplicaMark.read($0) }
                let again = try await adopt(partition)
                #expect(!again.hasCopied)
                let after = try await partition.read { try ReplicaMark.read($0) }
                #expect(after == before, "nothing is appended for nothing")
            }
        }
    }

    @Test("A copy of the configuration that is older than what the partition has changes nothing")
    func olderCopy() async throws {
        try await withBoth { configuration, partition in
            let insertion = "INSERT INTO token VALUES ('t', x'00', NULL, 'a')"
            try await configuration.write { try $0.execute(sql: insertion) }
            _ = try await adopt(partition)
            // The copy of a node that is behind.
            let old = scratch.path("old.sqlite")
            try Backup.make(of: path, to: OutputFile(old))
            try await configuration.write { try $0.execute(sql: "DELETE FROM token") }
            _ = try await adopt(partition)
            let difference = try await partition.adoptConfiguration(at: old, regionsAfter: nil)
            #expect(difference == nil)
            let tokens = try await partition.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM token") }
            #expect(tokens == 0, "a revoked token stays revoked")
            // A cluster that began again counts its positions from 0.
            let queue = try DatabaseQueue(path: old)
            try await queue.write { try $0.execute(sql: "UPDATE replica SET cluster = 'again', position = 0") }
            try queue.close()
            #expect(try await partition.adoptConfiguration(at: old, regionsAfter: nil)?.hasCopied == true)
        }
    }

    @Test("The times at which tokens were last used stay those of each database")
    func lastUse() async throws {
        try await withBoth { configuration, partition in
            try await configuration.write { try $0.execute(sql: "INSERT INTO token VALUES ('t', x'00', 1, 'a')") }
            _ = try await adopt(partition)
            try await partition.write { try $0.execute(sql: "UPDATE token SET last_used = 9") }
            try await configuration.write { try $0.execute(sql: "UPDATE token SET last_used = 5, definition = 'b'") }
            _ = try await adopt(partition)
            let row = try await partition.read {
                try String.fetchOne($0, sql: "SELECT last_used || definition FROM token")
            }
            #expect(row == "9b")
        }
    }

    @Test("Regions and apps that differ are named, those of the past are not, and neither is what is equal")
    func regionsAndApps() async throws {
        try await withBoth { configuration, partition in
            let rows: @Sendable (Database, [(String, Int, String?)]) throws -> Void = { db, regions in
                for (id, revision, feature) in regions {
                    try db.execute(
                        sql: "INSERT INTO region VALUES (?, ?, ?, 0, NULL)", arguments: [id, revision, feature])
                }
            }
            try await configuration.write { db in
                // "b" was replaced, "c" removed, "d" is staged for a change that has not happened.
                try rows(
                    db, [("a", 1, "A"), ("b", 1, "B1"), ("b", 2, "B2"), ("c", 1, "C"), ("c", 2, nil), ("d", 3, "D")])
                try db.execute(sql: "UPDATE store SET region_revision = 2")
                try db.execute(sql: #"INSERT INTO app VALUES ('x', 'X', '["1","2"]'), ('y', 'Y', '[]')"#)
            }
            try await partition.write { db in
                try rows(db, [("a", 5, "A"), ("b", 5, "B1"), ("c", 5, "C"), ("e", 6, "E")])
                try db.execute(sql: "UPDATE store SET region_revision = 6")
                try db.execute(sql: #"INSERT INTO app VALUES ('x', 'X', '["1"]'), ('y', 'Y', '[]'), ('z', 'Z', '[]')"#)
            }
            let difference = try await adopt(partition)
            #expect(difference.regionRevision == 2)
            #expect(difference.regions.map(\.feature) == ["B2"])
            #expect(difference.removedRegions == [RegionID("c"), RegionID("e")])
            #expect(difference.apps.map(\.id) == ["x"])
            #expect(difference.apps.first?.steps == ["1", "2"])
            #expect(difference.removedApps == ["z"])
            let known = try await adopt(partition, regionsAfter: 2)
            #expect(known.regions.isEmpty && known.removedRegions.isEmpty, "the regions of this revision are there")
        }
    }

    @Test(
        "An endpoint that a partition has turned off is named as such, until the configuration has it so or changes it")
    func disabledEndpoints() async throws {
        try await withBoth { configuration, partition in
            var endpoint = Endpoint(
                id: "ops", url: "https://example.org/hook", secrets: [], createdAt: Timestamp(milliseconds: 0))
            try await configuration.save(endpoint)
            let first = try await adopt(partition)
            #expect(first.endpoints == [endpoint])
            var disabled = endpoint
            disabled.state = .disabled(since: Timestamp(milliseconds: 5), reason: "410")
            try await partition.save(disabled)
            let second = try await adopt(partition)
            #expect(second.disabledHere == [disabled])
            #expect(second.endpoints.isEmpty)
            try await configuration.save(disabled)
            let third = try await adopt(partition)
            #expect(third.disabledHere.isEmpty && third.endpoints.isEmpty)
            endpoint.url = "https://example.org/other"
            try await configuration.save(endpoint)
            let fourth = try await adopt(partition)
            #expect(fourth.endpoints == [endpoint])
            _ = try await configuration.removeEndpoint(id: "ops")
            #expect(try await adopt(partition).removedEndpoints == ["ops"])
        }
    }
}
