import FencepostFormats
import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import GRDB

/// Writes what a commit changes in the history of devices, inside its transaction.
struct HistoryWriter {
    let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Writes the parts of a commit that are about history, after its events.
    ///
    /// `renamed`: the ids of events that were stored under another id. `writer`: the writer of the events.
    func write(_ commit: Commit, renamed: [String: String], writer: CommitWriter) throws {
        for snapshot in commit.snapshots { try write(snapshot) }
        for record in commit.fenceRecords { try write(record) }
        try writeProximity(commit, renamed: renamed, writer: writer)
        for task in commit.evaluations { try write(task) }
        if var revision = commit.revision {
            revision.superseded = revision.superseded.mapValues { renamed[$0] ?? $0 }
            try write(revision, at: commit.receivedAt, writer)
        }
        for device in commit.finishedEvaluations {
            try execute("DELETE FROM evaluation WHERE device_id = ?", [device.rawValue])
        }
        for device in commit.released {
            try execute("UPDATE set_aside SET is_released = 1 WHERE kind = 'device' AND id = ?", [device.rawValue])
        }
        for device in commit.restored {
            try execute("DELETE FROM set_aside WHERE kind = 'device' AND id = ?", [device.rawValue])
        }
        if let progress = commit.importProgress { try write(progress) }
        if !commit.finishedEvaluations.isEmpty { try finishImports() }
    }

    func write(_ snapshot: DeviceSnapshot) throws {
        try execute(
            "INSERT OR REPLACE INTO snapshot (device_id, time, revision, state) VALUES (?, ?, ?, ?)",
            [snapshot.deviceID.rawValue, snapshot.time.milliseconds, snapshot.revision, Data(snapshot.state)])
    }

    private func write(_ record: FenceRecord) throws {
        try execute(
            "INSERT INTO fence_change (device_id, time, change) VALUES (?, ?, ?)",
            [record.deviceID.rawValue, record.time.milliseconds, try JSONColumn.encode(record.change)])
    }

    /// Ends the history of a removed device: a later evaluation starts again after its last fix.
    func forget(_ device: DeviceID, through last: Timestamp?) throws {
        try execute("DELETE FROM evaluation WHERE device_id = ?", [device.rawValue])
        try execute("DELETE FROM snapshot WHERE device_id = ?", [device.rawValue])
        try execute("DELETE FROM fence_change WHERE device_id = ?", [device.rawValue])
        try forgetProximity(device)
        guard let last, last > .distantPast else { return }
        try raiseFloor(of: device, to: last)
        try write(DeviceSnapshot(deviceID: device, time: last, revision: 0, state: []))
    }

    /// Notes that no evaluation of a device may start before a time.
    func raiseFloor(of device: DeviceID, to time: Timestamp) throws {
        try execute(
            """
            INSERT INTO evaluation_floor (device_id, time) VALUES (?, ?)
            ON CONFLICT (device_id) DO UPDATE SET time = max(time, excluded.time)
            """, [device.rawValue, time.milliseconds])
        try execute(
            "DELETE FROM snapshot WHERE device_id = ? AND time < ?", [device.rawValue, time.milliseconds])
        // Later snapshots have them.
        try execute(
            "DELETE FROM fence_change WHERE device_id = ? AND time < ?", [device.rawValue, time.milliseconds])
    }

    private func write(_ task: EvaluationTask) throws {
        try execute(
            """
            INSERT OR REPLACE INTO evaluation (device_id, start_time, from_time, through_time, received_at, regions,
              cause, import_id, is_held, generation, chunks)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                task.deviceID.rawValue, task.start.milliseconds, task.from.milliseconds, task.through.milliseconds,
                task.receivedAt.milliseconds, task.regions.rawValue, task.cause.rawValue, task.importID, task.isHeld,
                task.generation, task.chunks,
            ])
    }

    private func write(_ revision: HistoryRevision, at now: Timestamp, _ writer: CommitWriter) throws {
        try execute(
            "DELETE FROM snapshot WHERE device_id = ? AND time > ? AND time <= ? AND length(state) > 0",
            [revision.deviceID.rawValue, revision.after.milliseconds, revision.through.milliseconds])
        for snapshot in revision.snapshots { try write(snapshot) }
        for (id, successor) in revision.superseded {
            guard let event = try writer.events.summary(ofID: id) else { continue }
            try execute("UPDATE event SET superseded_by = ? WHERE number = ?", [successor, event.number])
        }
        for id in revision.visitIDs { try writeVisit(id, of: revision.deviceID, at: now, writer) }
    }

    /// Makes the row of a visit agree with its events that hold.
    private func writeVisit(_ id: String, of device: DeviceID, at now: Timestamp, _ writer: CommitWriter) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT \(EventColumns.content) FROM event
                    WHERE number IN (SELECT value FROM json_each(?2)) AND visit_id = ?1 AND superseded_by IS NULL
                      AND type IN ('visit.arrived', 'visit.departed')
                    ORDER BY type = 'visit.departed' DESC, detected_at DESC, number DESC LIMIT 1
                    """), arguments: [id, writer.events.numbers(ofVisit: id).json])
        guard let event = try row.map(EventColumns.event), let visit = event.message?.visit else {
            try execute("DELETE FROM visit WHERE id = ?", [id])
            return
        }
        try writer.write(NewVisit(visit, of: device, at: event.timestamp), of: device, at: now)
    }

    // MARK: Imports

    private func write(_ progress: ImportProgress) throws {
        let text = try String.fetchOne(
            db.cachedStatement(sql: "SELECT events FROM import WHERE id = ?"), arguments: [progress.id])
        guard let text else { return }
        let events = try JSONColumn.decode([String: Int].self, text).merging(progress.events, uniquingKeysWith: +)
        try execute(
            """
            UPDATE import SET stored = stored + ?, duplicates = duplicates + ?, events = ?,
              state = CASE WHEN state = 'cancelled' THEN state ELSE coalesce(?, state) END WHERE id = ?
            """,
            [
                progress.stored, progress.duplicates, try JSONColumn.encode(events), progress.state?.rawValue,
                progress.id,
            ])
        if let slice = progress.slice {
            try execute("DELETE FROM import_slice WHERE import_id = ? AND number = ?", [progress.id, slice])
        }
        if progress.state == .evaluating { try finishImports() }
    }

    private func finishImports() throws {
        try execute(
            """
            UPDATE import SET state = 'done' WHERE state = 'evaluating'
              AND NOT EXISTS (SELECT 1 FROM evaluation WHERE import_id = import.id)
            """, [])
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
