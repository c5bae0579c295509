public import FencepostModel
public import FencepostService
import Synchronization

/// Schedules of reports in memory, over an outbox in memory.
public final class MemoryReports: ReportStore {
    private let outbox: MemoryOutbox
    private let schedules = Mutex<[String: ReportSchedule]>([:])

    /// Schedules whose reports go to an outbox.
    public init(_ outbox: MemoryOutbox) { self.outbox = outbox }

    /// All schedules, by id.
    public func reportSchedules() async throws -> [ReportSchedule] {
        schedules.withLock { $0.values.sorted { $0.id < $1.id } }
    }

    /// Adds a schedule; `false` when one with its id exists.
    public func add(_ schedule: ReportSchedule) async throws -> Bool {
        schedules.withLock { schedules in
            guard schedules[schedule.id] == nil else { return false }
            schedules[schedule.id] = schedule
            return true
        }
    }

    /// Replaces a schedule that is as it was read.
    public func replace(_ former: ReportSchedule, with schedule: ReportSchedule) async throws -> Bool {
        change(former, to: schedule)
    }

    /// Removes a schedule that is as it was read.
    public func remove(_ schedule: ReportSchedule) async throws -> Bool { change(schedule, to: nil) }

    /// Replaces a schedule, and adds a report of it to the outbox; fails while the outbox is set to fail.
    public func send(
        _ former: ReportSchedule, as schedule: ReportSchedule, _ event: NewEvent, _ deliveries: [NewDelivery],
        at now: Timestamp
    ) async throws -> Bool {
        guard schedules.withLock({ $0[former.id] == former }) else { return false }
        try await outbox.settle([], events: [event], deliveries: deliveries)
        return change(former, to: schedule)
    }

    private func change(_ former: ReportSchedule, to schedule: ReportSchedule?) -> Bool {
        schedules.withLock { schedules in
            guard schedules[former.id] == former else { return false }
            schedules[former.id] = schedule
            return true
        }
    }
}
