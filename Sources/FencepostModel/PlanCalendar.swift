import Foundation

/// The dates of a plan's rounds, as days since 1970-01-01.
public struct PlanCalendar: Hashable, Sendable, Codable {
    /// Weekdays from 0 (Monday) to 6 (Sunday), ascending; none if only `dates` count.
    public let weekdays: [Int]
    /// Dates besides the weekdays, ascending.
    public let dates: [Int]
    /// Dates without a round, ascending. They go before the others.
    public let except: [Int]
    /// The first and the last date on which the weekdays count; `nil` for no limit.
    public let first, last: Int?

    /// The most entries of `dates` and of `except`.
    public static let mostDates = 1000

    /// The dates of rounds.
    ///
    /// - Parameters:
    ///   - weekdays: from 0 (Monday) to 6 (Sunday).
    ///   - dates: dates besides the weekdays.
    ///   - except: dates without a round.
    ///   - first: the first date on which the weekdays count.
    ///   - last: the last one.
    public init(
        weekdays: some Sequence<Int> = 0..<7, dates: some Sequence<Int> = [Int](),
        except: some Sequence<Int> = [Int](), first: Int? = nil, last: Int? = nil
    ) {
        func sorted(_ days: some Sequence<Int>) -> [Int] { Set(days).sorted() }
        (self.weekdays, self.dates, self.except) = (sorted(weekdays), sorted(dates), sorted(except))
        (self.first, self.last) = (first, last)
    }

    /// Whether there is a round on a date.
    public func includes(_ day: Int) -> Bool { !except.contains(day) && (dates.contains(day) || isWeekly(day)) }

    /// The first date with a round from this one on; `nil` if there is none.
    public func next(from day: Int) -> Int? {
        let dated = dates.first { $0 >= day && !except.contains($0) }
        guard !weekdays.isEmpty else { return dated }
        var candidate = max(day, first ?? day)
        // Each week has a day that counts, unless it is excepted.
        let end = min(last ?? .max, max(candidate, except.last ?? candidate) + 7)
        while candidate <= end {
            if let dated, dated <= candidate { return dated }
            if includes(candidate) { return candidate }
            candidate += 1
        }
        return dated
    }

    private func isWeekly(_ day: Int) -> Bool {
        day >= first ?? day && day <= last ?? day && weekdays.contains(Timestamp.weekday(day: day))
    }
}

extension Timestamp {
    /// From 0 (Monday) to 6 (Sunday), of a day since 1970-01-01.
    public static func weekday(day: Int) -> Int { TimeZone.weekday(of: day) }

    /// A day since 1970-01-01 as `2026-03-07`.
    public static func date(day: Int) -> String {
        String(Timestamp(milliseconds: Int64(day) * 86_400_000).rfc3339.prefix(10))
    }

    /// A date such as `2026-03-07` as days since 1970-01-01; `nil` if the text is not one.
    public static func day(date text: String) -> Int? {
        guard text.utf8.count == 10, let midnight = Timestamp(rfc3339: text + "T00:00:00Z") else { return nil }
        return Int(midnight.milliseconds.flooredQuotient(86_400_000))
    }
}
