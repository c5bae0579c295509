/// Integers in a variable number of bytes, 1 to 10 (LEB128): seven bits per byte, the lowest first.
package enum VariableLengthInteger {
    /// The maximum length in bytes.
    @inlinable package static var maximumLength: Int { 10 }

    /// Encodes a number, byte by byte.
    @inlinable
    package static func encode(_ number: UInt64, _ append: (UInt8) -> Void) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number to bytes. In place of a closure, for what is written again and again.
    @inlinable
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Decodes a number from the bytes that `next` returns, one per call.
    ///
    /// - Returns: `nil` if the number exceeds 64 bits.
    /// - Throws: the errors of `next`.
    @inlinable
    package static func decode<Failure: Error>(_ next: () throws(Failure) -> UInt8) throws(Failure) -> UInt64? {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try next()
            guard shift < 63 || byte < 2 else { return nil }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
    }

    /// The zigzag encoding of a signed number: numbers of small magnitude become small.
    @inlinable
    package static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }

    /// The number with a zigzag encoding.
    @inlinable
    package static func signed(zigzag bits: UInt64) -> Int64 {
        Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }
}
