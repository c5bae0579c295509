import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Parser of the header `Retry-After` (RFC 9110, 10.2.3).
enum RetryAfter {
    /// The delay that the header asks for; a date is compared to the wall clock's time `now`.
    ///
    /// - Returns: at least zero; `nil` when the text is neither a number of seconds nor a date.
    static func delay(_ text: String, now: Timestamp) -> Duration? {
        let text = String(text.trimmingSpace)
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            // Nine digits are 31 years; the retry schedule has a lower maximum.
            return .seconds(Int64(text.prefix(9)) ?? 0)
        }
        return date(text, now: now).map { max($0 - now, .zero) }
    }

    /// The delay in an answer of Telegram, which has no header for it; at most a day.
    static func telegram(_ answer: String?) -> Duration? {
        guard let answer, let document = try? JSONDocument(parsing: answer),
            let seconds = document.root["parameters"]?["retry_after"]?.double, (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(Int64(clamped: seconds))
    }

    /// The three forms of a date in HTTP (RFC 9110, 5.6.7).
    static func date(_ text: String, now: Timestamp) -> Timestamp? {
        let parts = text.split { " ,-".contains($0) }.map(String.init)
        switch parts.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where parts[5] == "GMT":
            return moment(day: parts[1], month: parts[2], year: parts[3], time: parts[4], now: now)
        // Sun Nov  6 08:49:37 1994
        case 5: return moment(day: parts[2], month: parts[1], year: parts[4], time: parts[3], now: now)
        default: return nil
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func moment(day: String, month: String, year: String, time: String, now: Timestamp) -> Timestamp? {
        guard let month = months.firstIndex(of: month), let day = Int(day), var year = Int(year) else { return nil }
        if (0..<100).contains(year) {
            // RFC 9110, 5.6.7: a year of two digits that is more than 50 years ahead is in the past.
            let current = Timestamp.civil(day: Int(now.milliseconds / 86_400_000)).year
            year += current / 100 * 100
            if year > current + 50 { year -= 100 }
        }
        guard (1...9999).contains(year), (1...31).contains(day) else { return nil }
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        return Timestamp(rfc3339: "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(day, 2))T\(time)Z")
    }
}

extension String {
    fileprivate var trimmingSpace: Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let tail = drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        return tail[...last]
    }
}
