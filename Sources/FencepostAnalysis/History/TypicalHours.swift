import FencepostGeometry
import FencepostModel
import Foundation

/// The hours of the week at which somebody is at a place.
enum TypicalHours {
    /// Seconds in each hour of the week in a time zone, from Monday 0:00.
    static func distribution(of spans: [TimeSpan], in timeZone: TimeZone) -> [Double] {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = timeZone
        var hours = [Double](repeating: 0, count: 168)
        for span in spans {
            var time = span.start
            // A visit without an end for a year says nothing about hours.
            let end = min(span.end, span.start + .seconds(31 * 86_400))
            while time < end {
                let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
                let parts = calendar.dateComponents([.weekday, .hour, .minute, .second], from: date)
                let weekday = ((parts.weekday ?? 2) + 5) % 7
                let past = Double((parts.minute ?? 0) * 60 + (parts.second ?? 0))
                let next = min(end, time + .seconds(Int(clamped: max(1, 3600 - past))))
                hours[weekday * 24 + min(parts.hour ?? 0, 23)] += (next - time).seconds
                time = next
            }
        }
        return hours
    }

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// The days with at least half of the time of the fullest one, and the hours with at least half of the fullest hour.
    static func text(of hours: [Double]) -> String {
        let byDay = (0..<7).map { day in hours[(day * 24)..<(day * 24 + 24)].reduce(0, +) }
        let byHour = (0..<24).map { hour in (0..<7).reduce(0) { $0 + hours[$1 * 24 + hour] } }
        guard let fullestDay = byDay.max(), let fullestHour = byHour.max(), fullestDay > 0 else { return "" }
        let days = ranges((0..<7).map { byDay[$0] >= fullestDay / 2 })
            .map {
                $0.count == 1 ? self.days[$0.lowerBound] : "\(self.days[$0.lowerBound])–\(self.days[$0.upperBound - 1])"
            }
        let isFull = (0..<24).map { byHour[$0] >= fullestHour / 2 }
        var times = ranges(isFull)
        // Midnight does not end a night.
        var texts: [String] = []
        if times.count > 1, times.first?.lowerBound == 0, let late = times.last, late.upperBound == 24 {
            texts.append("\(late.lowerBound)–\(times[0].upperBound)")
            times = Array(times.dropFirst().dropLast())
        }
        texts = times.map { "\($0.lowerBound)–\($0.upperBound)" } + texts
        return (days.count == 1 && days[0] == "Mon–Sun" ? "daily" : days.joined(separator: ", ")) + " "
            + texts.joined(separator: ", ")
    }

    /// The runs of true values.
    private static func ranges(_ values: [Bool]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for (index, value) in values.enumerated() where value {
            if let last = result.last, last.upperBound == index {
                result[result.count - 1] = last.lowerBound..<(index + 1)
            } else {
                result.append(index..<(index + 1))
            }
        }
        return result
    }
}
