import FencepostJSON
public import FencepostModel
import FencepostService
import Foundation
import GRDB

extension SQLiteStore {
    /// Erases all stored data of a device (rule P2), in the database, its write-ahead log and the unused parts of its pages.
    ///
    /// Commits wait while unused parts are overwritten, about a second per gigabyte. Tokens of the device stay, and patterns
    /// of endpoints that name it. With an external checkpointer, the write-ahead log is left to that program.
    ///
    /// - Throws: `busy` when a long reader, such as a backup, prevents the checkpoint of the write-ahead log. The data is
    ///   erased everywhere else then; another call completes it.
    public func erase(_ device: DeviceID) async throws {
        await maintenanceLock.acquire()
        let result = await Result { () async throws(StoreError) in try await eraseRows(of: device) }
        await maintenanceLock.release()
        try result.get()
        guard settings.checkpoint == .automatic else { return }
        let pageEraser = pageEraser
        for _ in 0..<100 {
            let isDone = try await writeWithoutTransaction { db in try pageEraser.scrub(db) }
            if isDone { return }
            // Most readers take milliseconds.
            try await access.pause(for: .milliseconds(20))
        }
        throw StoreError(.busy, "A long read, such as a backup, is in progress; erase again when it has ended.")
    }

    private func eraseRows(of device: DeviceID) async throws(StoreError) {
        try await keepNewestFix()
        let end = tail.position
        let id = device.rawValue
        _ = try await delete(from: "segment", "device_id = ?", [id], slice: 10)
        try await eraseLog(of: device, through: end)
        try await eraseImports(of: device)

        try await eraseEvents(of: device, forms: Self.forms(of: id))
        try await erasePairs(of: device)
        for table in ["visit", "decision", "quarantine", "report", "delivery"] {
            _ = try await delete(from: table, "device_id = ?", [id])
        }
        // Other rows that name it: stored responses.
        for form in Self.forms(of: id) {
            _ = try await delete(from: "quarantine", "device_id IS NULL AND instr(detail, ?)", [form])
            _ = try await delete(
                from: "idempotency",
                """
                status IS NOT NULL AND (instr(body, CAST(?1 AS BLOB)) OR instr(headers, ?1) OR instr(route, ?1)
                  OR instr(key, ?1))
                """, [form])
        }
        try await write { db in
            try db.execute(sql: "DELETE FROM device WHERE id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM live_position WHERE device_id = ?", arguments: [id])
            for table in [
                "forgotten", "snapshot", "evaluation", "evaluation_floor", "device_profile", "stay_correction",
                "fence_change", "proximity_task",
            ] {
                try db.execute(sql: "DELETE FROM \(table) WHERE device_id = ?", arguments: [id])
            }
            try db.execute(sql: "DELETE FROM set_aside WHERE kind = 'device' AND id = ?", arguments: [id])
            // A share link without devices would show nothing.
            try db.execute(sql: "DELETE FROM share_device WHERE device_id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM share WHERE id NOT IN (SELECT share_id FROM share_device)")
            for form in Self.forms(of: id) {
                try db.execute(
                    sql: "UPDATE import SET rejected = '[]', file = NULL WHERE instr(rejected, ?1) OR instr(file, ?1)",
                    arguments: [form])
            }
            try db.execute(sql: "UPDATE import SET device_id = NULL WHERE device_id = ?", arguments: [id])
        }
    }

    /// Erases the events of other devices that name the device, with their messages and what is known of its pairs.
    private func erasePairs(of device: DeviceID) async throws(StoreError) {
        let id = device.rawValue
        let causes = try await read { db in
            try String.fetchAll(
                db, sql: "SELECT event_id FROM proximity_event WHERE device_id = ?1 OR other_id = ?1", arguments: [id])
        }
        if !causes.isEmpty { try await eraseEvents(ofCauses: causes) }
        _ = try await delete(from: "proximity_event", "device_id = ?1 OR other_id = ?1", [id])
    }

    /// The id as it occurs in columns, in JSON and in paths.
    private static func forms(of id: String) -> Set<String> {
        var writer = JSONWriter()
        writer.value(id)
        let json = String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
        return [id, json, json.replacing("/", with: "\\/"), id.percentEncoded]
    }

    /// Rewrites the parts of imports that are not stored yet without the device.
    private func eraseImports(of device: DeviceID) async throws(StoreError) {
        let name = DeviceList.encode([device])
        let slices = try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT import_id, number FROM import_slice WHERE instr(devices, ?)", arguments: [name]
            ).map { row -> (job: String, number: Int) in try (row[0], row[1]) }
        }
        for slice in slices {
            try await write { db in
                let row = try Row.fetchOne(
                    db, sql: "SELECT devices, fixes FROM import_slice WHERE import_id = ? AND number = ?",
                    arguments: [slice.job, slice.number])
                guard let row else { return }
                let fixes = try FixDecoder.all(
                    [UInt8](row[1] as Data), devices: DeviceList.decode([UInt8](row[0] as Data)))
                var encoder = FixEncoder(receivedAt: Timestamp(milliseconds: 0), capacity: fixes.count)
                var count = 0
                for fix in fixes where fix.location.deviceID != device {
                    encoder.append(fix.stored, receivedAt: Timestamp(milliseconds: 0))
                    count += 1
                }
                try db.execute(
                    sql: """
                        UPDATE import_slice SET count = ?, devices = ?, fixes = ? WHERE import_id = ? AND number = ?
                        """,
                    arguments: [count, DeviceList.encode(encoder.devices), encoder.data, slice.job, slice.number])
            }
        }
    }

    /// Rewrites the rows of the log without the device, in small transactions.
    private func eraseLog(of device: DeviceID, through end: LogPosition) async throws(StoreError) {
        let name = DeviceList.encode([device])
        var position = LogPosition.min
        while true {
            let after = position
            let positions = try await read { db in
                try LogPosition.fetchAll(
                    db,
                    sql: """
                        SELECT position FROM log WHERE position > ? AND position <= ? AND instr(devices, ?)
                        ORDER BY position LIMIT 20
                        """, arguments: [after, end, name])
            }
            guard let last = positions.last else { return }
            try await write { db in
                for position in positions {
                    let row = try Row.fetchOne(
                        db.cachedStatement(
                            sql: "SELECT received_at, devices, fixes, advances_clock FROM log WHERE position = ?"),
                        arguments: [position])
                    guard let row else { continue }
                    let receivedAt = try Timestamp(milliseconds: row[0])
                    var commit = Commit(position: position, receivedAt: receivedAt)
                    commit.advancesClock = try row[3]
                    if commit.advancesClock {
                        commit.clockDevices = try DeviceList.decode([UInt8](row[1] as Data)).filter { $0 != device }
                    }
                    commit.locations = try LogRow.fixes(devices: row[1], fixes: row[2]).map(\.stored)
                        .filter { $0.location.deviceID != device }
                    let rest = LogRow(commit)
                    try db.cachedStatement(
                        sql: "UPDATE log SET count = ?, devices = ?, fixes = ?, hash = ? WHERE position = ?"
                    ).execute(arguments: [rest.count, rest.deviceBytes, rest.fixBytes, rest.hash, position])
                }
            }
            position = last
        }
    }
}

extension Result where Failure == StoreError {
    /// The result of an asynchronous body.
    init(_ body: () async throws(StoreError) -> Success) async {
        do throws(StoreError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
