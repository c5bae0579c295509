import FencepostJSON
public import FencepostModel
import Foundation

/// Reads the property `schedule`.
struct ScheduleReader {
    private let pointer: String
    private let file: String?
    private let limits: RegionOptions.Limits
    private(set) var diagnostics: [Diagnostic] = []

    init(at pointer: String, file: String?, limits: RegionOptions.Limits) {
        self.pointer = pointer
        self.file = file
        self.limits = limits
    }

    /// `nil` after a diagnostic.
    mutating func schedule(of value: JSONElement) -> Schedule? {
        guard let members = value.object else {
            error(
                "wrong_type", pointer,
                "\"schedule\" must be an object with \"timeZone\" and \"weekly\", but it is \(value.shortText).")
            return nil
        }
        let known = ["timeZone", "weekly", "except"]
        for member in members where !known.contains(member.name) {
            let hint = nearest(to: member.name, in: known).map { " Did you mean \"\($0)\"?" } ?? ""
            error(
                "unknown_member", pointer + "/" + member.name.asPointerToken,
                "A schedule has the members timeZone, weekly and except, but no \"\(member.name)\".\(hint)")
        }
        let timeZone = timeZone(value["timeZone"])
        let weekly = weekly(value["weekly"])
        let except = except(value["except"])
        guard let timeZone, let weekly, diagnostics.isEmpty else { return nil }
        return Schedule(timeZone: timeZone, weekly: weekly, except: except)
    }

    private mutating func timeZone(_ value: JSONElement?) -> TimeZone? {
        guard let value else {
            error("missing_member", pointer, "The schedule has no \"timeZone\", such as \"Asia/Seoul\" or \"UTC\".")
            return nil
        }
        guard let name = value.string, let zone = TimeZone(identifier: name) else {
            error(
                value.kind == .string ? "unknown_time_zone" : "wrong_type", pointer + "/timeZone",
                "\"timeZone\" must be the name of a time zone such as \"Asia/Seoul\", but it is \(value.shortText).")
            return nil
        }
        return zone
    }

    private mutating func weekly(_ value: JSONElement?) -> [Schedule.Opening]? {
        guard let value else {
            error("missing_member", pointer, "The schedule has no \"weekly\", such as [\"Mon-Fri 09:00-18:00\"].")
            return nil
        }
        guard let array = value.array, array.count > 0 else {
            error(
                "wrong_type", pointer + "/weekly",
                "\"weekly\" must be an array with at least one opening, such as [\"Mon-Fri 09:00-18:00\"].")
            return nil
        }
        guard !exceeds("weekly", array.count, limits.openings) else { return nil }
        return array.enumerated().compactMap { index, element in
            if let opening = element.string.flatMap(Schedule.Opening.init(text:)) { return opening }
            error(
                "invalid_opening", pointer + "/weekly/\(index)",
                "\(element.shortText) is not an opening: write days and times as \"Mon-Fri 09:00-18:00\", "
                    + "\"Sat,Sun 10:00-14:00\" or, for every day and past midnight, \"22:00-06:00\".")
            return nil
        }
    }

    private mutating func except(_ value: JSONElement?) -> Set<Int> {
        guard let value, !value.isNull else { return [] }
        guard let array = value.array else {
            error(
                "wrong_type", pointer + "/except",
                "\"except\" must be an array of days such as [\"2026-12-25\"], but it is \(value.shortText).")
            return []
        }
        guard !exceeds("except", array.count, limits.exceptions) else { return [] }
        var days: Set<Int> = []
        for (index, element) in array.enumerated() {
            if let text = element.string, text.utf8.count == 10, let time = Timestamp(rfc3339: text + "T00:00:00Z") {
                days.insert(Int(time.milliseconds.dividedDown(by: 86_400_000)))
            } else {
                error(
                    "invalid_date", pointer + "/except/\(index)",
                    "\(element.shortText) is not a date: write it as \"2026-12-25\".")
            }
        }
        return days
    }

    private mutating func exceeds(_ name: String, _ count: Int, _ limit: Int?) -> Bool {
        guard let limit, count > limit else { return false }
        diagnostics.append(.tooManyValues(name, count, atMost: limit, file: file, at: pointer + "/" + name))
        return true
    }

    private mutating func error(_ code: String, _ pointer: String, _ message: String) {
        diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer), message))
    }
}

extension Int64 {
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self - divisor + 1) / divisor
    }
}

extension Schedule.Opening {
    /// Parses days and hours: `Mon-Fri 09:00-18:00`, `Sat,Sun 10:00-14:00`, `Fri-Mon`, `22:00-06:00`.
    ///
    /// Days are English names, of three letters or in full, in any case. Without days it applies every day, without
    /// hours all day. Hours are 00:00 to 24:00.
    public init?(text: String) {
        let words = text.split(separator: " ")
        var (weekdays, hours) = (Set(0..<7), (start: 0, end: 1440))
        switch words.count {
        case 1:
            if let read = Self.hours(words[0]) {
                hours = read
            } else if let read = Self.weekdays(words[0]) {
                weekdays = read
            } else {
                return nil
            }
        case 2:
            guard let days = Self.weekdays(words[0]), let read = Self.hours(words[1]) else { return nil }
            (weekdays, hours) = (days, read)
        default: return nil
        }
        self.init(weekdays: weekdays, start: hours.start, end: hours.end)
    }

    private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    private static func weekdays(_ text: Substring) -> Set<Int>? {
        var result: Set<Int> = []
        for span in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = span.split(separator: "-", omittingEmptySubsequences: false).map { name in
                days.firstIndex { $0 == name.lowercased() || $0.prefix(3) == name.lowercased() }
            }
            switch ends.count {
            case 1:
                guard let day = ends[0] else { return nil }
                result.insert(day)
            case 2:
                guard let first = ends[0], let last = ends[1] else { return nil }
                // Fri-Mon spans the end of the week.
                for step in 0...(last - first + 7) % 7 { result.insert((first + step) % 7) }
            default: return nil
            }
        }
        return result
    }

    private static func hours(_ text: Substring) -> (start: Int, end: Int)? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(minutes)
        guard ends.count == 2, let start = ends[0], let end = ends[1], start < 1440 else { return nil }
        return (start, end)
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count <= 2, parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1440
        else { return nil }
        return hour * 60 + minute
    }
}

extension Schedule {
    /// A schedule from texts as in region files; `nil` when one of them is invalid.
    ///
    /// - Parameters:
    ///   - timeZone: IANA name of the zone.
    ///   - weekly: openings such as `Mon-Fri 09:00-18:00`, at least one.
    ///   - except: dates such as `2026-12-25`.
    public init?(timeZone: String, weekly: [String], except: [String]) {
        let openings = weekly.compactMap(Opening.init(text:))
        let days = except.compactMap { text in
            text.utf8.count == 10
                ? Timestamp(rfc3339: text + "T00:00:00Z").map { Int($0.milliseconds.dividedDown(by: 86_400_000)) } : nil
        }
        guard let zone = TimeZone(identifier: timeZone), !openings.isEmpty, openings.count == weekly.count,
            days.count == except.count
        else { return nil }
        self.init(timeZone: zone, weekly: openings, except: Set(days))
    }
}
