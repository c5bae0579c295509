import FencepostGeometry
import FencepostModel

/// How long a device is usually silent, learned from the locations of its last two weeks.
///
/// A tracker reports every half minute, a phone sleeps for the night, and a van for the weekend. What counts is the
/// second-longest of the days' longest silences: one outage does not change it, and of two weekends it has one.
struct ReportingRhythm: Hashable, Sendable, Codable {
    /// The longest silence that ended on a day with locations.
    struct Day: Hashable, Sendable, Codable {
        /// Days since 1970-01-01 in UTC.
        var day: Int32
        /// Milliseconds, zero or more.
        var longest: Int64

        /// Whether it is less than two weeks old.
        func counts(on day: Int32) -> Bool { Int64(self.day) > Int64(day) - ReportingRhythm.window }
    }

    /// The days of the last two weeks that had locations, the oldest first.
    private(set) var days: [Day] = []
    /// The longest silence in two weeks of which the device had taken locations and sent them late.
    private(set) var late: Day?

    /// Days that count.
    private static let window: Int64 = 14
    /// Days with locations that are needed before a silence can be unusual.
    private static let fewestDays = 7
    /// A silence is unusual when it is this many times as long as usual.
    private static let factor = 1.5

    /// Learns from a location.
    ///
    /// - Parameters:
    ///   - silence: milliseconds since the location before; zero for the first one.
    ///   - moment: the time of the location, which is not before that of the last one.
    mutating func note(silence: Int64, endingAt moment: Timestamp) {
        let day = Self.day(of: moment)
        if let last = days.last, last.day == day {
            if silence > last.longest { days[days.count - 1].longest = silence }
            return
        }
        days.append(Day(day: day, longest: silence))
        days.removeAll { !$0.counts(on: day) }
        if late?.counts(on: day) == false { late = nil }
    }

    /// Learns that a silence was reported of which the device had taken locations.
    mutating func noteLate(silence: Int64, at moment: Timestamp) {
        let day = Self.day(of: moment)
        let known = late?.counts(on: day) == true ? late?.longest ?? 0 : 0
        late = Day(day: day, longest: max(silence, known))
    }

    /// Takes over what was learned of late locations under another order of the same ones.
    mutating func keep(_ other: Day) {
        guard let last = days.last, other.counts(on: last.day), other.longest > late?.longest ?? 0 else { return }
        late = other
    }

    /// The silence in milliseconds that is unusual for the device; `nil` while too little is known.
    var limit: Int64? {
        guard days.count >= Self.fewestDays else { return nil }
        var (longest, second) = (Int64(0), Int64(0))
        for day in days {
            if day.longest > longest {
                (longest, second) = (day.longest, longest)
            } else if day.longest > second {
                second = day.longest
            }
        }
        return Int64(clamped: (Double(max(second, late?.longest ?? 0)) * Self.factor).rounded())
    }

    private static func day(of moment: Timestamp) -> Int32 {
        Int32(clamped: (Double(moment.milliseconds) / 86_400_000).rounded(.down))
    }
}
