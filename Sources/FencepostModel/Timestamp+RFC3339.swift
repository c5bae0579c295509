extension Timestamp {
    /// Parses RFC 3339 and the variants that phones send.
    ///
    /// Accepts any offset, also without a colon (`-0700`) or without minutes (`-07`), a fraction of any length
    /// (truncated to milliseconds), `t`, `z` or a space in place of `T` and `Z`, and `:60` for a leap second. A time
    /// without an offset is rejected unless `assumingUTC` is set. The result is `nil` if the text has another format or
    /// names a date or a time that does not exist.
    public init?(rfc3339 text: some Collection<UInt8>, assumingUTC: Bool = false) {
        var reader = DigitReader(rest: text[...])
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2),
            (1...12).contains(month), (1...Timestamp.daysInMonth(month, of: year)).contains(day)
        else { return nil }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" ") else { return nil }
        guard let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60
        else { return nil }
        var (second, millisecond) = (0, 0)
        if reader.skip(":") {
            guard let seconds = reader.number(digits: 2), seconds <= 60 else { return nil }
            second = seconds
            if reader.skip(".") || reader.skip(",") {
                guard let fraction = reader.fraction() else { return nil }
                millisecond = fraction
            }
        }
        var offset = 0
        if reader.skip("Z") || reader.skip("z") {
        } else if let sign = reader.sign() {
            guard let hours = reader.number(digits: 2), hours < 24 else { return nil }
            var minutes = 0
            if reader.skip(":") || !reader.isAtEnd {
                guard let read = reader.number(digits: 2), read < 60 else { return nil }
                minutes = read
            }
            offset = sign * (hours * 60 + minutes)
        } else if !assumingUTC {
            return nil
        }
        guard reader.isAtEnd else { return nil }
        let days = Timestamp.days(year: year, month: month, day: day)
        let minutes = Int64(days) * 1440 + Int64(hour * 60 + minute - offset)
        self.init(milliseconds: (minutes * 60 + Int64(second)) * 1000 + Int64(millisecond))
    }

    /// Parses a text as `init(rfc3339:assumingUTC:)` parses its UTF-8 bytes.
    public init?(rfc3339 text: String, assumingUTC: Bool = false) {
        self.init(rfc3339: text.utf8, assumingUTC: assumingUTC)
    }

    /// RFC 3339 in UTC with `Z`. Includes milliseconds only if they are not zero.
    public var rfc3339: String {
        var bytes: [UInt8] = []
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of `rfc3339`.
    public func appendRFC3339(to bytes: inout [UInt8]) {
        let count = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: Timestamp.rfc3339Length))
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe writeRFC3339(to: $0 + count) } ?? 0
        }
        bytes.removeLast(Timestamp.rfc3339Length - written)
    }

    /// The number of days from 1970-01-01 to a date of the proleptic Gregorian calendar.
    ///
    /// Years start in March, so that the leap day comes last; 400 years have 146 097 days.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    public static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = Int(Int64(shifted).flooredQuotient(400))
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Year, month (1–12) and day (1–31) of a number of days since 1970-01-01; the inverse of `days(year:month:day:)`.
    public static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = Int(Int64(shifted).flooredQuotient(146_097))
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// The number of days of a month, 1 to 12, in the Gregorian calendar.
    public static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// Reads fixed-width numbers from the start of a text.
private struct DigitReader<Bytes: Collection<UInt8>> where Bytes.SubSequence == Bytes {
    var rest: Bytes

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func sign() -> Int? {
        skip("+") ? 1 : skip("-") ? -1 : nil
    }

    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.first, (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
            rest = rest.dropFirst()
        }
        return value
    }

    /// Reads one or more digits; the first three are milliseconds.
    mutating func fraction() -> Int? {
        var (value, scale, any) = (0, 100, false)
        while let byte = rest.first, (48...57).contains(byte) {
            value += Int(byte - 48) * scale
            scale /= 10
            any = true
            rest = rest.dropFirst()
        }
        return any ? value : nil
    }
}
