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
        let today = timeZone.day(of: moment)
        // Yesterday's may come after midnight, where the change skipped it.
        for day in (today - 1)...(today + 8) where weekdays.contains(TimeZone.weekday(of: day)) {
            let found = self.moment(Int64(day) * 86_400_000 + Int64(minute) * 60_000)
            if found > moment { return found }
        }
        return .distantFuture
    }

    /// The end of the local day of a moment.
    public func endOfDay(of moment: Timestamp) -> Timestamp {
        self.moment(Int64(timeZone.day(of: moment) + 1) * 86_400_000)
    }

    private func moment(_ local: Int64) -> Timestamp { timeZone.moment(ofLocal: local) }
}
