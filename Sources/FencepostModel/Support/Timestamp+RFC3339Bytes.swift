extension Timestamp {
    /// The maximum length of `rfc3339` in bytes.
    package static let rfc3339Length = 24

    /// Parses the most common notation of RFC 3339, `2026-03-01T08:30:00Z` with or without a fraction.
    ///
    /// - Returns: `nil` for other notations, which `init(rfc3339:assumingUTC:)` may accept.
    package init?(commonRFC3339 text: UnsafeBufferPointer<UInt8>) {
        guard text.count >= 20, unsafe text[text.count - 1] == UInt8(ascii: "Z"),
            unsafe text[4] == UInt8(ascii: "-"), unsafe text[7] == UInt8(ascii: "-"),
            unsafe text[10] == UInt8(ascii: "T"), unsafe text[13] == UInt8(ascii: ":"),
            unsafe text[16] == UInt8(ascii: ":")
        else { return nil }
        var isNumber = true
        func pair(_ index: Int) -> Int {
            let (tens, ones) = unsafe (Int(text[index]) - 48, Int(text[index + 1]) - 48)
            if tens < 0 || tens > 9 || ones < 0 || ones > 9 { isNumber = false }
            return tens * 10 + ones
        }
        let year = pair(0) * 100 + pair(2)
        let (month, day, hour, minute, second) = (pair(5), pair(8), pair(11), pair(14), pair(17))
        guard isNumber, month >= 1, month <= 12, day >= 1, hour < 24, minute < 60, second < 60,
            day <= 28 || day <= Timestamp.daysInMonth(month, of: year)
        else { return nil }
        var millisecond = 0
        if text.count > 20 {
            guard unsafe text[19] == UInt8(ascii: "."), text.count > 21 else { return nil }
            var scale = 100
            for index in 20..<(text.count - 1) {
                let digit = unsafe Int(text[index]) - 48
                guard digit >= 0, digit <= 9 else { return nil }
                millisecond += digit * scale
                scale /= 10
            }
        }
        let days = Timestamp.days(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        self.init(milliseconds: Int64(seconds * 1000 + millisecond))
    }

    /// Writes the text of `rfc3339`.
    ///
    /// - Parameter start: has room for `rfc3339Length` bytes.
    /// - Returns: the number of bytes written, 20 or 24.
    package func writeRFC3339(to start: UnsafeMutablePointer<UInt8>) -> Int {
        let day = milliseconds / 86_400_000 - (milliseconds % 86_400_000 < 0 ? 1 : 0)
        let millisecondOfDay = UInt32(milliseconds - day * 86_400_000)
        let (year, month, dayOfMonth) = Timestamp.civil(day: Int(day))
        func write(_ pair: UInt32, at offset: Int) {
            unsafe start[offset] = UInt8(truncatingIfNeeded: 48 + pair / 10 % 10)
            unsafe start[offset + 1] = UInt8(truncatingIfNeeded: 48 + pair % 10)
        }
        // Only the last four digits of a longer year; readers reject such times.
        write(UInt32(year.magnitude % 10_000) / 100, at: 0)
        write(UInt32(year.magnitude % 100), at: 2)
        unsafe start[4] = UInt8(ascii: "-")
        write(UInt32(month), at: 5)
        unsafe start[7] = UInt8(ascii: "-")
        write(UInt32(dayOfMonth), at: 8)
        unsafe start[10] = UInt8(ascii: "T")
        let second = millisecondOfDay / 1000
        write(second / 3600, at: 11)
        unsafe start[13] = UInt8(ascii: ":")
        write(second / 60 % 60, at: 14)
        unsafe start[16] = UInt8(ascii: ":")
        write(second % 60, at: 17)
        let millisecond = millisecondOfDay % 1000
        guard millisecond > 0 else {
            unsafe start[19] = UInt8(ascii: "Z")
            return 20
        }
        unsafe start[19] = UInt8(ascii: ".")
        unsafe start[20] = UInt8(truncatingIfNeeded: 48 + millisecond / 100)
        write(millisecond % 100, at: 21)
        unsafe start[23] = UInt8(ascii: "Z")
        return Timestamp.rfc3339Length
    }
}
