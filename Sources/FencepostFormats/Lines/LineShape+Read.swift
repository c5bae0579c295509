internal import FencepostModel

/// What one line holds at the places of a shape.
struct LineValues {
    /// By `LineShape.Place`; what the shape has no place for stays NaN.
    private let numbers: UnsafeMutablePointer<Double>
    var device: Int32 = -1
    var time = Timestamp(milliseconds: 0)

    /// - Parameter numbers: room for `LineShape.Place.numberCount` numbers, which stays its owner's.
    init(_ numbers: UnsafeMutablePointer<Double>) {
        self.numbers = numbers
        numbers.update(repeating: .nan, count: LineShape.Place.numberCount)
    }

    @inline(__always)
    subscript(_ place: LineShape.Place) -> Double {
        get { numbers[Int(place.rawValue)] }
        nonmutating set { numbers[Int(place.rawValue)] = newValue }
    }
}

extension LineShape {
    /// Reads one line.
    ///
    /// - Parameters:
    ///   - start: 16 bytes have to be readable behind the line, and none of the shape may go on there: a line feed, or
    ///     a zero.
    /// - Returns: where the shape ends; `nil` where the line does not fit it, or is to be read in the slow way.
    @inline(__always)
    static func read(
        _ start: UnsafePointer<UInt8>, pieces: UnsafeBufferPointer<Piece>, words: UnsafePointer<UInt64>,
        names: inout DeviceNames, clock: inout LineClock, into values: inout LineValues
    ) -> UnsafePointer<UInt8>? {
        var at = start
        for piece in pieces {
            var word = words + piece.start
            for _ in 0..<piece.wholeWords {
                guard WordScan.word(at: at) == word.pointee else { return nil }
                at += 8
                word += 1
            }
            if piece.leftOver > 0 {
                guard WordScan.head(WordScan.word(at: at), count: piece.leftOver) == word.pointee else { return nil }
                at += piece.leftOver
            }
            switch piece.place {
            case .latitude, .longitude, .horizontalAccuracy, .altitude, .verticalAccuracy, .speed, .course,
                .batteryLevel, .otherNumber:
                var number = 0.0
                guard let end = ExactDecimal.read(at, into: &number) else { return nil }
                values[piece.place] = number
                at = end
            case .device:
                let (number, end) = names.number(inQuotes: at)
                guard number >= 0 else { return nil }
                values.device = number
                at = end
            case .timeText:
                guard let end = clock.read(at, into: &values.time) else { return nil }
                at = end
            case .timeNumber:
                var number = 0.0
                guard let end = ExactDecimal.read(at, into: &number),
                    case .at(let time) = RawTime(epoch: number)
                else { return nil }
                values.time = time
                at = end
            case .otherText:
                guard let end = WordScan.endOfPlainText(at) else { return nil }
                at = end
            case .end: return at
            }
        }
        return nil
    }
}

/// Reads times in RFC 3339, and keeps the day, which is nearly always that of the time before.
struct LineClock {
    /// The bytes of the day, `2026-03-01T`, and its first millisecond.
    private var head: UInt64 = 0
    private var tail: UInt64 = 0
    private var dayStart: Int64 = 0

    /// - Parameter start: the byte behind the opening quote; 16 bytes have to be readable behind the string.
    /// - Returns: where the closing quote is; `nil` where there is no time.
    @inline(__always)
    mutating func read(_ start: UnsafePointer<UInt8>, into time: inout Timestamp) -> UnsafePointer<UInt8>? {
        guard WordScan.word(at: start) == head else { return readSlowly(start, into: &time) }
        let middle = WordScan.word(at: start + 8)
        guard middle & 0xFF_FFFF == tail else { return readSlowly(start, into: &time) }
        // `08:30:00`: the colons become nothing, and so a digit like the others.
        let clock = (middle &>> 24 | WordScan.word(at: start + 16) &<< 40) ^ 0x3030_3A30_303A_3030
        guard clock & 0x0000_FF00_00FF_0000 == 0, WordScan.others(thanDigits: clock) == 0 else {
            return readSlowly(start, into: &time)
        }
        let pairs = clock &* 10 &+ clock &>> 8
        let (hour, minute, second) = (pairs & 0xFF, (pairs &>> 24) & 0xFF, (pairs &>> 48) & 0xFF)
        guard hour < 24, minute < 60, second < 60 else { return nil }
        var end = start + 19
        var millisecond: UInt64 = 0
        if end.pointee == UInt8(ascii: ".") {
            let fraction = WordScan.word(at: end + 1) ^ WordScan.zeroDigits
            let count = WordScan.count(before: WordScan.others(thanDigits: fraction))
            guard count > 0, count < 8 else { return readSlowly(start, into: &time) }
            // As many digits as there are, with zeros behind them, cut off after the third.
            let digits = WordScan.head(fraction, count: count)
            millisecond = WordScan.number(digits, digits: 3)
            end += 1 + count
        }
        guard end.pointee == UInt8(ascii: "Z") else { return readSlowly(start, into: &time) }
        let seconds = (hour &* 60 &+ minute) &* 60 &+ second
        time = Timestamp(milliseconds: dayStart &+ Int64(truncatingIfNeeded: seconds &* 1000 &+ millisecond))
        return end + 1
    }

    /// Reads a time of another day, or one that is written in another way.
    @inline(never)
    private mutating func readSlowly(
        _ start: UnsafePointer<UInt8>, into time: inout Timestamp
    ) -> UnsafePointer<UInt8>? {
        guard let end = WordScan.endOfPlainText(start) else { return nil }
        let text = UnsafeBufferPointer(start: start, count: end - start)
        guard case .at(let found) = RawTime(rfc3339: text) else { return nil }
        time = found
        // Not `:60`, which is of the day after.
        if Timestamp(fastRFC3339: text) != nil {
            head = WordScan.word(at: start)
            tail = WordScan.word(at: start + 8) & 0xFF_FFFF
            let day = found.milliseconds / 86_400_000 - (found.milliseconds % 86_400_000 < 0 ? 1 : 0)
            dayStart = day * 86_400_000
        }
        return end
    }
}

extension WordScan {
    /// Where the quote behind plain ASCII is; `nil` where an escape, a control character or more than ASCII comes first.
    ///
    /// - Parameter start: 8 bytes have to be readable behind the text.
    static func endOfPlainText(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        var end = start
        while true {
            let word = word(at: end)
            let marks = ends(of: word) | word & highBits
            guard marks != 0 else {
                end += 8
                continue
            }
            end += count(before: marks)
            return end.pointee == UInt8(ascii: "\"") ? end : nil
        }
    }
}
