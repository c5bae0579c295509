/// Reads the numbers of JSON that have no exponent and at most 19 digits, each rounded as IEEE 754 says: to the nearest
/// double, of two that are as near to the even one. All other numbers are left to whoever asks.
enum ExactDecimal {
    /// - Parameter start: at least 40 bytes can be read from here.
    /// - Returns: the byte after the number; `nil` when there is none, or none that is read here.
    @inline(__always)
    static func read(_ start: UnsafePointer<UInt8>, into value: inout Double) -> UnsafePointer<UInt8>? {
        let isNegative = start.pointee == UInt8(ascii: "-")
        var place = start + (isNegative ? 1 : 0)
        let word = WordScan.word(at: place) ^ WordScan.zeroDigits
        var whole = WordScan.count(before: WordScan.others(thanDigits: word))
        guard whole > 0 else { return nil }
        var digits = WordScan.number(word, digits: whole)
        if whole == 8 {
            let more = WordScan.word(at: place + 8) ^ WordScan.zeroDigits
            let count = WordScan.count(before: WordScan.others(thanDigits: more))
            if count > 0 { digits = digits &* powers[count] &+ WordScan.number(more, digits: count) }
            whole = 8 &+ count
            guard whole < 16 else { return nil }
        }
        // JSON has no zero in front of other digits.
        if whole > 1, place.pointee == UInt8(ascii: "0") { return nil }
        place += whole
        guard place.pointee == UInt8(ascii: ".") else {
            guard digits <= limit else { return nil }
            // An integer: minus nothing is nothing.
            let number = Int64(truncatingIfNeeded: digits)
            value = Double(isNegative ? -number : number)
            return place
        }
        place += 1
        let part = WordScan.word(at: place) ^ WordScan.zeroDigits
        var scale = WordScan.count(before: WordScan.others(thanDigits: part))
        guard scale > 0, whole &+ scale <= 19 else { return nil }
        digits = digits &* powers[scale] &+ WordScan.number(part, digits: scale)
        if scale == 8 {
            let more = WordScan.word(at: place + 8) ^ WordScan.zeroDigits
            let count = WordScan.count(before: WordScan.others(thanDigits: more))
            guard count < 8, whole &+ 8 &+ count <= 19 else { return nil }
            if count > 0 { digits = digits &* powers[count] &+ WordScan.number(more, digits: count) }
            scale = 8 &+ count
        }
        let magnitude =
            digits <= limit
            // Both are doubles themselves, so that one division rounds once.
            ? Double(Int64(truncatingIfNeeded: digits)) / doublePowers[scale]
            : quotient(digits, powers[scale])
        value = isNegative ? -magnitude : magnitude
        return place + scale
    }

    /// 2^53: every whole number up to here is a double.
    private static let limit: UInt64 = 1 << 53

    /// A quotient of whole numbers, rounded to the nearest double.
    ///
    /// - Parameters:
    ///   - dividend: not 0.
    ///   - divisor: not 0, and so small that the quotient is no subnormal number: any power of ten that fits is.
    @inline(never)
    static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
        let (up, over) = (dividend.leadingZeroBitCount, divisor.leadingZeroBitCount)
        // With the first bit of both set the quotient of `high · 2^63` has 63 or 64 bits.
        let high = dividend << UInt64(up)
        let (bits, rest) = (divisor << UInt64(over)).dividingFullWidth((high >> 1, high << 63))
        // What was cut off decides between two doubles that are as near only if it is not nothing.
        let sticky: UInt64 = rest == 0 ? 0 : 1
        let exponent = over - up - 63
        return rounded(bits, sticky: sticky, exponent: exponent)
    }

    /// `(bits + something below 1 where sticky is set) · 2^exponent` as a double.
    private static func rounded(_ bits: UInt64, sticky: UInt64, exponent: Int) -> Double {
        let excess = UInt64(64 - bits.leadingZeroBitCount - 53)
        let half: UInt64 = 1 << (excess - 1)
        let cut = bits & ((1 << excess) - 1)
        var kept = bits >> excess
        if cut > half || (cut == half && (sticky == 1 || kept & 1 == 1)) { kept += 1 }
        return Double(sign: .plus, exponent: exponent + Int(excess), significand: Double(kept))
    }

    private static let powers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    /// Powers of ten up to 10^22 are doubles.
    private static let doublePowers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    ]
}
