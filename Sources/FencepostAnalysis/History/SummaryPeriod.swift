internal import FencepostGeometry
public import FencepostModel
public import Foundation

/// The length of the periods of a summary.
public enum SummaryPeriod: String, Hashable, Sendable, CaseIterable {
    case day
    /// From Monday to Sunday (ISO 8601).
    case week
    case month
}

/// The local time at which days begin, 00:00 to 23:59. The day of a night worker may begin at 04:00.
public struct DayStart: Hashable, Sendable {
    /// 0 to 23, and 0 to 59.
    public let hour, minute: Int

    public static let midnight = DayStart(hour: 0, minute: 0)

    private init(hour: Int, minute: Int) { (self.hour, self.minute) = (hour, minute) }

    /// A time such as `04:00`; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"), let hour = Int(text.prefix(2)),
            let minute = Int(text.suffix(2)), (0...23).contains(hour), (0...59).contains(minute),
            [0, 1, 3, 4].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[$0]) })
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    /// Such as `04:00`.
    public var text: String { "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)" }
}

/// Divides time into the days, weeks or months of a time zone. A day can have 23 or 25 hours.
public struct PeriodCalendar: Sendable {
    private let calendar: Calendar
    private let period: SummaryPeriod
    private let dayStart: DayStart

    /// `dayStart`: when days, and so weeks and months, begin.
    public init(_ period: SummaryPeriod, timeZone: TimeZone, dayStart: DayStart = .midnight) {
        self.dayStart = dayStart
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = timeZone
        self.calendar = calendar
        self.period = period
    }

    /// The period that contains a time.
    public func period(containing time: Timestamp) -> TimeSpan {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let component: Calendar.Component =
            switch period {
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            }
        guard var interval = calendar.dateInterval(of: component, for: date) else { return TimeSpan(time, time) }
        if date < begin(onDayOf: interval.start),
            let before = calendar.dateInterval(of: component, for: interval.start - 1)
        {
            interval = before
        }
        return TimeSpan(
            Self.timestamp(begin(onDayOf: interval.start)), Self.timestamp(begin(onDayOf: interval.end)))
    }

    /// When the day begins whose midnight this is. A time that a clock change skips is the next one.
    private func begin(onDayOf midnight: Date) -> Date {
        guard dayStart != .midnight else { return midnight }
        return calendar.date(bySettingHour: dayStart.hour, minute: dayStart.minute, second: 0, of: midnight) ?? midnight
    }

    /// The parts of a span in each of the periods that it touches. An empty span is in one period.
    public func parts(of span: TimeSpan) -> [(period: TimeSpan, part: TimeSpan)] {
        var result: [(TimeSpan, TimeSpan)] = []
        var period = period(containing: span.start)
        while true {
            result.append((period, TimeSpan(max(span.start, period.start), min(span.end, period.end))))
            guard period.end < span.end, period.end > period.start else { return result }
            period = self.period(containing: period.end)
        }
    }

    /// The local date of a time, such as `2026-03-01`.
    public func date(of time: Timestamp) -> String {
        let parts = calendar.dateComponents(
            [.year, .month, .day], from: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
        func padded(_ number: Int?, _ count: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
    }

    private static func timestamp(_ date: Date) -> Timestamp {
        Timestamp(milliseconds: Int64(clamped: (date.timeIntervalSince1970 * 1000).rounded()))
    }
}
