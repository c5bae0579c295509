/// Parses JSON numbers without an exponent and with at most 19 digits, correctly rounded by IEEE 754 (to nearest, ties
/// to even). The caller handles all other numbers.
enum ExactDecimal {
    /// Reads a number at `start`, from where at least 40 bytes must be readable.
    ///
    /// - Returns: the byte after the number; `nil` if there is none, or one of another form.
    @inline(__always)
    static func read(_ start: UnsafePointer<UInt8>, into value: inout Double) -> UnsafePointer<UInt8>? {
        let isNegative = start.pointee == UInt8(ascii: "-")
        var cursor = start + (isNegative ? 1 : 0)
        let word = WordScan.word(at: cursor) ^ WordScan.zeroDigits
        var integerDigits = WordScan.count(before: WordScan.nonDigits(in: word))
        guard integerDigits > 0 else { return nil }
        var digits = WordScan.number(word, digits: integerDigits)
        if integerDigits == 8 {
            let more = WordScan.word(at: cursor + 8) ^ WordScan.zeroDigits
            let count = WordScan.count(before: WordScan.nonDigits(in: more))
            if count > 0 { digits = digits &* powers[count] &+ WordScan.number(more, digits: count) }
            integerDigits = 8 &+ count
            guard integerDigits < 16 else { return nil }
        }
        // JSON has no leading zeros.
        if integerDigits > 1, cursor.pointee == UInt8(ascii: "0") { return nil }
        cursor += integerDigits
        guard cursor.pointee == UInt8(ascii: ".") else {
            guard digits <= limit else { return nil }
            // An integer: −0 becomes 0.
            let number = Int64(truncatingIfNeeded: digits)
            value = Double(isNegative ? -number : number)
            return cursor
        }
        cursor += 1
        let fraction = WordScan.word(at: cursor) ^ WordScan.zeroDigits
        var scale = WordScan.count(before: WordScan.nonDigits(in: fraction))
        guard scale > 0, integerDigits &+ scale <= 19 else { return nil }
        digits = digits &* powers[scale] &+ WordScan.number(fraction, digits: scale)
        if scale == 8 {
            let more = WordScan.word(at: cursor + 8) ^ WordScan.zeroDigits
            let count = WordScan.count(before: WordScan.nonDigits(in: more))
            guard count < 8, integerDigits &+ 8 &+ count <= 19 else { return nil }
            if count > 0 { digits = digits &* powers[count] &+ WordScan.number(more, digits: count) }
            scale = 8 &+ count
        }
        let magnitude =
            digits <= limit
            // Both are exact doubles, so the division rounds once.
            ? Double(Int64(truncatingIfNeeded: digits)) / doublePowers[scale]
            : quotient(digits, powers[scale])
        value = isNegative ? -magnitude : magnitude
        return cursor + scale
    }

    /// 2^53: every integer up to here is an exact double.
    private static let limit: UInt64 = 1 << 53

    /// A quotient of integers, rounded to the nearest double.
    ///
    /// The dividend is not 0. The divisor is not 0, and small enough that the quotient is not subnormal, as is any
    /// power of ten that fits.
    @inline(never)
    static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
        let (up, over) = (dividend.leadingZeroBitCount, divisor.leadingZeroBitCount)
        // With the first bit of both set, the quotient of `high · 2^63` has 63 or 64 bits.
        let high = dividend << UInt64(up)
        let (bits, rest) = (divisor << UInt64(over)).dividingFullWidth((high >> 1, high << 63))
        // The remainder matters only for a tie, and only whether it is 0.
        let sticky: UInt64 = rest == 0 ? 0 : 1
        let exponent = over - up - 63
        return rounded(bits, sticky: sticky, exponent: exponent)
    }

    /// `(bits + a fraction below 1 if sticky is set) · 2^exponent` as a double.
    private static func rounded(_ bits: UInt64, sticky: UInt64, exponent: Int) -> Double {
        let excess = UInt64(64 - bits.leadingZeroBitCount - 53)
        let half: UInt64 = 1 << (excess - 1)
        let remainder = bits & ((1 << excess) - 1)
        var kept = bits >> excess
        if remainder > half || (remainder == half && (sticky == 1 || kept & 1 == 1)) { kept += 1 }
        return Double(sign: .plus, exponent: exponent + Int(excess), significand: Double(kept))
    }

    private static let powers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    /// Powers of ten up to 10^22 are exact doubles.
    private static let doublePowers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    ]
}
