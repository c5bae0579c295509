import FencepostModel
import Foundation
import Testing

@testable import FencepostService

@Suite("iCalendar file") struct ICalendarFileTests {
    private static let lisbon = TimeZone(identifier: "Europe/Lisbon") ?? .gmt

    /// A file with one event of these lines, which begin at line 3.
    private static func file(_ lines: String...) -> ICalendarFile {
        let text = (["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR", ""])
            .joined(separator: "\r\n")
        return ICalendarFile(text, zone: lisbon)
    }

    private static func dates(_ calendar: PlanCalendar, from text: String, count: Int) -> [String] {
        var (day, found): (Int, [String]) = (Timestamp.day(date: text) ?? 0, [])
        while found.count < count, let next = calendar.next(from: day) {
            found.append(Timestamp.date(day: next))
            day = next + 1
        }
        return found
    }

    private static func problems(_ file: ICalendarFile) -> [String] {
        file.diagnostics.map { diagnostic in
            guard case .line(let line) = diagnostic.position else { return "?" }
            return "\(line) \(diagnostic.severity.rawValue) \(diagnostic.code)"
        }
    }

    @Test("has windows and dates of events that happen daily, weekly and once")
    func recurrences() throws {
        let daily = Self.file(
            "DTSTART;TZID=Europe/Berlin:20260302T221500", "DTEND;TZID=Europe/Berlin:20260303T001500",
            "RRULE:FREQ=DAILY;UNTIL=20260305T211500Z", "EXDATE;TZID=Europe/Berlin:20260303T221500", "SUMMARY:Gate")
        let first = try #require(daily.entries.first)
        #expect(first.timeZone.identifier == "Europe/Berlin" && first.start == 1335 && first.end == 1455)
        #expect(Self.dates(first.calendar, from: "2026-01-01", count: 9) == ["2026-03-02", "2026-03-04", "2026-03-05"])
        let weekly = Self.file(
            "DTSTART:20260302T080000Z", "DURATION:PT1H30M", "RRULE:FREQ=WEEKLY;BYDAY=TU,FR;COUNT=4;WKST=MO",
            "SUMMARY:Gate",
            "LOCATION:North\\, gate")
        let second = try #require(weekly.entries.first)
        #expect(second.timeZone == .gmt && second.end - second.start == 90 && second.location == "North, gate")
        #expect(
            Self.dates(second.calendar, from: "2026-01-01", count: 9) == [
                "2026-03-03", "2026-03-06", "2026-03-10", "2026-03-13",
            ])
        let once = Self.file("DTSTART:20260302T080000", "DURATION:PT15M", "SUMMARY;LANGUAGE=en:Ga", " te")
        let third = try #require(once.entries.first)
        #expect(third.summary == "Gate" && third.timeZone == Self.lisbon)
        #expect(Self.dates(third.calendar, from: "2026-01-01", count: 9) == ["2026-03-02"])
        for file in [daily, weekly, once] { #expect(Self.problems(file) == []) }
    }

    @Test("says by line what it does not understand")
    func problems() {
        let start = "DTSTART:20260302T080000"
        func problems(_ lines: [String]) -> [String] {
            let text = (["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR"])
                .joined(separator: "\n")
            return Self.problems(ICalendarFile(text, zone: Self.lisbon))
        }
        for (lines, found) in [
            ([start, "DURATION:PT1H", "SUMMARY:a", "RRULE:FREQ=MONTHLY"], ["6 error not_understood"]),
            ([start, "DURATION:PT1H", "SUMMARY:a", "RRULE:FREQ=WEEKLY;INTERVAL=2"], ["6 error not_understood"]),
            ([start, "DURATION:PT1H", "SUMMARY:a", "RRULE:FREQ=WEEKLY;BYDAY=1MO"], ["6 error not_understood"]),
            ([start, "DURATION:PT1H", "SUMMARY:a", "RDATE:20260303T080000"], ["6 error not_understood"]),
            (
                [start, "DURATION:PT1H", "SUMMARY:a", "EXDATE:20260303T090000", "RRULE:FREQ=DAILY"],
                ["6 error not_understood"]
            ),
            ([start, "SUMMARY:a"], ["2 error not_understood"]), ([start, "DURATION:PT1H"], ["2 error not_understood"]),
            (["DURATION:PT1H", "SUMMARY:a"], ["2 error not_understood"]),
            (["DTSTART;VALUE=DATE:20260302", "DURATION:PT1H", "SUMMARY:a"], ["3 error not_understood"]),
            (
                ["DTSTART;TZID=W. Europe Standard Time:20260302T080000", "DURATION:PT1H", "SUMMARY:a"],
                ["3 error unknown_time_zone"]
            ),
            ([start, "DTEND:20260302T080000", "SUMMARY:a"], ["4 error window_ends_before_it_begins"]),
            ([start, "DURATION:P2D", "SUMMARY:a"], ["4 error window_too_long"]),
            ([start, "DURATION:soon", "SUMMARY:a"], ["4 error not_understood"]),
            ([start, "DURATION:PT1H", "SUMMARY:a", "FOO:1"], ["6 warning not_understood"]),
            (
                [start, "DURATION:PT1H", "SUMMARY:a", "STATUS:CANCELLED"],
                ["6 warning not_understood", "1 error no_events"]
            ),
            ([start, "DURATION:PT1H", "SUMMARY:a", "nothing"], ["6 error not_icalendar"]),
        ] {
            #expect(problems(lines) == found, "\(lines)")
        }
        #expect(Self.problems(ICalendarFile("hello: world", zone: .gmt)) == ["1 error not_icalendar"])
        #expect(Self.problems(ICalendarFile("", zone: .gmt)) == ["1 error not_icalendar"])
        #expect(Self.problems(ICalendarFile("BEGIN:VCALENDAR\nBEGIN:VEVENT", zone: .gmt)) == ["2 error not_icalendar"])
    }

    @Test("survives any text", arguments: 0..<200 as Range<UInt64>)
    func anything(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let parts = [
            "BEGIN:VCALENDAR\n", "BEGIN:VEVENT\n", "END:VEVENT\n", "DTSTART:20260302T080000\n",
            "RRULE:FREQ=DAILY;COUNT=10000\n",
            "DURATION:PT9999999H\n", "DURATION:P1W\n", "SUMMARY:é\n", " \n", ";=:,\"",
            "DTSTART;TZID=\"a:b\":99999999T999999\n",
            "UNTIL=", "\u{0}", "END:VCALENDAR\n", "EXDATE:,\n", "RRULE:FREQ=WEEKLY;BYDAY=\n",
        ]
        var text = "BEGIN:VCALENDAR\n"
        for _ in 0..<Int.random(in: 0...30, using: &random) { text += parts.randomElement(using: &random) ?? "" }
        let file = ICalendarFile(text, zone: .gmt)
        for entry in file.entries { #expect(entry.start < entry.end && Plan.minutes.contains(entry.end)) }
    }
}
