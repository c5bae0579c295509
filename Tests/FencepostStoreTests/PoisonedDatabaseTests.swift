import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostServiceTesting
import FencepostTesting
import Foundation
import GRDB
import Logging
import Testing

@testable import FencepostService
@testable import FencepostStore

/// Databases in which one value is another: at the ends of its type, damaged, or of another type.
///
/// A value at an end of its type may be what somebody sent. It must neither end the process nor keep it from starting.
@Suite("A poisoned database") struct PoisonedDatabaseTests {
    /// A column of a table, with a value in SQL that a row gets there.
    private struct Poison: CustomStringConvertible {
        var table: String
        var column: String
        var value: String
        var description: String { "\(table).\(column) = \(value)" }
    }

    private static let start = SeededTrack.start
    private static let now = start + .seconds(86_400)

    /// Values that a strict table accepts in a column of a type. `?` is the former value.
    private static func values(of type: String) -> [String] {
        switch type {
        case "INTEGER":
            ["-9223372036854775808", "9223372036854775807", "-1", "0", "4294967296", "9223372036854775000"]
        case "REAL": ["1e308", "-1e308", "9e999", "-9e999", "1e155", "-0.0"]
        case "TEXT":
            [
                "''", "CAST(x'FFFE80' AS TEXT)", "'{}'", "'[]'", "'null'", "'1e999'", "substr(?, 1, length(?) / 2)",
                "replace(?, '1', '99999999999999999999')", "CAST(x'00' AS TEXT) || ?",
                "CAST(randomblob(0) || zeroblob(300000) AS TEXT)",
            ]
        default:
            [
                "x''", "substr(?, 1, length(?) / 2)", "zeroblob(300000)", "? || ?", "x'FF' || zeroblob(12)",
                "substr(?, 1, 9) || x'FFFFFFFFFFFFFFFF7F' || substr(?, 18)",
            ]
        }
    }

    /// Values of another type than the column's, as a flipped bit makes them.
    private static func wrong(_ type: String) -> [String] {
        type == "TEXT" || type == "BLOB" ? ["7", "1e308"] : ["'a'", "x'00FF'"]
    }

    // MARK: The database

    /// A database with rows in all tables: what a service has written, and made up ones where it writes none here.
    private static func fill(_ path: String) async throws {
        let store = try SQLiteStore(path: path)
        let track = SeededTrack(seed: 3, device: DeviceID("bus-1")).fixes
        try await store.save(
            Endpoint(id: "ops", url: "https://example.org", secrets: [Endpoint.Secret("whsec_AA")], createdAt: start))
        try await store.save(
            AccessToken(id: "tok_1", name: "t", hash: [1, 2], scopes: [.ingest], createdAt: start))
        try await store.append(
            NewEvent(
                id: "evt_s", type: "webhook.test", deviceID: nil, regionID: nil, timestamp: start,
                body: #"{"id":"evt_s"}"#),
            deliveries: [
                NewDelivery(
                    endpointID: "ops", eventID: "evt_s", deviceID: nil, body: "{}", headers: [:], isOrdered: false)
            ], at: start)
        try await withService(store) { worker, history in
            _ = try await worker.editRegions { _ in RegionEdit(changed: SeededTrack.regions) }
            _ = try await submit(track.suffix(track.count / 2), to: worker)
            // Late ones, so that there are snapshots and corrections.
            _ = try await submit(track.prefix(track.count / 4), to: worker)
            _ = try await history.waitUntilEvaluated([DeviceID("bus-1")], atMost: .seconds(30))
        }
        _ = try await store.maintain(at: now, isForced: true)
        try await withService(store) { worker, _ in
            _ = try await submit(SeededTrack(seed: 4, device: DeviceID("bus-2")).fixes.prefix(30), to: worker)
        }
        try store.close()
        try addRows(path)
    }

    private static var tokenDefinition: String {
        (try? JSONColumn.encode(
            AccessToken(id: "tok_1", name: "t", hash: [1, 2], scopes: [.ingest], createdAt: start))) ?? ""
    }

    /// Adds a row to each table without one.
    private static func addRows(_ path: String) throws {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            for table in try tables(db) where try Row.fetchOne(db, sql: "SELECT 1 FROM \"\(table)\"") == nil {
                let columns = try db.columns(in: table)
                let values = columns.map { column in
                    switch (column.type, column.name) {
                    case ("BLOB", _) where table == "log": "NULL"
                    case ("INTEGER", "count") where table == "log": "0"
                    case ("INTEGER", "hash"): "NULL"
                    case ("INTEGER", _): "1"
                    case ("REAL", _): "1.5"
                    case ("TEXT", "device_id"): "'bus-1'"
                    case ("TEXT", "kind") where table == "set_aside": "'device'"
                    case ("TEXT", "definition") where table == "token": "'\(tokenDefinition)'"
                    case ("TEXT", "definition"): "'{}'"
                    case ("TEXT", "steps"), ("TEXT", "regions"), ("TEXT", "headers"): "'[]'"
                    case ("TEXT", _): "'a1'"
                    default: "x'010203'"
                    }
                }
                try db.execute(sql: "INSERT INTO \"\(table)\" VALUES (\(values.joined(separator: ", ")))")
            }
            try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try queue.close()
    }

    private static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    }

    /// All columns with their types.
    private static func columns(_ path: String) throws -> [(table: String, column: String, type: String)] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            try tables(db).flatMap { table in
                try db.columns(in: table).map { (table, $0.name, $0.type) }
            }
        }
    }

    /// Writes a value into one row, whose hash is unknown then, as in rows of earlier versions.
    ///
    /// - Returns: false where the table does not take it.
    private static func poison(_ path: String, _ poison: Poison, isStrict: Bool = true) throws -> Bool {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        let (table, column) = (poison.table, poison.column)
        return try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            if !isStrict {
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(
                    sql:
                        "UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = ? AND sql NOT LIKE '%STRICT, WITHOUT%'",
                    arguments: [table])
                try db.execute(sql: "PRAGMA writable_schema = RESET")
            }
            let value = poison.value.replacing("?", with: "\"\(column)\"")
            let hasHash = try db.columns(in: table).contains { $0.name == "hash" && $0.type == "INTEGER" }
            do {
                try db.execute(
                    sql:
                        "UPDATE \"\(table)\" SET \"\(column)\" = \(value)\(hasHash && column != "hash" ? ", hash = NULL" : "") "
                        + "WHERE (SELECT count(*) FROM \"\(table)\") = 1 OR \"\(column)\" = (SELECT max(\"\(column)\") FROM \"\(table)\")"
                )
            } catch is DatabaseError {
                return false
            }
            return db.changesCount > 0
        }
    }

    // MARK: The start

    private static func withService(
        _ store: SQLiteStore, _ body: @escaping @Sendable (MonitorWorker, HistoryService) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let brief: @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .milliseconds(2)) }
        let worker = MonitorWorker(
            store: store, composer: NoMessages(), settings: MonitorSettings(), clock: ManualTime(now).clock,
            logger: logger, sleep: brief)
        let history = HistoryService(store: store, worker: worker, logger: logger, sleep: brief)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            await worker.waitUntilStarted()
            // A start that fails says why.
            if !worker.readiness().isReady, worker.readiness().reason != nil { try await group.next() }
            group.addTask { await history.run() }
            try await body(worker, history)
            group.cancelAll()
        }
    }

    private static func submit(_ fixes: some Sequence<Location>, to worker: MonitorWorker) async throws
        -> SubmissionReceipt
    {
        var submission = Submission(format: "native")
        submission.locations = Array(fixes)
        return try await worker.submit(submission)
    }

    /// Starts a service on a database as `serve` does, stores a location of a new device, and reads everything.
    ///
    /// - Returns: why it does not work; `nil` when it does.
    private static func failure(_ path: String) async -> String? {
        do {
            let store = try SQLiteStore(path: path)
            defer { try? store.close() }
            _ = try await store.endpoints()
            try await withService(store) { worker, history in
                let fix = Location(
                    deviceID: DeviceID("new"), timestamp: now - .seconds(5),
                    coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5)
                guard try await submit([fix], to: worker).accepted == 1, worker.device(DeviceID("new")) != nil else {
                    throw StoreError(.invalid, "a location is not stored")
                }
                _ = try? await history.waitUntilEvaluated([DeviceID("bus-1")], atMost: .milliseconds(20))
            }
            await readAll(store)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// What requests and background tasks read. Each may fail, and none may end the process.
    private static func readAll(_ store: SQLiteStore) async {
        _ = try? await store.maintain(at: now + .seconds(60), isForced: true)
        for device in [DeviceID("bus-1"), DeviceID("bus-2")] {
            _ = try? await store.locations(of: device, from: nil, to: nil, after: nil, limit: 100)
            _ = try? await store.evaluation(of: device)
            _ = try? await store.alertEvents(of: device)
        }
        _ = try? await store.events(HistoryFilter(), after: 0 as Int64, limit: 100)
        _ = try? await store.events(HistoryFilter(), after: nil as TimeCursor?, limit: 100)
        _ = try? await store.visits(HistoryFilter(), after: nil as TimeCursor?, limit: 100)
        _ = try? await store.deliveries(endpoint: nil, status: nil, event: nil, after: 0, limit: 100)
        _ = try? await store.due(for: "ops", at: now, excluding: [], limit: 10)
        _ = try? await store.backlog()
        _ = try? await store.tokens()
        _ = try? await store.users()
        _ = try? await store.sessions(of: "a1")
        _ = try? await store.shares()
        _ = try? await store.groups()
        _ = try? await store.profiles()
        _ = try? await store.faces()
        _ = try? await store.imports(limit: 10)
        _ = try? await store.importJob("a1")
        _ = try? await store.nextSlice(of: "a1")
        _ = try? await store.regionVersions(after: 0)
        _ = try? await store.retainedTopics(at: "a1")
        _ = try? await store.allowedNetworks()
        _ = try? await store.mapChoice()
        _ = try? await store.newestFix()
        _ = try? await store.setAside()
        _ = try? await store.health(of: "ops")
    }

    /// Whether a start may be refused: what is damaged then cannot be left out, since everything else follows from it. Each refusal
    /// names the file, and a value that somebody sent is never the reason: the service writes these itself, with a hash.
    private static func mayRefuse(_ poison: Poison, isStrict: Bool) -> Bool {
        !isStrict || ["log", "store"].contains(poison.table)
    }

    /// Starts on copies of a database with one value each that differs: on so many, which the seed chooses. With `FENCEPOST_POISON`
    /// on all, or on those of the table that it names.
    private static func start(on template: String, _ scratch: Scratch, _ count: Int, seed: UInt64) async throws {
        let baseline = await failure(of: template, scratch)
        #expect(baseline == nil, "the database without poison")
        let wanted = ProcessInfo.processInfo.environment["FENCEPOST_POISON"]
        var all: [(poison: Poison, isStrict: Bool)] = []
        for (table, column, type) in try columns(template) where wanted == nil || wanted == "all" || table == wanted {
            all += values(of: type).map { (Poison(table: table, column: column, value: $0), true) }
            all += wrong(type).map { (Poison(table: table, column: column, value: $0), false) }
        }
        var random = SeededGenerator(seed: seed)
        let chosen = wanted == nil ? Array(all.shuffled(using: &random).prefix(count)) : all
        var done = 0
        for (poison, isStrict) in chosen {
            let path = scratch.path("case.sqlite")
            try replace(path, by: template)
            guard try Self.poison(path, poison, isStrict: isStrict) else { continue }
            // A trap leaves the name in the output.
            if wanted != nil { print("case \(poison)\(isStrict ? "" : ", of another type")") }
            fflush(nil)
            let failure = await failure(path)
            if failure != nil, wanted != nil { print("  refused: \(failure ?? "")") }
            let isAllowed = failure == nil || mayRefuse(poison, isStrict: isStrict)
            #expect(isAllowed, "\(poison): \(failure ?? "")")
            done += 1
        }
        #expect(done > chosen.count / 3)
    }

    private static func replace(_ path: String, by template: String) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.copyItem(atPath: template, toPath: path)
    }

    private static func failure(of template: String, _ scratch: Scratch) async -> String? {
        let path = scratch.path("baseline.sqlite")
        guard (try? replace(path, by: template)) != nil else { return "it cannot be copied" }
        return await failure(path)
    }

    @Test("lets the service start and work, whatever one value is") func present() async throws {
        let scratch = try Scratch()
        let template = scratch.path("template.sqlite")
        try await Self.fill(template)
        try await Self.start(on: template, scratch, 160, seed: 1)
    }

    @Test("of version 0.2.0 is migrated, and lets the service start and work") func former() async throws {
        let scratch = try Scratch()
        let template = scratch.path("template.sqlite")
        let queue = try DatabaseQueue(path: template)
        try await queue.writeWithoutTransaction { db in
            try Schema(steps: Array(Schema.released.steps.prefix(Self.formerSchema))).migrate(db, path: template)
        }
        try queue.close()
        try Self.addRows(template)
        try await Self.start(on: template, scratch, 80, seed: 1)
    }

    /// That of version 0.2.0.
    private static let formerSchema = 3

    @Test("is left out where it cannot be read, and is named by the doctor") func doctor() async throws {
        let scratch = try Scratch()
        let path = scratch.path("test.sqlite")
        try await Self.fill(path)
        for (table, column) in [("endpoint", "definition"), ("region", "feature"), ("token", "definition")] {
            #expect(try Self.poison(path, Poison(table: table, column: column, value: "'{'")))
        }
        #expect(try Self.poison(path, Poison(table: "device", column: "state", value: "x'00'")))
        let failure = await Self.failure(path)
        #expect(failure == nil)
        let store = try SQLiteStore(path: path)
        // No token is not the same as one that cannot be read.
        await #expect(throws: StoreError.self) { _ = try await store.tokens() }
        try await store.save(
            AccessToken(id: "tok_2", name: "t", hash: [3], scopes: [.ingest], createdAt: Self.start))
        #expect(try await store.endpoints().isEmpty)
        // Defined again, it replaces what cannot be read.
        let endpoint = Endpoint(
            id: "ops", url: "https://example.org", secrets: [Endpoint.Secret("whsec_AA")], createdAt: Self.start)
        #expect(try await store.endpoint(id: "ops") == nil)
        #expect(try await store.add(endpoint))
        let isTwice = try await store.add(endpoint)
        #expect(!isTwice)
        try store.close()
        let checks = try Doctor.examine(path)
        let named = checks.first { $0.name == "definitions" }?.problems ?? []
        for text in ["The token tok_1", "The region ", "The state of the device bus-"] {
            #expect(named.contains { $0.hasPrefix(text) && $0.hasSuffix("cannot be read.") }, "\(text): \(named)")
        }
        #expect(!named.contains { $0.contains("endpoint") })
        #expect(checks.first { $0.name == "setAside" }?.problems.contains { $0.contains("bus-") } == true)
    }
}
