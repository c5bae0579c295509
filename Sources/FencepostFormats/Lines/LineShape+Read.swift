internal import FencepostModel

/// The values of one line.
struct LineValues {
    /// By `LineShape.Field`; fields that the shape does not have are NaN.
    private let numbers: UnsafeMutablePointer<Double>
    var device: Int32 = -1
    var time = Timestamp(milliseconds: 0)

    /// - Parameter numbers: room for `LineShape.Field.numberCount` numbers; the caller keeps ownership.
    init(_ numbers: UnsafeMutablePointer<Double>) {
        self.numbers = numbers
        numbers.update(repeating: .nan, count: LineShape.Field.numberCount)
    }

    @inline(__always)
    subscript(_ field: LineShape.Field) -> Double {
        get { numbers[Int(field.rawValue)] }
        nonmutating set { numbers[Int(field.rawValue)] = newValue }
    }
}

extension LineShape {
    /// Decodes one line. The state is in separate parameters, which the compiler keeps in registers.
    ///
    /// It has six parameters because a structure for them would be copied for every line. From `start`, 16 bytes must
    /// be readable after the line, and the line must end in a byte that fits no shape: a line feed or a zero.
    ///
    /// - Returns: the end of the shape; `nil` if the line does not fit, or needs the full parser.
    @inline(__always)
    static func read(
        _ start: UnsafePointer<UInt8>, literals: UnsafeBufferPointer<Literal>, words: UnsafePointer<UInt64>,
        names: inout DeviceNames, clock: inout LineClock, into values: inout LineValues
    ) -> UnsafePointer<UInt8>? {
        var cursor = start
        for literal in literals {
            var word = words + literal.start
            for _ in 0..<literal.fullWords {
                guard WordScan.word(at: cursor) == word.pointee else { return nil }
                cursor += 8
                word += 1
            }
            if literal.remainingBytes > 0 {
                guard WordScan.head(WordScan.word(at: cursor), count: literal.remainingBytes) == word.pointee else {
                    return nil
                }
                cursor += literal.remainingBytes
            }
            switch literal.field {
            case .latitude, .longitude, .horizontalAccuracy, .altitude, .verticalAccuracy, .speed, .course,
                .batteryLevel, .otherNumber:
                var number = 0.0
                guard let end = ExactDecimal.read(cursor, into: &number) else { return nil }
                values[literal.field] = number
                cursor = end
            case .device:
                let (number, end) = names.number(inQuotes: cursor)
                guard number >= 0 else { return nil }
                values.device = number
                cursor = end
            case .timeText:
                guard let end = clock.read(cursor, into: &values.time) else { return nil }
                cursor = end
            case .timeNumber:
                var number = 0.0
                guard let end = ExactDecimal.read(cursor, into: &number),
                    case .at(let time) = RawTime(epoch: number)
                else { return nil }
                values.time = time
                cursor = end
            case .otherText:
                guard let end = WordScan.endOfPlainText(cursor) else { return nil }
                cursor = end
            case .end: return cursor
            }
        }
        return nil
    }
}

/// Parses RFC 3339 times. It caches the day, which is almost always that of the previous time.
struct LineClock {
    /// The bytes of the day, `2026-03-01T`, and its first millisecond.
    private var head: UInt64 = 0
    private var tail: UInt64 = 0
    private var dayStart: Int64 = 0

    /// Reads a time from `start`, the byte after the opening quote; 16 bytes must be readable after the string.
    ///
    /// - Returns: the position of the closing quote; `nil` if the string is not a time.
    @inline(__always)
    mutating func read(_ start: UnsafePointer<UInt8>, into time: inout Timestamp) -> UnsafePointer<UInt8>? {
        guard WordScan.word(at: start) == head else { return readSlowly(start, into: &time) }
        let middle = WordScan.word(at: start + 8)
        guard middle & 0xFF_FFFF == tail else { return readSlowly(start, into: &time) }
        // `08:30:00`: the exclusive or maps digits to their values and colons to 0, a valid digit.
        let clock = (middle &>> 24 | WordScan.word(at: start + 16) &<< 40) ^ 0x3030_3A30_303A_3030
        guard clock & 0x0000_FF00_00FF_0000 == 0, WordScan.nonDigits(in: clock) == 0 else {
            return readSlowly(start, into: &time)
        }
        let pairs = clock &* 10 &+ clock &>> 8
        let (hour, minute, second) = (pairs & 0xFF, (pairs &>> 24) & 0xFF, (pairs &>> 48) & 0xFF)
        guard hour < 24, minute < 60, second < 60 else { return nil }
        var end = start + 19
        var millisecond: UInt64 = 0
        if end.pointee == UInt8(ascii: ".") {
            let fraction = WordScan.word(at: end + 1) ^ WordScan.zeroDigits
            let count = WordScan.count(before: WordScan.nonDigits(in: fraction))
            guard count > 0, count < 8 else { return readSlowly(start, into: &time) }
            // The digits, padded with zeros and truncated after the third.
            let digits = WordScan.head(fraction, count: count)
            millisecond = WordScan.number(digits, digits: 3)
            end += 1 + count
        }
        guard end.pointee == UInt8(ascii: "Z") else { return readSlowly(start, into: &time) }
        let seconds = (hour &* 60 &+ minute) &* 60 &+ second
        time = Timestamp(milliseconds: dayStart &+ Int64(truncatingIfNeeded: seconds &* 1000 &+ millisecond))
        return end + 1
    }

    /// Parses a time of another day, or in another notation.
    @inline(never)
    private mutating func readSlowly(
        _ start: UnsafePointer<UInt8>, into time: inout Timestamp
    ) -> UnsafePointer<UInt8>? {
        guard let end = WordScan.endOfPlainText(start) else { return nil }
        let text = UnsafeBufferPointer(start: start, count: end - start)
        guard case .at(let found) = RawTime(rfc3339: text) else { return nil }
        time = found
        // Except a leap second `:60`, which belongs to the next day.
        if Timestamp(commonRFC3339: text) != nil {
            head = WordScan.word(at: start)
            tail = WordScan.word(at: start + 8) & 0xFF_FFFF
            let day = found.milliseconds / 86_400_000 - (found.milliseconds % 86_400_000 < 0 ? 1 : 0)
            dayStart = day * 86_400_000
        }
        return end
    }
}

extension WordScan {
    /// The closing quote of plain ASCII text; `nil` if an escape, a control character or another character comes first.
    /// From `start`, 8 bytes must be readable after the text.
    static func endOfPlainText(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        var end = start
        while true {
            let word = word(at: end)
            let marks = plainTextEnds(of: word) | word & highBits
            guard marks != 0 else {
                end += 8
                continue
            }
            end += count(before: marks)
            return end.pointee == UInt8(ascii: "\"") ? end : nil
        }
    }
}
