internal import FencepostGeometry
internal import FencepostModel

/// A time of a table as people and spreadsheets write it: a date, a time of day, and perhaps an offset.
struct CSVTime {
    /// Which of day and month comes first where only the order says it, as in `03/04/2026`.
    enum Order { case dayFirst, monthFirst }

    enum Outcome: Equatable {
        case at(Timestamp)
        /// Day and month can be either.
        case ambiguous(dayFirst: Timestamp, monthFirst: Timestamp)
        /// Why it is not a time.
        case invalid(String)
    }

    private(set) var outcome = Outcome.invalid("is not a time")
    /// What the date says about the order of all dates of its file.
    private(set) var order: Order?
    /// Whether the text has an offset, or is a number since 1970.
    private(set) var isAbsolute = false
    /// The offset of the text, in minutes; `nil` without one.
    private(set) var statedOffset: Int?

    private struct Day {
        var year: Int, month: Int, day: Int
    }
    private enum Date {
        case day(Day), either(Day, Day)
    }

    /// Parses a text without surrounding white space. `factor` is the unit of a number in seconds; 0 and `nil` say nothing.
    init(_ text: String, factor: Double? = nil) {
        if let number = DecimalNumber.parse(text) {
            isAbsolute = true
            take(number: number, text, factor)
            return
        }
        let text = text.filter { $0 != "\u{202F}" && $0 != "\u{00A0}" || $0 == " " }
        var rest = text[...]
        guard text.contains(where: \.isNumber) else { return }
        guard let offset = Self.takeOffset(&rest, isAbsolute: &isAbsolute) else {
            outcome = .invalid("has the name of a time zone that is not read: write the offset, as in +01:00")
            return
        }
        statedOffset = isAbsolute ? offset : nil
        let isAfternoon = Self.takeHalfOfDay(&rest)
        guard let (date, clock) = Self.divided(rest) else {
            if Self.date(of: rest) != nil { outcome = .invalid("is a date without a time of day") }
            return
        }
        guard let milliseconds = Self.milliseconds(of: clock, isAfternoon: isAfternoon) else { return }
        if let problem = Self.problem(ofDate: date) {
            outcome = .invalid(problem)
            return
        }
        guard let found = Self.date(of: date) else { return }
        func time(_ day: Day) -> Timestamp {
            let days = Timestamp.days(year: day.year, month: day.month, day: day.day)
            return Timestamp(milliseconds: Int64(days) * 86_400_000 + Int64(milliseconds - offset * 60_000))
        }
        switch found {
        case (.day(let day), let order):
            self.order = order
            outcome = .at(time(day))
        case (.either(let first, let second), _):
            outcome = .ambiguous(dayFirst: time(first), monthFirst: time(second))
        }
    }

    private mutating func take(number: Double, _ text: String, _ factor: Double?) {
        if let factor, factor > 0 {
            outcome = .at(Self.timestamp(number * factor))
        } else if text.utf8.count == 14, text.allSatisfy(\.isNumber), text.hasPrefix("19") || text.hasPrefix("20") {
            isAbsolute = false
            let clock = Self.milliseconds(of: text.suffix(6), isAfternoon: nil)
            if let clock, case .day(let day)? = Self.date(of: text.prefix(8))?.0 {
                let days = Timestamp.days(year: day.year, month: day.month, day: day.day)
                outcome = .at(Timestamp(milliseconds: Int64(days) * 86_400_000 + Int64(clock)))
            }
        } else if (20_000..<80_000).contains(number) {
            outcome = .invalid("looks like the day number of a spreadsheet: format the column as yyyy-mm-dd hh:mm:ss")
        } else if number.magnitude >= 1e17 {
            outcome = .at(Self.timestamp(number / 1e9))
        } else if number.magnitude >= 1e14 {
            outcome = .at(Self.timestamp(number / 1e6))
        } else if case .at(let time) = RawTime(epoch: number) {
            outcome = .at(time)
        }
    }

    private static func timestamp(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: Int64(clamped: (seconds * 1000).rounded().bounded(by: 1e15)))
    }

    /// The offset in minutes at the end of a time of day, 0 without one; `nil` for a zone that is not known.
    private static func takeOffset(_ text: inout Substring, isAbsolute: inout Bool) -> Int? {
        func trim() { while text.last == " " { text.removeLast() } }
        trim()
        for name in ["UTC", "GMT", "utc", "gmt", "Z", "z"] where text.hasSuffix(name) {
            text.removeLast(name.count)
            trim()
            isAbsolute = true
            return 0
        }
        if let start = text.lastIndex(where: { "+-\u{2212}".contains($0) }), text[..<start].contains(":") {
            let digits = text[text.index(after: start)...].filter { $0 != ":" }
            guard digits.count <= 4, !digits.isEmpty, let number = Int(digits) else { return nil }
            let isEast = text[start] == "+"
            let minutes = digits.count > 2 ? number / 100 * 60 + number % 100 : number * 60
            guard minutes <= 18 * 60 else { return nil }
            text = text[..<start]
            trim()
            for name in ["UTC", "GMT"] where text.hasSuffix(name) { text.removeLast(3) }
            trim()
            isAbsolute = true
            return isEast ? minutes : -minutes
        }
        // Letters at the end that are not the half of a day: CET, MESZ.
        let letters = text.reversed().prefix { $0.isLetter }
        return letters.isEmpty || ["am", "pm"].contains(String(letters.reversed()).lowercased()) ? 0 : nil
    }

    /// Whether the text ends with `PM`; `nil` without a half of the day.
    private static func takeHalfOfDay(_ text: inout Substring) -> Bool? {
        // Also `a. m.`, as in Spanish.
        let end = text.lowercased().filter { $0 != "." && $0 != " " }
        guard end.hasSuffix("am") || end.hasSuffix("pm") else { return nil }
        while let last = text.last, last.isLetter || last == "." || last == " " { text.removeLast() }
        return end.hasSuffix("pm")
    }

    /// The date and the time of day, at the last space or `T` before the first colon, or between groups of digits.
    private static func divided(_ text: Substring) -> (date: Substring, clock: Substring)? {
        let end = text.firstIndex(of: ":") ?? text.endIndex
        guard let mark = text[..<end].lastIndex(where: { $0 == " " || $0 == "T" || $0 == "t" || $0 == "," }) else {
            return nil
        }
        let clock = text[text.index(after: mark)...]
        guard clock.first?.isNumber == true, end < text.endIndex || clock.prefix(while: \.isNumber).count == 6 else {
            return nil
        }
        var date = text[..<mark]
        while let last = date.last, last == " " || last == "," { date.removeLast() }
        return date.isEmpty ? nil : (date, clock)
    }

    /// `8:30`, `08:30:15.5`, `083015`.
    private static func milliseconds(of clock: Substring, isAfternoon: Bool?) -> Int? {
        let parts = clock.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts[0].split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : whole.count > 1 ? whole[1] : "0"
        guard parts.count == 1 || whole.count == 1, !fraction.isEmpty, fraction.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        var fields = whole[0].split(separator: ":", omittingEmptySubsequences: false)
        if fields.count == 1, fields[0].count == 6 {
            fields = [fields[0].prefix(2), fields[0].dropFirst(2).prefix(2), fields[0].dropFirst(4)]
        }
        guard (2...3).contains(fields.count),
            fields.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isASCIIDigit) })
        else { return nil }
        let numbers = fields.compactMap { Int($0) }
        guard var hour = numbers.first, hour < 24, numbers[1] < 60 else { return nil }
        let second = numbers.count > 2 ? numbers[2] : 0
        guard second <= 60 else { return nil }
        if let isAfternoon {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        let milliseconds = Int(fraction.prefix(3).padded(to: 3)) ?? 0
        return ((hour * 60 + numbers[1]) * 60 + second) * 1000 + milliseconds
    }

    private static func problem(ofDate text: Substring) -> String? {
        let groups = text.split { !$0.isLetter && !$0.isNumber }
        let isShort = groups.count == 3 && groups.allSatisfy { $0.count <= 2 || $0.first?.isLetter == true }
        guard isShort || (text.count == 6 && text.allSatisfy(\.isNumber)) else { return nil }
        return "has a year of two digits, so its order is not certain: write the date as yyyy-mm-dd"
    }

    /// The date, and what it says about the order of day and month.
    private static func date(of text: Substring) -> (Date, Order?)? {
        if text.count == 8, text.allSatisfy(\.isASCIIDigit) {
            return day(text.prefix(4), text.dropFirst(4).prefix(2), text.suffix(2)).map { (.day($0), nil) }
        }
        var groups = text.split { " -/.,".contains($0) }
        // The name of a weekday.
        if groups.count == 4, groups[0].allSatisfy(\.isLetter) { groups.removeFirst() }
        guard groups.count == 3 else { return nil }
        if groups[0].count == 4 { return day(groups[0], groups[1], groups[2]).map { (.day($0), nil) } }
        guard groups[2].count == 4 else { return nil }
        if groups[0].allSatisfy(\.isLetter) { return day(groups[2], groups[0], groups[1]).map { (.day($0), nil) } }
        if groups[1].allSatisfy(\.isLetter) { return day(groups[2], groups[1], groups[0]).map { (.day($0), nil) } }
        let dayFirst = day(groups[2], groups[1], groups[0])
        let monthFirst = day(groups[2], groups[0], groups[1])
        // A date with dots always begins with the day.
        if text.contains(".") { return dayFirst.map { (.day($0), .dayFirst) } }
        switch (dayFirst, monthFirst) {
        case (let first?, let second?):
            return first.day == second.day ? (.day(first), nil) : (.either(first, second), nil)
        case (let first?, nil): return (.day(first), .dayFirst)
        case (nil, let second?): return (.day(second), .monthFirst)
        case (nil, nil): return nil
        }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func day(_ year: Substring, _ month: Substring, _ day: Substring) -> Day? {
        let name = month.lowercased().prefix(3)
        let number = month.allSatisfy(\.isASCIIDigit) ? Int(month) : months.firstIndex { $0 == name }.map { $0 + 1 }
        guard let year = Int(year), year > 0, let month = number, (1...12).contains(month),
            day.allSatisfy(\.isASCIIDigit),
            let day = Int(day), (1...Timestamp.daysInMonth(month, of: year)).contains(day)
        else { return nil }
        return Day(year: year, month: month, day: day)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

extension Substring {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: "0", count: Swift.max(0, count - self.count))
    }
}
