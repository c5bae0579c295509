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

/// Divides time into the days, weeks or months of a time zone. A day can have 23 or 25 hours.
public struct PeriodCalendar: Sendable {
    private let calendar: Calendar
    private let period: SummaryPeriod

    public init(_ period: SummaryPeriod, timeZone: TimeZone) {
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
        guard let interval = calendar.dateInterval(of: component, for: date) else { return TimeSpan(time, time) }
        return TimeSpan(Self.timestamp(interval.start), Self.timestamp(interval.end))
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
