public import FencepostModel
public import FencepostService
import Foundation
import GRDB

extension SQLiteStore: ReportStore {
    /// All schedules that can be read, by id.
    public func reportSchedules() async throws -> [ReportSchedule] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, definition FROM report_schedule ORDER BY id").compactMap { row in
                let id: String = try row[0]
                return (try? JSONColumn.decode(ReportSchedule.self, row[1])).flatMap { $0.id == id ? $0 : nil }
            }
        }
    }

    /// Adds a schedule; `false` when one with its id exists.
    public func add(_ schedule: ReportSchedule) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: "INSERT INTO report_schedule (id, definition) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
                arguments: [schedule.id, try JSONColumn.encode(schedule)])
            return db.changesCount > 0
        }
    }

    /// Replaces a schedule that is as it was read.
    public func replace(_ former: ReportSchedule, with schedule: ReportSchedule) async throws -> Bool {
        try await write { db in try Self.update(former, to: schedule, db) }
    }

    /// Removes a schedule that is as it was read.
    public func remove(_ schedule: ReportSchedule) async throws -> Bool {
        try await write { db in
            guard try Self.isStored(schedule, db) else { return false }
            try db.execute(sql: "DELETE FROM report_schedule WHERE id = ?", arguments: [schedule.id])
            return true
        }
    }

    /// Stores the schedule with the event and its messages. An event that is stored already is ignored with its messages.
    public func send(
        _ former: ReportSchedule, as schedule: ReportSchedule, _ event: NewEvent, _ deliveries: [NewDelivery],
        at now: Timestamp
    ) async throws -> Bool {
        let tail = eventTail
        return try await write { db in
            guard try Self.update(former, to: schedule, db) else { return false }
            try CommitWriter(db, tail).write([event], deliveries: deliveries, at: now)
            return true
        }
    }

    private static func update(_ former: ReportSchedule, to schedule: ReportSchedule, _ db: Database) throws -> Bool {
        guard try isStored(former, db) else { return false }
        try db.execute(
            sql: "UPDATE report_schedule SET definition = ? WHERE id = ?",
            arguments: [try JSONColumn.encode(schedule), former.id])
        return true
    }

    private static func isStored(_ schedule: ReportSchedule, _ db: Database) throws -> Bool {
        let text = try String.fetchOne(
            db, sql: "SELECT definition FROM report_schedule WHERE id = ?", arguments: [schedule.id])
        return text.flatMap { try? JSONColumn.decode(ReportSchedule.self, $0) } == schedule
    }
}
