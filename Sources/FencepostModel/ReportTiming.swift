public import Foundation

/// When a report is made, and which time it is about: the day, the week or the month that has ended.
public struct ReportTiming: Hashable, Sendable, Codable {
    /// How often a report is made.
    public enum Frequency: String, Hashable, Sendable, Codable, CaseIterable {
        case daily, weekly
        /// On the first day of the month.
        case monthly
    }

    /// One report: when it is due, and the time that it is about.
    public struct Run: Hashable, Sendable, Codable {
        /// When it is due.
        public var due: Timestamp
        /// The first moment of its period.
        public var start: Timestamp
        /// The moment after its period, at most `due`.
        public var end: Timestamp

        /// A run of a report.
        public init(due: Timestamp, start: Timestamp, end: Timestamp) {
            (self.due, self.start, self.end) = (due, start, end)
        }
    }

    /// How often it is made.
    public var frequency: Frequency
    /// The day on which a weekly report is made and its week begins, 0 (Monday) to 6 (Sunday).
    public var weekday: Int
    /// The local time at which it is made, in minutes after midnight.
    public var minute: Int
    /// The local time at which days begin, in minutes after midnight; at most `minute`.
    public var dayStart: Int
    /// The zone of these times.
    public var timeZone: TimeZone

    /// When a report is made. Minutes are those after midnight, 0 to 1439.
    public init(_ frequency: Frequency, weekday: Int = 0, minute: Int, dayStart: Int = 0, timeZone: TimeZone) {
        (self.frequency, self.weekday, self.minute) = (frequency, weekday, minute)
        (self.dayStart, self.timeZone) = (dayStart, timeZone)
    }

    /// A month and a day, so that a report is found from each moment.
    private static let longest = 33

    /// The newest run that is due at a moment.
    public func latest(at moment: Timestamp) -> Run {
        let today = timeZone.day(of: moment)
        for day in stride(from: today + 1, through: today - Self.longest, by: -1) where isDue(day) {
            let run = run(on: day)
            if run.due <= moment { return run }
        }
        return run(on: today)
    }

    /// The first run after a moment.
    public func next(after moment: Timestamp) -> Run {
        let today = timeZone.day(of: moment)
        for day in (today - 1)...(today + Self.longest) where isDue(day) {
            let run = run(on: day)
            if run.due > moment { return run }
        }
        return run(on: today)
    }

    /// Whether a report is made on a day since 1970-01-01.
    private func isDue(_ day: Int) -> Bool {
        switch frequency {
        case .daily: true
        case .weekly: TimeZone.weekday(of: day) == weekday
        case .monthly: Timestamp.civil(day: day).day == 1
        }
    }

    private func run(on day: Int) -> Run {
        let first =
            switch frequency {
            case .daily: day - 1
            case .weekly: day - 7
            case .monthly: day - Timestamp.civil(day: day - 1).day
            }
        return Run(due: moment(day, minute), start: moment(first, dayStart), end: moment(day, dayStart))
    }

    private func moment(_ day: Int, _ minute: Int) -> Timestamp {
        timeZone.moment(ofLocal: Int64(day) * 86_400_000 + Int64(minute) * 60_000)
    }

    /// The first and the last local date of a run's period, such as `2026-03-09`.
    public func dates(of run: Run) -> (first: String, last: String) {
        // A day that begins at 04:00 has the date of that time.
        (date(run.start), date(run.end - .milliseconds(1) - .seconds(dayStart * 60)))
    }

    private func date(_ moment: Timestamp) -> String {
        let date = Timestamp.civil(day: timeZone.day(of: moment))
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(date.year)-\(padded(date.month))-\(padded(date.day))"
    }
}
