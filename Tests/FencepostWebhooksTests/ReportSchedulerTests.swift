import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostService
import FencepostServiceTesting
import Foundation
import Synchronization
import Testing

@testable import FencepostWebhooks

/// Gives the same outcome for every report, and notes what it was asked for.
private final class FixedReports: ReportSource {
    private let state: Mutex<(outcome: ReportOutcome, asked: [String])>

    init(_ outcome: ReportOutcome) { state = Mutex((outcome, [])) }

    var asked: [String] { state.withLock { $0.asked } }
    func answer(_ outcome: ReportOutcome) { state.withLock { $0.outcome = outcome } }

    func file(at target: String) async -> ReportOutcome {
        state.withLock { state in
            state.asked.append(target)
            return state.outcome
        }
    }
}

@Suite("Reports on a schedule") struct ReportSchedulerTests {
    private static let csv = ReportFile(name: "summary.csv", type: "text/csv", bytes: Array("a,b\n1,2\n".utf8))

    private static func endpoint(_ id: String, _ kind: Endpoint.Kind) -> Endpoint {
        var endpoint = Endpoint.test(id)
        endpoint.kind = kind
        if kind == .email { endpoint.url = "smtps://mail.example.com" }
        return endpoint
    }

    /// Every day at 10:00 UTC; the harness begins at 08:30.
    private static func schedule(to endpoints: String..., id: String = "daily") -> ReportSchedule {
        var schedule = ReportSchedule(
            id: id, name: "Vans & co", report: .summaries, format: .csv,
            timing: ReportTiming(.daily, minute: 600, timeZone: .gmt), endpoints: endpoints,
            createdAt: DispatchHarness.start)
        schedule.parameters = ["by": "device", "deviceId": "van/*"]
        return schedule
    }

    private struct Setting {
        let harness: DispatchHarness
        let store: MemoryReports
        let scheduler: ReportScheduler

        init(_ reports: any ReportSource) {
            harness = DispatchHarness(reports: reports)
            store = MemoryReports(harness.outbox)
            scheduler = ReportScheduler(store: store, dispatcher: harness.dispatcher)
        }

        func advance(by span: Duration) async {
            await harness.advance(by: span)
            await scheduler.makeDue()
            await harness.settle()
        }
    }

    @Test("are mailed once each day, with the file of the day before") func daily() async throws {
        let reports = FixedReports(.file(Self.csv))
        let setting = Setting(reports)
        let (harness, store) = (setting.harness, setting.store)
        try await harness.run {
            try await harness.add(Self.endpoint("mail", .email))
            _ = try await store.add(Self.schedule(to: "mail"))
            await setting.advance(by: .seconds(5399))
            #expect(harness.sender.sent.isEmpty)
            for _ in 0..<4 { await setting.advance(by: .seconds(1)) }
            let sent = harness.sender.sent
            #expect(sent.count == 1)
            let message = try #require(sent.first?.request.personal)
            #expect(message.text.title == "Vans & co: 2026-02-28")
            #expect(message.text.body == "Summary of 2026-02-28, GMT")
            #expect(message.file?.name == "summary-2026-02-28.csv" && message.file?.bytes == Self.csv.bytes)
            #expect(
                reports.asked == [
                    "/v1/summaries?by=device&deviceId=van%2F%2A&format=csv&from=2026-02-28T00%3A00%3A00Z&timeZone=GMT"
                        + "&to=2026-03-01T00%3A00%3A00Z"
                ])
            await setting.advance(by: .seconds(86_400))
            await setting.advance(by: .seconds(1))
            #expect(harness.sender.sent.map { $0.request.personal?.text.title }.last == "Vans & co: 2026-03-01")
            #expect(harness.sender.sent.count == 2)
            let schedule = try await store.reportSchedules()[0]
            #expect(schedule.lastSent?.run.due == DispatchHarness.start + .seconds(5400 + 86_400))
        }
    }

    @Test("of several that were missed only the last is sent, once") func missed() async throws {
        let setting = Setting(FixedReports(.file(Self.csv)))
        let harness = setting.harness
        try await harness.run {
            try await harness.add(Self.endpoint("mail", .email))
            _ = try await setting.store.add(Self.schedule(to: "mail"))
            await setting.advance(by: .seconds(5 * 86_400))
            for _ in 0..<3 { await setting.advance(by: .seconds(60)) }
            #expect(harness.sender.sent.map { $0.request.personal?.text.title } == ["Vans & co: 2026-03-04"])
        }
    }

    @Test("are made again by a process that did not note them, and not sent again") func repeated() async throws {
        let setting = Setting(FixedReports(.file(Self.csv)))
        let harness = setting.harness
        try await harness.run {
            try await harness.add(Self.endpoint("mail", .email))
            let schedule = Self.schedule(to: "mail")
            _ = try await setting.store.add(schedule)
            harness.outbox.failWrites(true)
            await setting.advance(by: .seconds(6000))
            #expect(harness.sender.sent.isEmpty)
            #expect(try await setting.store.reportSchedules()[0].lastSent == nil)
            harness.outbox.failWrites(false)
            await setting.advance(by: .seconds(5))
            #expect(harness.sender.sent.count == 1)
            // As after a restore of the schedule from before the report.
            let stored = try await setting.store.reportSchedules()[0]
            #expect(try await setting.store.replace(stored, with: schedule))
            await setting.advance(by: .seconds(5))
            #expect(harness.sender.sent.count == 1)
        }
    }

    @Test("a report that cannot be made now is tried again; one that never can says why") func failing() async throws {
        let reports = FixedReports(.unavailable("A partition does not answer."))
        let setting = Setting(reports)
        let harness = setting.harness
        try await harness.run {
            try await harness.add(Self.endpoint("mail", .email))
            _ = try await setting.store.add(Self.schedule(to: "mail"))
            await setting.advance(by: .seconds(5400))
            #expect(harness.sender.sent.isEmpty)
            let first = try #require(harness.outbox.records.first)
            #expect(first.status == .pending && first.attempts.first?.failure == .report)
            #expect(first.attempts.first?.excerpt == "A partition does not answer.")
            reports.answer(.refused("The group does not exist."))
            await harness.advance(by: .seconds(120))
            #expect(harness.sender.sent.count == 1)
            let message = try #require(harness.sender.sent.first?.request.personal)
            #expect(message.file == nil && message.text.body.hasSuffix("cannot be made: The group does not exist."))
        }
    }

    @Test("a webhook gets the address of the file, and a file that is too large is left out") func others() async throws
    {
        var large = Self.csv
        large.bytes = [UInt8](repeating: 0x61, count: 11_000_000)
        let setting = Setting(FixedReports(.file(large)))
        let harness = setting.harness
        try await harness.run {
            try await harness.add(Endpoint.test("hook"), Self.endpoint("chat", .discord), Endpoint.test("other"))
            _ = try await setting.store.add(Self.schedule(to: "hook", "chat"))
            await setting.advance(by: .seconds(5400))
            let sent = Dictionary(grouping: harness.sender.sent, by: \.request.endpointID)
            #expect(Set(sent.keys) == ["hook", "chat"])
            let body = try JSONDocument(parsing: Array(try #require(sent["hook"]?.first).request.body.utf8)).root
            #expect(body["type"]?.string == "report.ready" && body["data"]?["schedule"]?["id"]?.string == "daily")
            #expect(body["data"]?["report"]?["path"]?.string?.hasPrefix("/v1/summaries?by=device&") == true)
            #expect(body["data"]?["recipients"] == nil)
            let chat = try #require(sent["chat"]?.first?.request.personal)
            #expect(chat.file == nil && chat.text.body.contains("The file has 11 MB, and at most 10 MB can be sent"))
        }
    }

    @Test("neither quiet hours nor collected messages nor templates keep a report") func settings() async throws {
        let setting = Setting(FixedReports(.file(Self.csv)))
        let harness = setting.harness
        var endpoint = Self.endpoint("mail", .email)
        endpoint.quietHours = Endpoint.QuietHours(timeZone: "UTC", weekly: ["Mo-Su 00:00-23:59"], drops: true)
        endpoint.people.group = .seconds(600)
        endpoint.people.title = "{{device}} is somewhere"
        let mail = endpoint
        try await harness.run {
            try await harness.add(mail)
            _ = try await setting.store.add(Self.schedule(to: "mail", id: "a"))
            _ = try await setting.store.add(Self.schedule(to: "mail", id: "b"))
            await setting.advance(by: .seconds(5400))
            #expect(
                harness.sender.sent.map { $0.request.personal?.text.title }
                    == Array(repeating: "Vans & co: 2026-02-28", count: 2))
        }
    }

    @Test("a disabled schedule is not made, and one that is enabled does not catch up") func disabled() throws {
        var schedule = Self.schedule(to: "mail")
        let later = DispatchHarness.start + .seconds(6000)
        #expect(schedule.due(at: later) != nil && schedule.due(at: DispatchHarness.start) == nil)
        schedule.isActive = false
        #expect(schedule.due(at: later) == nil && schedule.next(after: later) == nil)
        (schedule.isActive, schedule.since) = (true, later)
        #expect(schedule.due(at: later) == nil)
        #expect(schedule.next(after: later) == DispatchHarness.start + .seconds(5400 + 86_400))
    }
}
