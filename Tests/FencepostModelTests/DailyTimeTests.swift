import FencepostModel
import FencepostTesting
import Foundation
import Testing

@Suite("Times of day") struct DailyTimeTests {
    private static func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    @Test(
        "come in local time, also where the clocks change",
        arguments: [
            ("2026-03-27T12:00:00Z", "2026-03-28T01:30:00Z"),
            // 02:30 is skipped, and is 03:30 of the new time.
            ("2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"),
            ("2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"),
            // 02:30 comes twice; the first counts.
            ("2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
            ("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
        ])
    func changes(after: String, next: String) throws {
        let time = DailyTime(minute: 150, timeZone: try Self.zone("Europe/Berlin"))
        #expect(time.next(after: try Self.time(after)) == (try Self.time(next)))
    }

    @Test("come on their weekdays only, by the local date")
    func weekdays() throws {
        // Monday 00:30 in Auckland is Sunday in UTC.
        let time = DailyTime(minute: 30, weekdays: [0], timeZone: try Self.zone("Pacific/Auckland"))
        #expect(time.next(after: try Self.time("2026-07-01T00:00:00Z")) == (try Self.time("2026-07-05T12:30:00Z")))
        #expect(time.endOfDay(of: try Self.time("2026-07-05T12:30:00Z")) == (try Self.time("2026-07-06T12:00:00Z")))
        #expect(DailyTime(minute: 0, weekdays: [], timeZone: .gmt).next(after: .distantPast) == .distantFuture)
    }

    /// Foundation's calendar finds the same moments, by other means.
    @Test(
        "are those of Foundation's calendar",
        arguments: ["Europe/Lisbon", "America/New_York", "Asia/Seoul", "Asia/Kathmandu"])
    func calendar(name: String) throws {
        let zone = try Self.zone(name)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let minute = Int.random(in: 0..<1440, using: &random)
            let moment = Timestamp(seconds: .random(in: 1_700_000_000...1_800_000_000, using: &random))
            let next = DailyTime(minute: minute, timeZone: zone).next(after: moment)
            let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
            let found = try #require(
                calendar.nextDate(
                    after: date, matching: DateComponents(hour: minute / 60, minute: minute % 60, second: 0),
                    matchingPolicy: .nextTimePreservingSmallerComponents, repeatedTimePolicy: .first))
            #expect(next.milliseconds == Int64(found.timeIntervalSince1970 * 1000), "\(minute) after \(moment)")
        }
    }
}
