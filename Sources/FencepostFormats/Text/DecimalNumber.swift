internal import CSimdjson

/// Parses decimal numbers in text: a sign, digits, a fraction, an exponent. It rejects what `Double(_:)` accepts beyond
/// that (`nan`, `inf`, `0x10`, `1_0`).
package enum DecimalNumber {
    /// - Returns: `nil` if the text is not such a number or exceeds `Double`; never NaN or infinite.
    package static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        var index = 0
        func digits() -> Bool {
            let start = index
            while index < text.count, text[index] &- 48 < 10 { index += 1 }
            return index > start
        }
        if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") { index += 1 }
        guard digits() else { return nil }
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() else { return nil }
        }
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") { index += 1 }
            guard digits() else { return nil }
        }
        guard index == text.count, let start = text.baseAddress else { return nil }
        let value = fencepost_parse_decimal(start, text.count)
        return value.isFinite ? value : nil
    }

    package static func parse(_ text: some Collection<UInt8>) -> Double? {
        if let result = text.withContiguousStorageIfAvailable({ parse($0) }) { return result }
        return Array(text).withUnsafeBufferPointer { parse($0) }
    }

    package static func parse(_ text: some StringProtocol) -> Double? {
        parse(text.utf8)
    }
}
