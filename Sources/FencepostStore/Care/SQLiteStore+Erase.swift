import FencepostJSON
public import FencepostModel
import FencepostService
import Foundation
import GRDB

extension SQLiteStore {
    /// Removes what is stored of a device for good (rule P2): on return neither the database nor its write-ahead log
    /// hold it, nor the unused parts of pages. Commits wait while these are overwritten, about a second for each
    /// gigabyte. Tokens bound to the device stay, as do patterns of regions and endpoints that name it.
    ///
    /// - Throws: `busy` when a long reader (a backup) keeps the write-ahead log from being emptied; then all is gone
    ///   but from there, and asking again ends it. With an external checkpointer the log is that program's.
    public func erase(_ device: DeviceID) async throws {
        await gate.enter()
        let result = await Result { () async throws(StoreError) in try await eraseRows(of: device) }
        await gate.leave()
        try result.get()
        guard settings.checkpoint == .automatic else { return }
        let scrubber = scrubber
        for _ in 0..<100 {
            let isDone = try await writeWithoutTransaction { db in
                guard try Self.checkpoint(db) else { return false }
                let roots = try UInt32.fetchAll(db, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
                // Pages that the writer remembers would bring back what is overwritten.
                db.releaseMemory()
                try scrubber.scrub(roots: roots)
                db.releaseMemory()
                return true
            }
            if isDone { return }
            // Readers take milliseconds; each has to see the database as it began.
            try await Task.sleep(for: .milliseconds(20))
        }
        throw StoreError(.busy, "Somebody reads the database for long; erase again when the reading is over.")
    }

    private func eraseRows(of device: DeviceID) async throws(StoreError) {
        let end = tail.position
        let id = device.rawValue
        _ = try await delete(from: "segment", "device_id = ?", [id], slice: 10)
        try await eraseLog(of: device, through: end)

        for table in ["event", "visit", "decision", "quarantine", "report", "delivery"] {
            _ = try await delete(from: table, "device_id = ?", [id])
        }
        // What other rows say of it: events of the service, and answers that are kept to be given again.
        for form in Self.forms(of: id) {
            _ = try await delete(from: "event", "device_id IS NULL AND instr(body, ?)", [form])
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
            try db.execute(sql: "DELETE FROM forgotten WHERE device_id = ?", arguments: [id])
        }
    }

    /// The id as it stands in columns, in JSON text and in paths.
    private static func forms(of id: String) -> Set<String> {
        var writer = JSONWriter()
        writer.value(id)
        let json = String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
        let path = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~")))
        return [id, json, json.replacing("/", with: "\\/"), path ?? id]
    }

    /// Writes the log's rows anew without the device, a few at a time.
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
                        db.cachedStatement(sql: "SELECT received_at, devices, fixes FROM log WHERE position = ?"),
                        arguments: [position])
                    guard let row else { continue }
                    let receivedAt = Timestamp(milliseconds: row[0])
                    var commit = Commit(position: position, receivedAt: receivedAt)
                    commit.locations = try LogRow.fixes(devices: row[1], fixes: row[2]).map(\.stored)
                        .filter { $0.location.deviceID != device }
                    let rest = LogRow(commit)
                    try db.cachedStatement(
                        sql: "UPDATE log SET count = ?, devices = ?, fixes = ? WHERE position = ?"
                    ).execute(arguments: [rest.count, rest.deviceBytes, rest.fixBytes, position])
                }
            }
            position = last
        }
    }
}

extension Result where Failure == StoreError {
    /// What an asynchronous body came to.
    init(_ body: () async throws(StoreError) -> Success) async {
        do throws(StoreError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
