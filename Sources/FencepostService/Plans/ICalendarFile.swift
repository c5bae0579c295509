public import FencepostModel
public import Foundation

/// Reads the subset of iCalendar that says when places are to be visited: events that happen once, daily or weekly.
///
/// Source: RFC 5545. Understood are `DTSTART` with a time, `DTEND` or `DURATION`, `RRULE` with `FREQ` `DAILY` or `WEEKLY`, `BYDAY`,
/// `UNTIL`, `COUNT` and `INTERVAL` 1, `EXDATE`, `LOCATION` and `SUMMARY`. What changes the meaning and is not understood is an
/// error with its line; what is only for people is ignored.
public struct ICalendarFile: Sendable {
    /// An event of the calendar.
    public struct Entry: Hashable, Sendable {
        /// The line of its `BEGIN`, from 1.
        public var line: Int
        /// The line of what names the place.
        public var placeLine: Int
        /// What may name the place, as it is written; empty where it is absent.
        public var location, summary: String
        /// The zone of its times.
        public var timeZone: TimeZone
        /// The window in minutes after the midnight of its date, as in `Plan.Stop`.
        public var start, end: Int
        /// Its dates.
        public var calendar: PlanCalendar
    }

    /// The most events of a file.
    public static let mostEntries = 1000

    /// The name of the calendar (`X-WR-CALNAME`); `nil` without one.
    public private(set) var name: String?
    /// The events, in the order of the file.
    public private(set) var entries: [Entry] = []
    /// Errors, and warnings about what is ignored, by line.
    public private(set) var diagnostics: [Diagnostic] = []

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - text: the file.
    ///   - zone: the zone of times without one.
    public init(_ text: String, zone: TimeZone) {
        let lines = ContentLine.lines(of: text, &diagnostics)
        guard lines.first?.isBegin("VCALENDAR") == true else {
            let line = lines.first?.number ?? 1
            report(line, "not_icalendar", "An iCalendar file begins with BEGIN:VCALENDAR.")
            return
        }
        var path: [String] = []
        var event: [ContentLine] = []
        for line in lines {
            switch line.name {
            case "BEGIN":
                path.append(line.value.uppercased())
                if path.count > 1, !["VEVENT", "VTIMEZONE", "STANDARD", "DAYLIGHT", "VALARM"].contains(path.last ?? "")
                {
                    report(line.number, "not_understood", "\(line.value) is ignored: only VEVENT has visits.", .warning)
                }
                if path.last == "VEVENT" { event = [line] }
            case "END":
                if path.last == "VEVENT" { add(event, zone) }
                if path.popLast() != line.value.uppercased() {
                    report(line.number, "not_icalendar", "END:\(line.value) has no BEGIN:\(line.value) before it.")
                    return
                }
            case "X-WR-CALNAME" where path.count == 1: name = line.text
            default: if path.last == "VEVENT" { event.append(line) }
            }
        }
        if let open = path.last {
            report(lines.last?.number ?? 1, "not_icalendar", "The file ends before END:\(open).")
        } else if entries.isEmpty, diagnostics.allSatisfy({ $0.severity == .warning }) {
            report(1, "no_events", "The file has no VEVENT: there is nothing to visit.")
        }
    }

    // MARK: Events

    /// Properties that are for people or for other programs.
    private static let ignored: Set<String> = [
        "UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE", "DESCRIPTION", "CLASS", "TRANSP", "PRIORITY", "URL",
        "CATEGORIES", "ORGANIZER", "ATTENDEE", "COMMENT", "CONTACT", "RESOURCES", "GEO", "ATTACH", "RELATED-TO",
        "COLOR",
        "CONFERENCE", "IMAGE",
    ]

    private mutating func report(
        _ line: Int, _ code: String, _ message: String, _ severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(Diagnostic(severity, code: code, at: .line(line), message))
    }

    private mutating func add(_ lines: [ContentLine], _ zone: TimeZone) {
        let begin = lines.first?.number ?? 1
        var found: [String: ContentLine] = [:]
        var excepted: [ContentLine] = []
        for line in lines.dropFirst() {
            switch line.name {
            case "DTSTART", "DTEND", "DURATION", "RRULE", "LOCATION", "SUMMARY":
                if found[line.name] != nil {
                    report(line.number, "not_understood", "The event has a second \(line.name): remove one.")
                }
                found[line.name] = line
            case "EXDATE": excepted.append(line)
            case "STATUS":
                guard line.value.uppercased() == "CANCELLED" else { continue }
                return report(line.number, "not_understood", "The event is cancelled, and is ignored.", .warning)
            case "RDATE", "RECURRENCE-ID", "EXRULE":
                report(
                    line.number, "not_understood",
                    "\(line.name) is not understood: make an event of its own of the other times, and an EXDATE of a time "
                        + "that is moved.")
            default:
                if !Self.ignored.contains(line.name), !line.name.hasPrefix("X-") {
                    report(line.number, "not_understood", "\(line.name) is ignored.", .warning)
                }
            }
        }
        guard entries.count < Self.mostEntries else {
            if entries.count == Self.mostEntries {
                report(begin, "too_many_events", "The file has more than \(Self.mostEntries) events: divide it.")
            }
            return
        }
        guard let start = found["DTSTART"] else {
            return report(begin, "not_understood", "The event has no DTSTART: when is it?")
        }
        guard let from = moment(start, zone), let end = end(found, from, begin),
            let calendar = calendar(found["RRULE"], excepted, from)
        else { return }
        let place = found["LOCATION"] ?? found["SUMMARY"]
        guard let place else {
            return report(begin, "not_understood", "The event has no LOCATION and no SUMMARY: which region is meant?")
        }
        entries.append(
            Entry(
                line: begin, placeLine: place.number, location: found["LOCATION"]?.text ?? "",
                summary: found["SUMMARY"]?.text ?? "", timeZone: from.zone, start: from.minute, end: end,
                calendar: calendar))
    }

    /// A local time.
    private struct Moment {
        var day: Int
        /// After midnight.
        var minute: Int
        var zone: TimeZone

        func minutes(since other: Moment) -> Int { (day - other.day) * 1440 + minute - other.minute }
    }

    private mutating func moment(_ line: ContentLine, _ zone: TimeZone) -> Moment? {
        moment(line.value, line, zone)
    }

    private mutating func moment(_ text: String, _ line: ContentLine, _ zone: TimeZone) -> Moment? {
        guard line.parameters["VALUE"]?.uppercased() != "DATE", text.utf8.count > 8 else {
            report(
                line.number, "not_understood",
                "\(line.name) is a date without a time: a visit needs a window such as 20260307T220000.")
            return nil
        }
        var zone = zone
        if text.hasSuffix("Z") {
            zone = .gmt
        } else if let name = line.parameters["TZID"] {
            guard let known = TimeZone(identifier: name) else {
                report(
                    line.number, "unknown_time_zone",
                    "There is no time zone \"\(name)\": write an IANA name such as Europe/Lisbon.")
                return nil
            }
            zone = known
        }
        guard let (day, minute) = Self.local(text) else {
            report(
                line.number, "not_understood",
                "\"\(text)\" is not a time such as 20260307T220000: \(line.name) needs one.")
            return nil
        }
        return Moment(day: day, minute: minute, zone: zone)
    }

    /// `20260307T220000` as days since 1970-01-01 and minutes after midnight.
    private static func local(_ text: String) -> (day: Int, minute: Int)? {
        let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "Z") })
        guard bytes.count == 15, bytes[8] == UInt8(ascii: "T"), let day = day(bytes.prefix(8)),
            let hour = number(bytes[9..<11]), let minute = number(bytes[11..<13]), hour < 24, minute < 60
        else { return nil }
        return (day, hour * 60 + minute)
    }

    private static func day(_ bytes: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(bytes)
        guard bytes.count == 8, let year = number(bytes[0..<4]), let month = number(bytes[4..<6]),
            let day = number(bytes[6..<8]), (1...12).contains(month), day >= 1,
            day <= Timestamp.daysInMonth(month, of: year)
        else { return nil }
        return Timestamp.days(year: year, month: month, day: day)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    // MARK: Windows

    private mutating func end(_ found: [String: ContentLine], _ start: Moment, _ begin: Int) -> Int? {
        let minutes: Int
        let number: Int
        if let line = found["DTEND"] {
            guard let end = moment(line, start.zone) else { return nil }
            guard end.zone.identifier == start.zone.identifier else {
                report(line.number, "not_understood", "DTEND has another time zone than DTSTART: write both in one.")
                return nil
            }
            (minutes, number) = (end.minutes(since: start), line.number)
        } else if let line = found["DURATION"] {
            guard let length = Self.minutes(duration: line.value) else {
                report(line.number, "not_understood", "\"\(line.value)\" is not a duration such as PT30M.")
                return nil
            }
            (minutes, number) = (length, line.number)
        } else {
            report(begin, "not_understood", "The event has no DTEND and no DURATION: when does its window end?")
            return nil
        }
        guard minutes > 0 else {
            report(number, "window_ends_before_it_begins", "The event ends before it begins, or at once.")
            return nil
        }
        guard minutes <= Plan.longestWindow else {
            report(number, "window_too_long", "A window is at most 24 hours long.")
            return nil
        }
        return start.minute + minutes
    }

    /// Whole minutes of `PT1H30M`, `P1D` or `P1W`; `nil` for another text.
    private static func minutes(duration text: String) -> Int? {
        var rest = Substring(text.uppercased())
        if rest.hasPrefix("+") { rest = rest.dropFirst() }
        guard rest.hasPrefix("P") else { return nil }
        rest = rest.dropFirst()
        var (isTime, seconds, digits, count) = (false, 0, "", 0)
        for character in rest {
            if character == "T", !isTime, digits.isEmpty {
                isTime = true
                continue
            }
            if character.isASCII, character.isNumber, digits.count < 6 {
                digits.append(character)
                continue
            }
            let units: [Character: Int] = isTime ? ["H": 3600, "M": 60, "S": 1] : ["W": 604_800, "D": 86_400]
            guard let unit = units[character], let value = Int(digits) else { return nil }
            (seconds, digits, count) = (seconds + value * unit, "", count + 1)
        }
        return digits.isEmpty && count > 0 ? seconds / 60 : nil
    }

    // MARK: Dates

    private mutating func calendar(
        _ rule: ContentLine?, _ excepted: [ContentLine], _ start: Moment
    ) -> PlanCalendar? {
        var except: [Int] = []
        for line in excepted {
            for text in line.value.split(separator: ",").map(String.init) {
                if line.parameters["VALUE"]?.uppercased() == "DATE", let day = Self.day(Array(text.utf8)[...]) {
                    except.append(day)
                    continue
                }
                guard let moment = moment(text, line, start.zone) else { return nil }
                guard moment.zone.identifier == start.zone.identifier, moment.minute == start.minute else {
                    report(
                        line.number, "not_understood",
                        "EXDATE \(text) is not a time of the event: write the time and zone of its DTSTART.")
                    return nil
                }
                except.append(moment.day)
            }
        }
        guard let rule else { return PlanCalendar(weekdays: [], dates: [start.day], except: except) }
        guard let recurrence = recurrence(rule, start) else { return nil }
        return PlanCalendar(
            weekdays: recurrence.weekdays, except: except, first: start.day, last: recurrence.last)
    }

    private static let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    private mutating func recurrence(_ line: ContentLine, _ start: Moment) -> (weekdays: [Int], last: Int?)? {
        var (frequency, weekdays, last, count): (String?, [Int]?, Int?, Int?) = (nil, nil, nil, nil)
        for part in line.value.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else {
                report(line.number, "not_understood", "RRULE has \"\(part)\", which has no value.")
                return nil
            }
            let value = pair[1]
            switch pair[0] {
            case "FREQ": frequency = value
            case "WKST": break
            case "INTERVAL" where value == "1": break
            case "BYDAY":
                let named = value.split(separator: ",").map { Self.days.firstIndex(of: String($0)) }
                guard !named.contains(nil) else { return refuse(line, "BYDAY=\(value)") }
                weekdays = named.compactMap(\.self)
            case "COUNT":
                guard let number = Int(value), (1...10_000).contains(number) else {
                    return refuse(line, "COUNT=\(value)")
                }
                count = number
            case "UNTIL":
                guard let day = until(value, start) else { return refuse(line, "UNTIL=\(value)") }
                last = day
            default: return refuse(line, "\(pair[0])=\(value)")
            }
        }
        switch frequency {
        case "DAILY": if weekdays == nil { weekdays = Array(0..<7) }
        case "WEEKLY": if weekdays == nil { weekdays = [Timestamp.weekday(day: start.day)] }
        default: return refuse(line, "FREQ=\(frequency ?? "nothing")")
        }
        let named = Set(weekdays ?? [])
        if let count, !named.isEmpty {
            // The first occurrence counts, also on another day than the rule names.
            var (day, found) = (start.day, 0)
            while true {
                if named.contains(Timestamp.weekday(day: day)) { found += 1 }
                if found == count { break }
                day += 1
            }
            last = min(last ?? day, day)
        }
        return (named.sorted(), last)
    }

    private mutating func refuse(_ line: ContentLine, _ part: String) -> (weekdays: [Int], last: Int?)? {
        report(
            line.number, "not_understood",
            "RRULE with \(part) is not understood: only FREQ=DAILY and FREQ=WEEKLY are, with BYDAY (without numbers), UNTIL, "
                + "COUNT and INTERVAL=1.")
        return nil
    }

    /// The last date that a rule has by its end, which is inclusive.
    private func until(_ text: String, _ start: Moment) -> Int? {
        if text.utf8.count == 8 { return Self.day(Array(text.utf8)[...]) }
        guard let (day, minute) = Self.local(text) else { return nil }
        guard text.hasSuffix("Z") else { return minute < start.minute ? day - 1 : day }
        let moment = Timestamp(milliseconds: Int64(day) * 86_400_000 + Int64(minute) * 60_000)
        let plan = Plan(id: "", [], PlanCalendar(), timeZone: start.zone, since: moment)
        let local = plan.day(of: moment)
        let stop = Plan.Stop(region: RegionID(""), start: start.minute, end: start.minute + 1)
        return plan.window(of: stop, on: local).start <= moment ? local : local - 1
    }
}

/// A line of a file: `NAME;PARAMETER=VALUE:value`, after folded lines were joined.
private struct ContentLine {
    /// That of its first part, from 1.
    var number: Int
    /// In capitals.
    var name: String
    var parameters: [String: String] = [:]
    var value: String

    func isBegin(_ component: String) -> Bool { name == "BEGIN" && value.uppercased() == component }

    /// The value without the escapes of texts.
    var text: String {
        var (text, isEscaped) = ("", false)
        for character in value {
            if isEscaped {
                text.append(character == "n" || character == "N" ? " " : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return text.trimmingCharacters(in: .whitespaces)
    }

    static func lines(of text: String, _ diagnostics: inout [Diagnostic]) -> [ContentLine] {
        var joined: [(number: Int, text: String)] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        for (index, line) in lines.enumerated() {
            if line.first == " " || line.first == "\t", !joined.isEmpty {
                joined[joined.count - 1].text += line.dropFirst()
            } else if !line.isEmpty {
                joined.append((index + 1, String(line)))
            }
        }
        return joined.compactMap { number, text in
            let line = ContentLine(number, text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text)
            if line == nil {
                diagnostics.append(
                    Diagnostic(
                        code: "not_icalendar", at: .line(number), "This line has no \":\" between a name and a value."))
            }
            return line
        }
    }

    /// `nil` for a line without a value.
    private init?(_ number: Int, _ text: String) {
        var (isQuoted, parts, current): (Bool, [String], String) = (false, [], "")
        var rest: Substring?
        for index in text.indices {
            let character = text[index]
            if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, character == ";" {
                parts.append(current)
                current = ""
            } else if !isQuoted, character == ":" {
                rest = text[text.index(after: index)...]
                break
            } else {
                current.append(character)
            }
        }
        guard let rest else { return nil }
        parts.append(current)
        (self.number, name, value) = (number, parts[0].uppercased(), String(rest))
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { parameters[pair[0].uppercased()] = pair[1] }
        }
    }
}
