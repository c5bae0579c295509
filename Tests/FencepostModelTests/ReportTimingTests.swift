import FencepostModel
import Foundation
import Testing

@Suite("When reports are made") struct ReportTimingTests {
    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private static func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    @Test("a daily report is about the local day before")
    func daily() throws {
        let timing = ReportTiming(.daily, minute: 7 * 60, timeZone: try Self.zone("Europe/Lisbon"))
        let run = timing.latest(at: try Self.time("2026-07-10T06:00:00Z"))
        #expect(run.due == (try Self.time("2026-07-10T06:00:00Z")))
        #expect(run.start == (try Self.time("2026-07-08T23:00:00Z")))
        #expect(run.end == (try Self.time("2026-07-09T23:00:00Z")))
        #expect(timing.latest(at: run.due - .milliseconds(1)).due == (try Self.time("2026-07-09T06:00:00Z")))
        #expect(timing.next(after: run.due).due == (try Self.time("2026-07-11T06:00:00Z")))
        #expect(timing.dates(of: run) == ("2026-07-09", "2026-07-09"))
    }

    @Test("a weekly report begins on its day and has the hours that the clocks lose")
    func weekly() throws {
        // The clocks go forward on Sunday, 29 March 2026.
        let timing = ReportTiming(.weekly, weekday: 0, minute: 7 * 60 + 30, timeZone: try Self.zone("Europe/Berlin"))
        let run = timing.latest(at: try Self.time("2026-04-02T12:00:00Z"))
        #expect(run.due == (try Self.time("2026-03-30T05:30:00Z")))
        #expect(run.end - run.start == .seconds(7 * 86_400 - 3600))
        #expect(timing.dates(of: run) == ("2026-03-23", "2026-03-29"))
        #expect(timing.next(after: run.due).due == (try Self.time("2026-04-06T05:30:00Z")))
    }

    @Test(
        "a monthly report is about the month before",
        arguments: [
            ("2026-03-01T00:30:00Z", "2026-02-01", "2026-02-28"), ("2024-03-31T23:00:00Z", "2024-02-01", "2024-02-29"),
            ("2026-01-15T00:00:00Z", "2025-12-01", "2025-12-31"), ("2026-01-01T00:29:00Z", "2025-11-01", "2025-11-30"),
        ])
    func monthly(_ now: String, _ first: String, _ last: String) throws {
        let timing = ReportTiming(.monthly, minute: 30, timeZone: .gmt)
        let run = timing.latest(at: try Self.time(now))
        #expect(timing.dates(of: run) == (first, last))
        #expect(try timing.next(after: Self.time(now)).due > Self.time(now))
    }

    @Test("days can begin at four o'clock")
    func dayStart() throws {
        let timing = ReportTiming(.daily, minute: 300, dayStart: 240, timeZone: .gmt)
        let run = timing.latest(at: try Self.time("2026-03-10T12:00:00Z"))
        #expect(run.start == (try Self.time("2026-03-09T04:00:00Z")))
        #expect(timing.dates(of: run) == ("2026-03-09", "2026-03-09"))
    }

    @Test("each period follows the one before, in every zone", arguments: ReportTiming.Frequency.allCases)
    func noGaps(_ frequency: ReportTiming.Frequency) throws {
        for name in ["Europe/Lisbon", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "UTC"] {
            let timing = ReportTiming(frequency, weekday: 3, minute: 150, timeZone: try Self.zone(name))
            var run = timing.latest(at: try Self.time("2025-01-01T00:00:00Z"))
            for _ in 0..<(frequency == .daily ? 800 : 60) {
                let next = timing.next(after: run.due)
                #expect(next.start == run.end && next.end <= next.due && next.due > run.due, "\(name)")
                #expect(timing.latest(at: next.due) == next && timing.latest(at: next.due - .milliseconds(1)) == run)
                run = next
            }
        }
    }
}
