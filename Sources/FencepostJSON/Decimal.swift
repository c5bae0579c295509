#if NativeLibraries && os(Linux)
    internal import CSimdjson
#endif

/// Decimals as the texts of doubles, by the C++ library where it is linked, else by Swift's.
enum Decimal {
    /// The value of a number in JSON's grammar, correctly rounded; infinite beyond `Double`.
    @inline(__always)
    static func value(of text: UnsafeBufferPointer<UInt8>) -> Double {
        #if NativeLibraries && os(Linux)
            text.baseAddress.map { fencepost_parse_decimal($0, text.count) } ?? 0
        #else
            SwiftDecimal.value(of: text)
        #endif
    }

    /// Writes the shortest text that reads back as the same finite number, without an exponent from 1e-7 up to 1e21.
    ///
    /// - Returns: the number of bytes, at most 32.
    @inline(__always)
    static func write(_ number: Double, at start: UnsafeMutablePointer<UInt8>) -> Int {
        #if NativeLibraries && os(Linux)
            fencepost_shortest_decimal(number, start)
        #else
            SwiftDecimal.write(number, at: start)
        #endif
    }
}

/// Decimals in Swift alone.
package enum SwiftDecimal {
    package static func value(of text: UnsafeBufferPointer<UInt8>) -> Double {
        Double(String(decoding: text, as: UTF8.self)) ?? 0
    }

    /// - Parameters:
    ///   - number: a finite number.
    ///   - start: 32 bytes.
    /// - Returns: the number of bytes written.
    package static func write(_ number: Double, at start: UnsafeMutablePointer<UInt8>) -> Int {
        let text = text(of: number)
        var count = 0
        for byte in text.utf8 {
            start[count] = byte
            count += 1
        }
        return count
    }

    /// The digits are those of `description`, which are the fewest that read back, and of these the nearest.
    private static func text(of number: Double) -> String {
        guard number != 0 else { return "0" }
        let sign = number < 0 ? "-" : ""
        let magnitude = number.magnitude
        // Whole numbers have all their digits.
        if magnitude >= 0x1p53, magnitude < 1e21 {
            return sign + digits(ofWhole: magnitude)
        }
        let parts = magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        var digits = Array((mantissa[0] + fraction).utf8)
        // The power of ten of the first digit.
        var power = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + mantissa[0].utf8.count - 1
        let zeros = digits.prefix { $0 == 48 }.count
        digits.removeFirst(zeros)
        power -= zeros
        while digits.count > 1, digits.last == 48 { digits.removeLast() }
        let text = String(decoding: digits, as: UTF8.self)
        guard magnitude >= 1e-7, magnitude < 1e21 else {
            let rest = digits.count > 1 ? "." + text.dropFirst() : ""
            let exponent = String(power.magnitude)
            return sign + text.prefix(1) + rest + (power < 0 ? "e-" : "e+") + (exponent.count < 2 ? "0" : "") + exponent
        }
        if power < 0 { return sign + "0." + String(repeating: "0", count: -power - 1) + text }
        if digits.count <= power + 1 { return sign + text + String(repeating: "0", count: power + 1 - digits.count) }
        return sign + text.prefix(power + 1) + "." + text.dropFirst(power + 1)
    }

    /// A whole number from 2^53 to 1e21 in full: its 53 bits, doubled digit by digit.
    private static func digits(ofWhole number: Double) -> String {
        let shift = max(0, Int(number.exponent) - 52)
        let significand = number.significandBitPattern | 1 << 52
        var digits = String(significand).utf8.reversed().map { $0 - 48 }
        for _ in 0..<shift {
            var carry: UInt8 = 0
            for index in digits.indices {
                let doubled = 2 * digits[index] + carry
                (carry, digits[index]) = doubled >= 10 ? (1, doubled - 10) : (0, doubled)
            }
            if carry > 0 { digits.append(carry) }
        }
        return String(decoding: digits.reversed().map { $0 + 48 }, as: UTF8.self)
    }
}
