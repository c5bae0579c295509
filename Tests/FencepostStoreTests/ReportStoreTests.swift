import FencepostModel
import FencepostService
import FencepostStore
import Foundation
import Testing

@Suite("Stored report schedules") struct ReportStoreTests {
    static let created = Timestamp(milliseconds: 1_772_000_000_000)

    static func schedule(_ id: String) throws -> ReportSchedule {
        var schedule = ReportSchedule(
            id: id, name: "Vans", report: .summaries, format: .xlsx,
            timing: ReportTiming(.weekly, minute: 420, timeZone: try #require(TimeZone(identifier: "Europe/Lisbon"))),
            endpoints: ["mail"], createdAt: created)
        schedule.parameters = ["by": "device", "deviceId": "van/*"]
        return schedule
    }

    @Test("are kept across a restart, and changed only as they were read") func schedules() async throws {
        let scratch = try Scratch()
        let (one, two) = (try Self.schedule("a"), try Self.schedule("b"))
        var changed = one
        changed.isActive = false
        try await withStore(scratch) { store in
            let added = [try await store.add(two), try await store.add(one), try await store.add(changed)]
            #expect(added == [true, true, false])
            let replaced = [try await store.replace(changed, with: two), try await store.replace(one, with: changed)]
            #expect(replaced == [false, true])
        }
        try await withStore(scratch) { [changed] store in
            #expect(try await store.reportSchedules() == [changed, two])
            let removed = [try await store.remove(one), try await store.remove(changed)]
            #expect(removed == [false, true])
            #expect(try await store.reportSchedules() == [two])
        }
    }

    @Test("a report is in the outbox with the note of it, or not at all") func sending() async throws {
        let scratch = try Scratch()
        let schedule = try Self.schedule("a")
        let run = schedule.timing.latest(at: Self.created)
        var sent = schedule
        sent.lastSent = ReportSchedule.Sent(run: run, at: Self.created, eventID: "evt_1")
        let event = NewEvent(
            id: "evt_1", type: "report.ready", deviceID: nil, timestamp: Self.created,
            body: #"{"id":"evt_1","type":"report.ready"}"#)
        let message = NewDelivery(
            endpointID: "mail", eventID: "evt_1", deviceID: nil, body: "{}", headers: [:], isOrdered: false)
        try await withStore(scratch) { [sent] store in
            _ = try await store.add(schedule)
            var other = schedule
            other.name = "Other"
            let results = [
                try await store.send(other, as: sent, event, [message], at: Self.created),
                try await store.send(schedule, as: sent, event, [message], at: Self.created),
                // The same report again, as after a restore of the schedule.
                try await store.replace(sent, with: schedule),
                try await store.send(schedule, as: sent, event, [message], at: Self.created + .seconds(1)),
            ]
            #expect(results == [false, true, true, true])
            #expect(try await store.reportSchedules() == [sent])
            #expect(
                try await store.deliveries(endpoint: "mail", status: nil, event: nil, after: 0, limit: 9).count == 1)
        }
    }
}
