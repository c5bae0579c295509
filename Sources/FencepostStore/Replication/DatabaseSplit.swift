public import FencepostFiles
public import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Makes the database of a cluster's part of the database of a single node: the rows of its devices, and the configuration.
public enum DatabaseSplit {
    /// Tables whose rows belong to a device; rows without one belong to the first partition.
    private static let tables = [
        "segment", "event", "visit", "decision", "quarantine", "report", "delivery", "live_position", "forgotten",
        "snapshot", "evaluation", "evaluation_floor", "device_profile", "retained_topic",
        "stay_correction", "fence_change", "proximity_event", "proximity_task",
    ]

    /// Writes the database of a part. All numbers and positions stay as they are.
    ///
    /// - Parameters:
    ///   - part: the part.
    ///   - partitioning: how the cluster divides its devices.
    ///   - database: the path of the single node's database, which no service has open.
    ///   - file: the file to write.
    /// - Throws: a `StoreError`: `invalid` while an import is not finished; or an `OutputFileError`. There is no file then.
    public static func make(
        _ part: ClusterPartition, of partitioning: Partitioning, from database: String, to file: OutputFile
    ) throws {
        try Backup.make(of: database, to: file)
        do {
            let queue = try DatabaseQueue(path: file.path)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { db in
                // The service of an older version may have been the last to run.
                try Schema.current.migrate(db, path: file.path)
                db.add(function: isOther(part, partitioning))
                try db.inTransaction {
                    try divide(db, part, partitioning)
                    return .commit
                }
                try db.execute(sql: "VACUUM")
            }
        } catch {
            for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) }
            throw StoreError(error, path: file.path)
        }
    }

    private static func belongs(_ device: DeviceID?, to part: ClusterPartition, _ partitioning: Partitioning) -> Bool {
        part == device.map { partitioning.part(of: $0) } ?? .partition(0)
    }

    private static func isOther(_ part: ClusterPartition, _ partitioning: Partitioning) -> DatabaseFunction {
        DatabaseFunction("is_other", argumentCount: 1, pure: true) { values in
            !belongs(String.fromDatabaseValue(values[0]).map { DeviceID($0) }, to: part, partitioning)
        }
    }

    private static func divide(_ db: Database, _ part: ClusterPartition, _ partitioning: Partitioning) throws {
        guard try Row.fetchOne(db, sql: "SELECT 1 FROM import_slice LIMIT 1") == nil else {
            throw StoreError(.invalid, "An import is not finished. Start the single node until it is.")
        }
        for table in tables { try db.execute(sql: "DELETE FROM \(table) WHERE is_other(device_id)") }
        // The first maintenance makes them of the rows that are left.
        for table in ["event_run", "event_page", "event_name"] { try db.execute(sql: "DELETE FROM \(table)") }
        try db.execute(sql: "DELETE FROM device WHERE is_other(id)")
        try db.execute(sql: "DELETE FROM set_aside WHERE kind = 'device' AND is_other(id)")
        if part != .partition(0) { try db.execute(sql: "DELETE FROM import") }
        // Where the configuration is, messages of the broker are received for all.
        if part != partitioning.parts.first { try db.execute(sql: "DELETE FROM broker") }
        // Rows stay where nothing is left of them: positions have no gaps.
        let positions = try LogPosition.fetchAll(db, sql: "SELECT position FROM log WHERE devices IS NOT NULL")
        for position in positions {
            guard
                let row = try Row.fetchOne(
                    db.cachedStatement(
                        sql: "SELECT received_at, devices, fixes, advances_clock FROM log WHERE position = ?"),
                    arguments: [position])
            else { continue }
            var commit = Commit(position: position, receivedAt: try Timestamp(milliseconds: row[0]))
            commit.advancesClock = try row[3]
            if commit.advancesClock {
                commit.clockDevices = try DeviceList.decode([UInt8](row[1] as Data))
                    .filter { belongs($0, to: part, partitioning) }
            }
            commit.locations = try LogRow.fixes(devices: row[1], fixes: row[2]).map(\.stored)
                .filter { belongs($0.location.deviceID, to: part, partitioning) }
            let rest = LogRow(commit)
            try db.cachedStatement(
                sql: "UPDATE log SET count = ?, devices = ?, fixes = ?, hash = ? WHERE position = ?"
            ).execute(arguments: [rest.count, rest.deviceBytes, rest.fixBytes, rest.hash, position])
        }
    }
}
