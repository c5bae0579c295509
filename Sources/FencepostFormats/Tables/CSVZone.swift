import FencepostGeometry
internal import FencepostModel
internal import Foundation

/// What a column says about the time zone of the times in its rows.
enum CSVZone {
    /// Seconds east of UTC.
    case offset(Int)
    /// A zone of the IANA database.
    case named(TimeZone)

    /// Parses a text without surrounding white space: `Europe/Berlin`, `+01:00`, `UTC+1`, `Z`, `3600`; `nil` where it is not certain.
    ///
    /// - Parameters:
    ///   - text: the value of a row.
    ///   - factor: the unit of a number in seconds, where the heading names one.
    init?(_ text: String, factor: Double?) {
        if text.contains("/") {
            guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "/_+-".contains($0)) }),
                let zone = TimeZone(identifier: text)
            else { return nil }
            self = .named(zone)
            return
        }
        let upper = text.uppercased().replacing("\u{2212}", with: "-").replacing(",", with: ".")
        if ["Z", "UTC", "GMT"].contains(upper) {
            self = .offset(0)
            return
        }
        var rest = upper[...]
        if rest.hasPrefix("UTC") || rest.hasPrefix("GMT") {
            rest = rest.dropFirst(3).drop { $0 == " " }
            guard let sign = rest.first, "+-".contains(sign) else { return nil }
        }
        guard let seconds = Self.seconds(rest, factor: factor), (-12 * 3600...14 * 3600).contains(seconds) else {
            return nil
        }
        self = .offset(seconds)
    }

    /// `+01:00`, `+0100`, hours, or seconds by their size.
    private static func seconds(_ text: Substring, factor: Double?) -> Int? {
        let sign = text.first == "-" ? -1 : 1
        let digits = text.first.map { "+-".contains($0) } ?? false ? text.dropFirst() : text
        guard digits.first?.isNumber ?? false, digits.allSatisfy({ ("0"..."9").contains($0) || ":.".contains($0) })
        else {
            return nil
        }
        let fields = digits.split(separator: ":", omittingEmptySubsequences: false)
        if fields.count > 1 { return clock(fields).map { sign * $0 } }
        guard let number = DecimalNumber.parse(digits) else { return nil }
        if let factor {
            let seconds = number * factor
            return seconds <= 86_400 && seconds == seconds.rounded() ? sign * Int(clamped: seconds) : nil
        }
        // Four digits are seconds only where their minutes or hours are not those of an offset.
        if digits.count == 4, !digits.contains("."), let value = clock([digits.prefix(2), digits.suffix(2)]) {
            return sign * value
        }
        if number <= 14, number * 4 == (number * 4).rounded() { return sign * Int(clamped: number * 3600) }
        // A quarter of an hour is no offset that any place has, but 9:00 without its colon.
        guard number > 900, number <= 86_400, number.truncatingRemainder(dividingBy: 900) == 0 else { return nil }
        return sign * Int(clamped: number)
    }

    private static func clock(_ fields: [Substring]) -> Int? {
        let numbers = fields.compactMap { (1...2).contains($0.count) ? Int($0) : nil }
        guard numbers.count == fields.count, numbers.count <= 3, numbers[0] <= 14,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return (numbers[0] * 60 + numbers[1]) * 60 + (numbers.count > 2 ? numbers[2] : 0)
    }

    /// Seconds east of UTC at a moment.
    func offset(at time: Timestamp) -> Int {
        switch self {
        case .offset(let seconds): seconds
        case .named(let zone):
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
        }
    }

    /// The moments at which the clocks of the zone show a time.
    ///
    /// - Parameter local: the time as if it were of UTC.
    /// - Returns: two moments where the clocks are set back over the time, and none where they are set forward.
    func moments(of local: Timestamp) -> [Timestamp] {
        // No place changes its clocks twice within two days.
        let offsets = Set([offset(at: local - .seconds(86_400)), offset(at: local + .seconds(86_400))])
        return offsets.map { local - .seconds($0) }.filter { $0 + .seconds(offset(at: $0)) == local }
    }
}

/// The time zones that a table names, each looked up once.
final class CSVZones {
    private struct Key: Hashable {
        let text: String, factor: Double?
    }

    private var known: [Key: CSVZone?] = [:]
    /// A table with another text in each row must not fill the memory.
    private static let limit = 1024

    func zone(_ text: String, factor: Double?) -> CSVZone? {
        let key = Key(text: text, factor: factor)
        if let found = known[key] { return found }
        if known.count >= Self.limit { known.removeAll() }
        let zone = text.utf8.count <= 64 ? CSVZone(text, factor: factor) : nil
        known[key] = .some(zone)
        return zone
    }
}
