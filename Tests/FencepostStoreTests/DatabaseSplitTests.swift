import FencepostFiles
import FencepostModel
import FencepostService
import FencepostTesting
import Foundation
import GRDB
import Testing

@testable import FencepostStore

/// The databases of a cluster's parts, made of that of a single node.
@Suite("Division of a database") struct DatabaseSplitTests {
    private static let partitioning = Partitioning(count: 3)

    /// What a database has of devices, each as a line that begins with the device.
    private func content(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            var lines: [String] = []
            for row in try Row.fetchAll(db, sql: "SELECT position, devices, fixes FROM log") {
                let position = try row.decode(Int64.self, atIndex: 0)
                let (devices, fixes) = try (row.decode(Data?.self, atIndex: 1), row.decode(Data?.self, atIndex: 2))
                for fix in try LogRow.fixes(devices: devices, fixes: fixes) {
                    lines.append("\(fix.location.deviceID) log \(position) \(fix.stored)")
                }
            }
            for row in try Row.fetchAll(db, sql: "SELECT device_id, first_time, last_time, count, hash FROM segment") {
                let device = try row.decode(String.self, atIndex: 0)
                lines.append("\(device) segment \(row)")
            }
            for table in ["event", "visit", "delivery", "report", "quarantine", "device_profile", "stay_correction"] {
                for row in try Row.fetchAll(db, sql: "SELECT * FROM \(table)") {
                    let device = try row.decode(String?.self, forColumn: "device_id")
                    lines.append("\(device ?? "-") \(table) \(row)")
                }
            }
            for row in try Row.fetchAll(db, sql: "SELECT * FROM device") {
                let device = try row.decode(String.self, forColumn: "id")
                lines.append("\(device) device \(row)")
            }
            return lines.sorted()
        }
    }

    private func fill(_ store: SQLiteStore) async throws {
        var made = MadeUp(seed: 3)
        let devices = (0..<20).map { "device-\($0)" }
        for position in 1...60 {
            let count = Int.random(in: 0...6, using: &made.random)
            var commit = Commit.of(
                LogPosition(position), at: Int64(position), (0..<count).map { _ in made.location(devices) })
            if made.chance() {
                let device = made.chance(0.1) ? nil : devices.randomElement(using: &made.random)
                commit.events = [.made("e\(position)", device: device, at: Int64(position))]
                commit.deliveries = [.made("e\(position)", device: device)]
            }
            if made.chance(0.2) {
                commit.checkpoints = [
                    DeviceCheckpoint(
                        deviceID: DeviceID(devices[position % 20]), position: LogPosition(position), state: [1, 2])
                ]
            }
            if made.chance(0.2) {
                commit.advancesClock = true
                commit.clockDevices = [DeviceID(devices[(position + 3) % 20])]
            }
            try await store.commit(commit)
            if position == 30 { _ = try await store.maintain(at: MadeUp.start + .seconds(40), isForced: true) }
        }
        try await store.write {
            try $0.execute(sql: "INSERT INTO token VALUES ('t', x'00', NULL, 'a')")
            try $0.execute(sql: #"INSERT INTO broker VALUES (1, '{"host":"h","password":"p"}')"#)
            try $0.execute(
                sql: "INSERT INTO stay_correction VALUES ('device-1', 'cor_1', 1, 2, 50, 10, 'Bakery', '[]')")
            try $0.execute(sql: "INSERT INTO device_profile VALUES ('device-1', 'One', '#ff0000', x'ffd8ff')")
        }
    }

    @Test("Each partition gets the rows of its devices as they are, the configuration none, and all are sound")
    func divides() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { try await fill($0) }
        let whole = try content(scratch.database)
        #expect(whole.count > 200)
        var found: [String] = []
        for part in Self.partitioning.parts {
            let path = scratch.path("\(part).sqlite")
            try DatabaseSplit.make(part, of: Self.partitioning, from: scratch.database, to: OutputFile(path))
            let lines = try content(path)
            for line in lines {
                let device = line.prefix { $0 != " " }
                let owner = device == "-" ? .partition(0) : Self.partitioning.part(of: DeviceID(String(device)))
                #expect(owner == part, "\(line)")
            }
            #expect(part == .configuration ? lines.isEmpty : !lines.isEmpty)
            found += lines
            let problems = try Doctor.examine(path).filter { !$0.isPassed }
            let original = try Doctor.examine(scratch.database).filter { !$0.isPassed }.map(\.name)
            #expect(problems.map(\.name).filter { !original.contains($0) }.isEmpty, "\(part): \(problems)")
            let queue = try DatabaseQueue(path: path)
            let tokens = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM token") }
            #expect(tokens == 1)
            // The broker's password is where its messages are received.
            let brokers = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM broker") }
            #expect(brokers == (part == .configuration ? 1 : 0))
            try queue.close()
        }
        #expect(found.sorted() == whole)
    }

    @Test("A database with an import that is not finished is refused, and leaves no file")
    func unfinishedImport() async throws {
        let scratch = try Scratch()
        try await withStore(scratch) { store in
            try await store.write { try $0.execute(sql: "INSERT INTO import_slice VALUES ('i', 1, 0, x'', x'')") }
        }
        let path = scratch.path("p.sqlite")
        #expect(throws: StoreError.self) {
            try DatabaseSplit.make(.partition(0), of: Self.partitioning, from: scratch.database, to: OutputFile(path))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
