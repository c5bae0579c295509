public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: ImportStore {
    public func add(_ job: ImportJob) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO import (id, state, file, format, created_at, device_id, locations, stored, duplicates,
                      ignored, events, rejected, dropped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    job.id, job.state.rawValue, job.file, job.format, job.createdAt.milliseconds,
                    job.deviceID?.rawValue, job.locations, job.stored, job.duplicates, job.ignored,
                    try JSONColumn.encode(job.events), job.rejected, try JSONColumn.encode(job.dropped),
                ])
        }
    }

    public func stage(_ fixes: [Location], number: Int, of job: String) async throws {
        var encoder = FixEncoder(receivedAt: Timestamp(milliseconds: 0), capacity: fixes.count)
        for fix in fixes { encoder.append(StoredLocation(fix), receivedAt: Timestamp(milliseconds: 0)) }
        let (devices, bytes) = (DeviceList.encode(encoder.devices), encoder.data)
        try await write { db in
            try db.cachedStatement(
                sql: "INSERT INTO import_slice (import_id, number, count, devices, fixes) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [job, number, fixes.count, devices, bytes])
        }
    }

    public func begin(_ job: ImportJob) async throws {
        let isStaged = try await write { db in
            try db.execute(
                sql: """
                    UPDATE import SET state = 'storing', format = ?, locations = ?, ignored = ?, rejected = ?,
                      dropped = ? WHERE id = ? AND state = 'staging'
                    """,
                arguments: [
                    job.format, job.locations, job.ignored, job.rejected, try JSONColumn.encode(job.dropped), job.id,
                ])
            return db.changesCount > 0
        }
        guard isStaged else { throw StoreError(.busy, "The storage was opened again; send the file again.") }
    }

    public func nextImport() async throws -> ImportJob? {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ImportJob.columns) FROM import WHERE state IN ('storing', 'paused')
                      AND NOT \(Migrations.isSetAside(.import, "import.id")) ORDER BY number
                    """
                // One that cannot be read does not keep the others waiting.
            ).lazy.compactMap { try? ImportJob(row: $0) }.first
        }
    }

    public func nextSlice(of job: String) async throws -> (number: Int, fixes: [Location], isLast: Bool)? {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT number, devices, fixes FROM import_slice WHERE import_id = ? ORDER BY number LIMIT 2",
                arguments: [job])
            guard let row = rows.first else { return nil }
            let fixes = try FixDecoder.all(
                [UInt8](row[2] as Data), devices: DeviceList.decode([UInt8](row[1] as Data)))
            return try (row[0], fixes.map(\.location), rows.count == 1)
        }
    }

    public func importJob(_ id: String) async throws -> ImportJob? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT \(ImportJob.columns) FROM import WHERE id = ?", arguments: [id])
                .map { try ImportJob(row: $0) }
        }
    }

    public func imports(limit: Int) async throws -> [ImportJob] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ImportJob.columns) FROM import WHERE state <> 'staging' ORDER BY number DESC
                    LIMIT \(max(0, limit))
                    """
            ).map { try ImportJob(row: $0) }
        }
    }

    public func setState(_ state: ImportJob.State, ofImport id: String) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE import SET state = ? WHERE id = ? AND state NOT IN ('done', 'cancelled')",
                arguments: [state.rawValue, id])
        }
    }

    public func cancelImport(_ id: String) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE import SET state = 'cancelled' WHERE id = ? AND state NOT IN ('done', 'cancelled')
                    """, arguments: [id])
            guard db.changesCount > 0 else { return false }
            try db.execute(sql: "DELETE FROM import_slice WHERE import_id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM set_aside WHERE kind = 'import' AND id = ?", arguments: [id])
            return true
        }
    }

    public func evaluationProgress(ofImport id: String) async throws -> Double? {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT start_time, from_time, through_time FROM evaluation WHERE import_id = ?",
                arguments: [id])
            guard !rows.isEmpty else { return nil }
            let shares = try rows.map { row in
                let (start, from, through): (Int64, Int64, Int64) = try (row[0], row[1], row[2])
                return through > start ? min(max(Double(from - start) / Double(through - start), 0), 1) : 0
            }
            return shares.reduce(0, +) / Double(shares.count)
        }
    }

    /// Removes imports whose file was not staged completely: their request has no answer.
    func removeStagedImports() async throws(StoreError) {
        let staging = "SELECT id FROM import WHERE state = 'staging'"
        guard try await read({ db in try String.fetchOne(db, sql: staging) != nil }) else { return }
        try await write { db in
            try db.execute(sql: "DELETE FROM import_slice WHERE import_id IN (\(staging))")
            try db.execute(sql: "DELETE FROM import WHERE state = 'staging'")
        }
    }
}

extension ImportJob {
    fileprivate static let columns = """
        id, CASE WHEN state = 'evaluating' AND NOT EXISTS (SELECT 1 FROM evaluation WHERE import_id = import.id)
          THEN 'done' WHEN state = 'storing' AND \(Migrations.isSetAside(.import, "import.id")) THEN 'paused'
          ELSE state END, file, format, created_at, device_id, locations, stored, duplicates, ignored, events, rejected,
          dropped
        """

    fileprivate init(row: Row) throws {
        guard let state = try State(rawValue: row[1]) else {
            throw StoreError(.corrupt, "A stored import cannot be read.")
        }
        try self.init(
            id: row[0], file: row[2], format: row[3], createdAt: Timestamp(milliseconds: row[4]), locations: row[6],
            ignored: row[9], rejected: row[11])
        self.state = state
        deviceID = try (row[5] as String?).map { DeviceID($0) }
        (stored, duplicates) = try (row[7], row[8])
        events = try JSONColumn.decode([String: Int].self, row[10])
        dropped = try JSONColumn.decode([String: Int].self, row[12])
    }
}
