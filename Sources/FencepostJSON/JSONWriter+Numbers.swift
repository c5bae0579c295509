extension JSONWriter {
    /// - Returns: the number of bytes written, at most 32.
    @inline(__always)
    static func write(_ number: Double, at start: UnsafeMutablePointer<UInt8>) -> Int {
        if let integer = Int64(exactly: number), integer.magnitude < 1 << 53 { return write(integer, at: start) }
        return decimal(number, at: start) ?? other(number, at: start)
    }

    private static func other(_ number: Double, at start: UnsafeMutablePointer<UInt8>) -> Int {
        guard number.isFinite else {
            for (index, byte) in "null".utf8.enumerated() { start[index] = byte }
            return 4
        }
        return Decimal.write(number, at: start)
    }

    /// - Returns: the number of bytes written, at most 20.
    @inline(__always)
    static func write(_ integer: Int64, at start: UnsafeMutablePointer<UInt8>) -> Int {
        guard integer < 0 else { return digits(integer.magnitude, at: start) }
        start.pointee = UInt8(ascii: "-")
        return 1 + digits(integer.magnitude, at: start + 1)
    }

    /// - Returns: the number of digits, at most 20.
    private static func digits(_ number: UInt64, at target: UnsafeMutablePointer<UInt8>) -> Int {
        var (count, limit) = (1, UInt64(10))
        while count < 20, number >= limit {
            count += 1
            guard count < 20 else { break }
            limit &*= 10
        }
        var rest = number
        for index in stride(from: count - 1, through: 0, by: -1) {
            target[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
        return count
    }

    /// Writes a number with at most seven decimals and fifteen digits. That is its shortest form, since a double
    /// distinguishes any two decimals of fifteen digits.
    ///
    /// - Returns: the number of bytes written; `nil` for every other number.
    private static func decimal(_ number: Double, at target: UnsafeMutablePointer<UInt8>) -> Int? {
        let enlarged = number.magnitude * 1e7
        // NaN fails the comparison.
        guard enlarged < 1e15 else { return nil }
        // Rounded, except for halves, which the comparison excludes.
        let all = UInt64(enlarged + 0.5)  // total: below 1e15
        guard all > 0, Double(all) / 1e7 == number.magnitude else { return nil }
        let (whole, fraction) = all.quotientAndRemainder(dividingBy: 10_000_000)
        var count = 0
        if number < 0 {
            target[0] = UInt8(ascii: "-")
            count = 1
        }
        count += digits(whole, at: target + count)
        guard fraction > 0 else { return count }
        target[count] = UInt8(ascii: ".")
        // Three digits and four, without the zeros at the end.
        let (high, low) = fraction.quotientAndRemainder(dividingBy: 10_000)
        let start = target + count + 1
        start[0] = 48 + UInt8(truncatingIfNeeded: high / 100)
        pair(high % 100, at: start + 1)
        pair(low / 100, at: start + 3)
        pair(low % 100, at: start + 5)
        var last = low > 0 ? 7 : 3
        while start[last - 1] == 48 { last -= 1 }
        return count + 1 + last
    }

    /// Writes a number below 100 as two digits.
    @inline(__always)
    private static func pair(_ number: UInt64, at target: UnsafeMutablePointer<UInt8>) {
        let tens = number / 10
        target[0] = 48 + UInt8(truncatingIfNeeded: tens)
        target[1] = 48 + UInt8(truncatingIfNeeded: number - 10 * tens)
    }
}
