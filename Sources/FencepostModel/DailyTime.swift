public import Foundation

/// A time of day on some weekdays, in the local time of one zone.
///
/// A time that daylight saving time skips counts by the offset before the change, so 02:30 is 03:30 then; of one that it
/// repeats the first counts. Source of both: RFC 5545, section 3.3.5.
public struct DailyTime: Hashable, Sendable, Codable {
    /// The zone of the time and of the weekdays.
    public var timeZone: TimeZone
    /// From 0 (Monday) to 6 (Sunday); at least one.
    public var weekdays: Set<Int>
    /// Minutes after midnight, 0 to 1439.
    public var minute: Int

    /// A time in minutes after midnight, on some weekdays (0 is Monday).
    public init(minute: Int, weekdays: Set<Int> = Set(0..<7), timeZone: TimeZone) {
        (self.minute, self.weekdays, self.timeZone) = (minute, weekdays, timeZone)
    }

    /// The first such moment after this one; `distantFuture` without weekdays.
    public func next(after moment: Timestamp) -> Timestamp {
        let today = day(of: moment)
        // Yesterday's may come after midnight, where the change skipped it.
        for day in (today - 1)...(today + 8) where weekdays.contains(Self.weekday(of: day)) {
            let found = self.moment(Int64(day) * 86_400_000 + Int64(minute) * 60_000)
            if found > moment { return found }
        }
        return .distantFuture
    }

    /// The end of the local day of a moment.
    public func endOfDay(of moment: Timestamp) -> Timestamp { self.moment(Int64(day(of: moment) + 1) * 86_400_000) }

    /// Days since 1970-01-01 of the local date.
    private func day(of moment: Timestamp) -> Int {
        Int((moment.milliseconds + offset(at: moment.milliseconds)).flooredQuotient(86_400_000))
    }

    /// 1970-01-01 was a Thursday.
    private static func weekday(of day: Int) -> Int { ((day + 3) % 7 + 7) % 7 }

    /// The moment of a local time in milliseconds.
    private func moment(_ local: Int64) -> Timestamp {
        // No change of a zone is nearer than a day to the next one.
        let (before, after) = (offset(at: local - 86_400_000), offset(at: local + 86_400_000))
        let first = local - max(before, after)
        if before != after, first + offset(at: first) == local { return Timestamp(milliseconds: first) }
        let second = local - min(before, after)
        if before != after, second + offset(at: second) == local { return Timestamp(milliseconds: second) }
        return Timestamp(milliseconds: local - before)
    }

    /// Milliseconds from UTC to local time; positive in the east.
    private func offset(at milliseconds: Int64) -> Int64 {
        Int64(timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))) * 1000
    }
}
